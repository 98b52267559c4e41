package io.kvstore.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The real file system, interrupts and all. */
final class RealStorageTest {

    private static final int INTERRUPTS = 400;

    private final Path directory;
    private final RealStorage storage;

    RealStorageTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        this.storage = new RealStorage(directory);
    }

    @BeforeEach
    void clearInterrupt() {
        assertFalse(Thread.interrupted());
    }

    @AfterEach
    void nothingIsLeftOpen() {
        assertEquals(0, storage.openResources());
    }

    @Test
    void writes_and_reads_at_positions() throws IOException {
        try (StorageFile file = storage.create("a")) {
            assertEquals(1, storage.openResources());
            assertEquals("a", file.path());
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 10);
            file.sync();
            assertEquals(13, file.size());
            ByteBuffer target = ByteBuffer.allocate(5);
            assertEquals(4, file.read(target, 9));
            assertArrayEquals(new byte[] {0, 1, 2, 3, 0}, target.array());
            assertEquals(-1, file.read(ByteBuffer.allocate(1), 13));
            assertEquals(-1, file.read(ByteBuffer.allocate(1), 1000));
            file.truncate(20);
            assertEquals(13, file.size());
            file.truncate(11);
            assertEquals(11, file.size());
            EOFException end = assertThrows(EOFException.class, () -> file.readFully(ByteBuffer.allocate(4), 9));
            assertTrue(String.valueOf(end.getMessage()).contains("ends at 11"));
        }
    }

    @Test
    void large_transfers_from_the_heap_are_whole() throws IOException {
        byte[] bytes = new byte[3_000_001];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31 + (i >> 12));
        }
        try (StorageFile file = storage.create("a")) {
            ByteBuffer source = ByteBuffer.wrap(bytes);
            file.write(source, 5);
            assertFalse(source.hasRemaining());
            ByteBuffer target = ByteBuffer.allocate(bytes.length);
            file.readFully(target, 5);
            assertArrayEquals(bytes, target.array());
            ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length);
            file.readFully(direct, 5);
            assertEquals(ByteBuffer.wrap(bytes), direct.flip());
        }
    }

    @Test
    void files_are_created_once_and_opened_if_there() throws IOException {
        storage.create("a").close();
        assertThrows(FileAlreadyExistsException.class, () -> storage.create("a"));
        assertThrows(NoSuchFileException.class, () -> storage.open("b"));
        assertThrows(NoSuchFileException.class, () -> storage.openReadOnly("b"));
        assertThrows(NoSuchFileException.class, () -> storage.create("none/a"));
        try (StorageFile file = storage.openReadOnly("a")) {
            assertThrows(IOException.class, () -> file.write(ByteBuffer.allocate(1), 0));
            assertThrows(IOException.class, () -> file.truncate(0));
            assertEquals(0, file.size());
        }
    }

    @Test
    void directories_are_made_listed_synced_and_deleted() throws IOException {
        storage.createDirectory("d");
        storage.createDirectory("d");
        storage.createDirectory("d/e");
        storage.create("d/b").close();
        storage.create("d/a").close();
        storage.syncDirectory("d");
        storage.syncDirectory("");
        assertEquals(List.of("a", "b", "e"), storage.list("d"));
        assertEquals(List.of("d"), storage.list(""));
        assertEquals(List.of(), storage.list("none"));
        assertEquals(List.of(), storage.list("d/a"));
        assertTrue(storage.exists("d/e"));
        assertTrue(storage.exists(""));
        assertFalse(storage.exists("d/none"));
        assertThrows(IOException.class, () -> storage.delete("d"));
        assertThrows(IOException.class, () -> storage.createDirectory("d/a"));
        storage.deleteTree("d");
        storage.delete("d");
        assertFalse(storage.exists("d"));
        assertThrows(IOException.class, () -> storage.syncDirectory("d"));
        assertTrue(storage.freeBytes() > 0);
    }

    @Test
    void rename_replaces_and_deleted_files_stay_readable() throws IOException {
        write("a", new byte[] {1});
        write("b", new byte[] {2});
        try (StorageFile replaced = storage.openReadOnly("b")) {
            storage.rename("a", "b");
            assertFalse(storage.exists("a"));
            assertEquals(1, read("b"));
            ByteBuffer one = ByteBuffer.allocate(1);
            replaced.readFully(one, 0);
            assertEquals(2, one.get(0));
        }
        assertThrows(NoSuchFileException.class, () -> storage.rename("none", "b"));
    }

    @Test
    void paths_stay_below_the_directory() {
        for (String path : List.of("..", "a/../b", "/etc", "a//b", "a/", "./a", "a\\b")) {
            assertThrows(IllegalArgumentException.class, () -> storage.exists(path), path);
        }
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
    void mapping_shares_bytes_with_the_file() throws IOException {
        write("a", new byte[8192]);
        assertThrows(EOFException.class, () -> storage.map("a", 8193));
        WritableMapping mapping = storage.map("a", 8192);
        assertEquals(1, storage.openResources());
        mapping.memory().set(ValueLayout.JAVA_BYTE, 5000, (byte) 7);
        mapping.force(4096, 4096);
        mapping.force(4999, 2);
        try (StorageFile file = storage.open("a")) {
            ByteBuffer one = ByteBuffer.allocate(1);
            file.readFully(one, 5000);
            assertEquals(7, one.get(0));
            file.write(ByteBuffer.wrap(new byte[] {9}), 1);
        }
        MemorySegment memory = mapping.memory();
        assertEquals(9, memory.get(ValueLayout.JAVA_BYTE, 1));
        mapping.close();
        mapping.close();
        assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_BYTE, 1));
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

    /** Threads that are interrupted before and during every kind of operation finish all of them, on shared channels. */
    @Test
    void interrupts_end_no_operation_and_close_no_file() throws Exception {
        write("shared", new byte[1 << 20]);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        try (StorageFile shared = storage.open("shared")) {
            List<Thread> workers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int number = i;
                Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
                workers.add(builder.start(() -> {
                    try {
                        work(shared, number);
                    } catch (Throwable e) {
                        failure.compareAndSet(null, e);
                    }
                }));
            }
            int interrupts = 0;
            while (workers.stream().anyMatch(Thread::isAlive)) {
                workers.forEach(Thread::interrupt);
                interrupts++;
                Thread.onSpinWait();
            }
            assertEquals(null, failure.get());
            assertTrue(interrupts > INTERRUPTS, interrupts + " rounds of interrupts");
            assertEquals(1 << 20, shared.size());
        }
    }

    private void work(StorageFile shared, int number) throws IOException {
        byte[] mine = new byte[512];
        Arrays.fill(mine, (byte) number);
        for (int round = 0; round < INTERRUPTS; round++) {
            Thread.currentThread().interrupt();
            long position = (round % 100 * 4L + number) * 512;
            shared.write(ByteBuffer.wrap(mine), position);
            ByteBuffer read = ByteBuffer.allocate(512);
            shared.readFully(read, position);
            assertArrayEquals(mine, read.array());
            if (round % 20 == 0) {
                shared.sync();
                storage.syncDirectory("");
                replaceFile(number);
            }
            assertTrue(Thread.currentThread().isInterrupted());
        }
    }

    private void replaceFile(int number) throws IOException {
        String name = "own" + number;
        storage.create(name).close();
        storage.rename(name, name + "b");
        write(name, new byte[4096]);
        try (WritableMapping mapping = storage.map(name, 4096)) {
            mapping.memory().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            mapping.force(0, 4096);
        }
        assertTrue(storage.list("").contains(name));
        storage.delete(name);
        assertTrue(storage.freeBytes() > 0);
    }

    @Test
    void operations_of_a_closed_file_fail_alone() throws IOException {
        write("a", new byte[] {1});
        StorageFile first = storage.open("a");
        try (StorageFile second = storage.open("a")) {
            first.close();
            first.close();
            assertThrows(IOException.class, () -> first.read(ByteBuffer.allocate(1), 0));
            assertThrows(IOException.class, first::sync);
            assertEquals(1, second.size());
        }
    }

    private void write(String path, byte[] bytes) throws IOException {
        try (StorageFile file = storage.create(path)) {
            file.write(ByteBuffer.wrap(bytes), 0);
        }
    }

    private int read(String path) throws IOException {
        byte[] bytes = AtomicFile.read(storage, path, 1);
        assertNotNull(bytes);
        return bytes[0];
    }
}
