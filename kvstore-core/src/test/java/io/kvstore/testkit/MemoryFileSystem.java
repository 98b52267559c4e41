package io.kvstore.testkit;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** File systems in memory, none of which maps files, syncs directories or has locks. */
public enum MemoryFileSystem {
    /** Like that of Linux, without permissions. */
    UNIX(Configuration.unix()),

    /** Like that of Linux, with permissions. */
    POSIX(Configuration.unix().toBuilder()
            .setAttributeViews("basic", "owner", "posix")
            .build()),

    /** With drives and backslashes. */
    WINDOWS(Configuration.windows());

    private static final Logger NOTICES = Logger.getLogger("io.kvstore.io");

    private final Configuration configuration;

    MemoryFileSystem(Configuration configuration) {
        this.configuration = configuration;
    }

    /** Keeps quiet what stores say about these file systems each time that they are opened. */
    public static void silenceNotices() {
        NOTICES.setLevel(Level.OFF);
    }

    /** An empty one; it goes when it is closed. */
    public FileSystem make() {
        return Jimfs.newFileSystem(configuration);
    }

    /** An empty one for so many bytes. */
    public FileSystem make(long mostBytes) {
        return Jimfs.newFileSystem(
                configuration.toBuilder().setMaxSize(mostBytes).build());
    }

    /** Whether it has permissions. */
    public boolean hasPermissions() {
        return this == POSIX;
    }

    /** Copies a directory with all in it to any file system. While nothing is written, the copy is what a kill would leave. */
    public static Path copy(Path from, Path to) throws IOException {
        for (Path path : tree(from)) {
            Path target = to;
            for (Path name : from.relativize(path)) {
                target = target.resolve(name.toString());
            }
            if (Files.isDirectory(path)) {
                Files.createDirectories(target);
            } else {
                Files.copy(path, target);
            }
        }
        return to;
    }

    /** The bytes of all files of a directory, by name; those of a directory are none. */
    public static Map<String, Bytes> content(Path directory) throws IOException {
        Map<String, Bytes> content = new TreeMap<>();
        for (Path path : tree(directory)) {
            content.put(path.toString(), new Bytes(Files.isDirectory(path) ? new byte[0] : Files.readAllBytes(path)));
        }
        return content;
    }

    private static List<Path> tree(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.toList();
        }
    }
}
