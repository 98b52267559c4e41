package io.kvstore.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvstore.testkit.StorageContract;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The real file system, interrupts and all. */
final class RealStorageTest extends StorageContract {

    private final Path directory;

    RealStorageTest(@TempDir Path directory) throws IOException {
        super(new RealStorage(directory));
        this.directory = directory;
    }

    @Test
    void memory_of_a_closed_mapping_is_gone() throws IOException {
        write("a", new byte[8192]);
        WritableMapping mapping = storage.map("a", 8192);
        MemorySegment memory = mapping.memory();
        mapping.close();
        assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_BYTE, 1));
    }

    @Test
    void symbolic_links_are_not_followed_out_of_the_directory(@TempDir Path other) throws IOException {
        Files.writeString(other.resolve("keep"), "x");
        Files.createSymbolicLink(directory.resolve("link"), other);
        Files.createSymbolicLink(directory.resolve("file"), other.resolve("keep"));
        for (Executable use : List.<Executable>of(
                () -> storage.list("link"),
                () -> storage.open("file"),
                () -> storage.openReadOnly("file"),
                () -> storage.map("file", 1),
                () -> storage.openDirectory("link"))) {
            IOException refusal = assertThrows(IOException.class, use);
            assertTrue(String.valueOf(refusal.getMessage()).contains("is a symbolic link"), refusal.getMessage());
        }
        storage.delete("file");
        storage.deleteTree("link");
        assertTrue(Files.exists(other.resolve("keep")));
        assertFalse(storage.exists("link"));
    }

    @Test
    void the_path_of_the_directory_means_what_it_means_to_the_system() throws IOException {
        Path base = Files.createDirectory(directory.resolve("line\nbreak"));
        Files.createDirectories(base.resolve("real/sub"));
        Path work = Files.createDirectory(base.resolve("work"));
        Path link = Files.createSymbolicLink(work.resolve("link"), base.resolve("real/sub"));
        new RealStorage(link.resolve("../data/./deep")).create("here").close();
        assertTrue(Files.exists(base.resolve("real/data/deep/here")));
        try (Stream<Path> all = Files.list(work)) {
            assertEquals(List.of(link), all.toList());
        }
    }

    @Test
    void a_path_that_leads_nowhere_is_told_and_leaves_nothing_behind() throws IOException {
        Path dangling = Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("none"));
        Path loop = Files.createSymbolicLink(directory.resolve("loop"), directory.resolve("loop"));
        Files.createFile(directory.resolve("file"));
        for (Path path : List.of(
                dangling,
                dangling.resolve("data"),
                loop,
                loop.resolve("data"),
                directory.resolve("file"),
                directory.resolve("file/data"),
                directory.resolve("missing/../data"),
                directory.resolve("a/b").resolve("n".repeat(300)),
                directory.resolve("a/" + "long/".repeat(800)))) {
            IOException refusal = assertThrows(IOException.class, () -> new RealStorage(path), path.toString());
            assertFalse(String.valueOf(refusal.getMessage()).isEmpty());
        }
        assertEquals(List.of("dangling", "file", "loop"), storage.list(""));
    }

    @Test
    void what_it_creates_is_for_the_owner_only() throws IOException {
        Path root = directory.resolve("x/y");
        RealStorage own = new RealStorage(root);
        own.createDirectory("d");
        own.create("f").close();
        own.lock("LOCK").close();
        if (root.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            assertEquals("rwx------", permissions(root));
            assertEquals("rwx------", permissions(root.resolve("d")));
            assertEquals("rw-------", permissions(root.resolve("f")));
            assertEquals("rw-------", permissions(root.resolve("LOCK")));
        }
        assertThrows(IOException.class, () -> new RealStorage(root.resolve("f")));
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void a_mapping_can_be_synced_and_closed_in_one() throws IOException {
        RealStorage storage = new RealStorage(directory);
        try (StorageFile file = storage.create("whole")) {
            file.write(ByteBuffer.allocate(8192), 0);
        }
        WritableMapping mapping = storage.map("whole", 8192);
        MemorySegment memory = mapping.memory();
        memory.set(ValueLayout.JAVA_BYTE, 8191, (byte) 7);
        Thread.currentThread().interrupt();
        mapping.forceAndClose();
        assertTrue(Thread.interrupted());
        assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_BYTE, 0));
        assertThrows(IllegalStateException.class, mapping::forceAndClose);
        mapping.close();
        assertEquals(0, storage.openResources());
        try (StorageFile file = storage.openReadOnly("whole")) {
            ByteBuffer last = ByteBuffer.allocate(1);
            file.readFully(last, 8191);
            assertEquals(7, last.get(0));
        }
    }

    @Test
    void a_renewed_mapping_has_the_same_bytes_and_outlives_the_one_before() throws IOException {
        assumeTrue(System.getProperty("os.name", "").equals("Linux"), "elsewhere there is nothing to gain");
        write("again", new byte[8192]);
        WritableMapping mapping = storage.map("again", 8192);
        mapping.memory().set(ValueLayout.JAVA_BYTE, 5, (byte) 7);
        WritableMapping renewed = Objects.requireNonNull(mapping.renew());
        assertEquals(2, storage.openResources());
        assertEquals(7, renewed.memory().get(ValueLayout.JAVA_BYTE, 5));
        renewed.memory().set(ValueLayout.JAVA_BYTE, 8191, (byte) 9);
        assertEquals(9, mapping.memory().get(ValueLayout.JAVA_BYTE, 8191));
        mapping.forceAndClose();
        assertEquals(1, storage.openResources());
        renewed.memory().set(ValueLayout.JAVA_BYTE, 6, (byte) 8);
        renewed.forceAndClose();
        assertEquals(0, storage.openResources());
        byte[] bytes = Files.readAllBytes(directory.resolve("again"));
        assertEquals(List.of((byte) 7, (byte) 8, (byte) 9), List.of(bytes[5], bytes[6], bytes[8191]));
    }

    @Test
    void full_device_is_told_from_other_failures() throws IOException {
        for (String text : List.of("No space left on device", "Disk quota exceeded")) {
            assertTrue(Failures.of("a", new IOException(text)) instanceof NoSpaceException);
            assertTrue(Failures.of("a", new FileSystemException("a", null, text)) instanceof NoSpaceException);
        }
        for (IOException other : List.of(
                new IOException("Input/output error"),
                new IOException(),
                new FileSystemException("a", null, "Too many open files"))) {
            assertEquals(other, Failures.of("a", other));
        }
        if (Files.exists(Path.of("/dev/full"))) {
            RealStorage devices = new RealStorage(Path.of("/dev"));
            try (StorageFile full = devices.open("full")) {
                assertThrows(NoSpaceException.class, () -> full.write(ByteBuffer.allocate(10), 0));
            }
        }
    }
}
