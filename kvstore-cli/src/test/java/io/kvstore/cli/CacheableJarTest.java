package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The library for the command line, rewritten for a cache of classes. */
final class CacheableJarTest {

    private static Map<String, byte[]> entries(Path jar) throws IOException {
        Map<String, byte[]> entries = new HashMap<>();
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                entries.put(entry.getName(), in.readAllBytes());
            }
        }
        return entries;
    }

    private static int version(byte[] bytes) {
        return ClassFile.of().parse(bytes).majorVersion();
    }

    @Test
    void all_classes_of_a_library_are_new_enough_and_pass_verification(@TempDir Path temp) throws Exception {
        Path library = Path.of(CommandLine.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path jar = Files.copy(library, temp.resolve("library.jar"));
        CacheableJar.main(new String[] {jar.toString()});
        Map<String, byte[]> before = entries(library);
        Map<String, byte[]> after = entries(jar);
        assertEquals(before.keySet(), after.keySet());
        int old = 0;
        for (Map.Entry<String, byte[]> entry : after.entrySet()) {
            byte[] was = Objects.requireNonNull(before.get(entry.getKey()));
            if (!entry.getKey().endsWith(".class") || version(was) >= ClassFile.JAVA_6_VERSION) {
                assertArrayEquals(was, entry.getValue(), entry.getKey());
                continue;
            }
            old++;
            assertEquals(ClassFile.JAVA_8_VERSION, version(entry.getValue()));
            assertEquals(List.of(), ClassFile.of().verify(entry.getValue()), entry.getKey());
        }
        assertTrue(old > 100, old + " old classes: if there are none any more, the launcher needs no rewriting");
        try (var files = Files.list(temp)) {
            assertEquals(List.of(jar), files.toList());
        }
        CacheableJar.main(new String[] {jar.toString()});
        assertEquals(after.keySet(), entries(jar).keySet());
        for (Map.Entry<String, byte[]> entry : entries(jar).entrySet()) {
            assertArrayEquals(after.get(entry.getKey()), entry.getValue());
        }
    }

    @Test
    void a_class_of_today_stays_as_it_is() throws Exception {
        byte[] bytes;
        try (InputStream in = Objects.requireNonNull(CacheableJar.class.getResourceAsStream("CacheableJar.class"))) {
            bytes = in.readAllBytes();
        }
        assertArrayEquals(bytes, CacheableJar.cacheable(bytes));
    }
}
