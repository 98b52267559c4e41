package io.kvstore.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Rewrites a copy of a library, so that the launcher's cache of classes takes it. The cache takes no class that was compiled
 * for a release before Java 6, because code of that age has no stack maps and is verified in another way. Each such class gets
 * stack maps and the version of Java 8, and its code stays as it is. Classes that are newer, and all other files, are copied.
 */
final class CacheableJar {

    private static final String CLASS = ".class";

    private CacheableJar() {}

    /** Takes the place of the jar only when the new one is whole. A program that has the old one open keeps it. */
    public static void main(String[] arguments) throws IOException {
        Path jar = Path.of(arguments[0]);
        Path made = Path.of(arguments[0] + ".new");
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar));
                ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(made))) {
            rewrite(in, out);
        }
        Files.move(made, jar, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void rewrite(ZipInputStream in, ZipOutputStream out) throws IOException {
        for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
            ZipEntry copied = new ZipEntry(entry.getName());
            copied.setTime(entry.getTime());
            out.putNextEntry(copied);
            copy(entry.getName(), in, out);
            out.closeEntry();
        }
    }

    private static void copy(String name, InputStream in, OutputStream out) throws IOException {
        byte[] bytes = in.readAllBytes();
        out.write(name.endsWith(CLASS) ? cacheable(bytes) : bytes);
    }

    /** The class with stack maps, or the same bytes if it is no older than Java 6. */
    static byte[] cacheable(byte[] bytes) {
        // stack maps name common superclasses, so the hierarchy of the classes is read from the class path
        ClassFile classes = ClassFile.of(
                StackMapsOption.GENERATE_STACK_MAPS,
                ClassHierarchyResolverOption.of(
                        ClassHierarchyResolver.ofResourceParsing(CacheableJar.class.getClassLoader())
                                .orElse(ClassHierarchyResolver.defaultResolver())));
        ClassModel model = classes.parse(bytes);
        if (model.majorVersion() >= ClassFile.JAVA_6_VERSION) {
            return bytes;
        }
        return classes.transformClass(
                model,
                ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)
                        .andThen((made, element) -> {
                            if (element instanceof ClassFileVersion) {
                                made.withVersion(ClassFile.JAVA_8_VERSION, 0);
                            } else {
                                made.with(element);
                            }
                        }));
    }
}
