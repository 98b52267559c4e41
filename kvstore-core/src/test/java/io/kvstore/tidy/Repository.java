package io.kvstore.tidy;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The text files of the source tree; neither what a build leaves nor generated sources. */
final class Repository {
    private static final Set<String> SKIPPED_FOLDERS =
            Set.of(".git", ".idea", ".vscode", "target", "kvstore-data", "gen", "kvstorethrift", "node_modules");
    private static final Set<String> TEXT = Set.of(
            "java",
            "md",
            "xml",
            "properties",
            "txt",
            "sh",
            "yml",
            "yaml",
            "json",
            "thrift",
            "py",
            "go",
            "rs",
            "js",
            "ts",
            "toml",
            "config");
    private static final Set<String> SCRIPTS = Set.of("kvstore", ".ci/run", "thrift/generate");

    private Repository() {}

    /** The first folder above the module that holds all modules. */
    static Path root() {
        Path folder =
                Path.of(System.getProperty("basedir", ".")).toAbsolutePath().normalize();
        while (!Files.isDirectory(folder.resolve("kvstore-core"))) {
            Path parent = folder.getParent();
            if (parent == null) {
                throw new IllegalStateException("no folder above the tests holds kvstore-core");
            }
            folder = parent;
        }
        return folder;
    }

    static List<SourceText> files() throws IOException {
        Path root = root();
        List<SourceText> files = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                boolean skipped = SKIPPED_FOLDERS.contains(folder.getFileName().toString());
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String path = root.relativize(file).toString().replace('\\', '/');
                if (SCRIPTS.contains(path) || TEXT.contains(new SourceText(path, "").extension())) {
                    files.add(new SourceText(path, Files.readString(file)));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }
}
