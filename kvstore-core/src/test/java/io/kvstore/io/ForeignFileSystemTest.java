package io.kvstore.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.StoreLockedException;
import io.kvstore.testkit.MemoryFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** File systems that are not the operating system's: what is tried, what is done without, and what is refused. */
final class ForeignFileSystemTest {

    private static final int INTERRUPTS = 200;
    private static final Logger LOGGER = Logger.getLogger(FileSystemProbe.class.getName());

    private final List<String> notices = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            notices.add(record.getLevel() + " " + record.getMessage());
        }

        @Override
        public void flush() {
            // keeps nothing
        }

        @Override
        public void close() {
            // has nothing
        }
    };

    @BeforeEach
    void listen() {
        LOGGER.setLevel(Level.ALL);
        LOGGER.setUseParentHandlers(false);
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void listenNoMore() {
        LOGGER.removeHandler(handler);
        LOGGER.setUseParentHandlers(true);
        LOGGER.setLevel(null);
    }

    private static void write(Storage storage, String path, byte[] bytes) throws IOException {
        try (StorageFile file = storage.create(path)) {
            file.write(ByteBuffer.wrap(bytes), 0);
            file.sync();
        }
    }

    private static byte[] read(Storage storage, String path) throws IOException {
        try (StorageFile file = storage.openReadOnly(path)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.readFully(bytes, 0);
            return bytes.array();
        }
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryFileSystem.class)
    void what_is_missing_is_found_out_and_told_once(MemoryFileSystem kind) throws IOException {
        try (FileSystem files = kind.make()) {
            RealStorage storage = new RealStorage(files.getPath("a", "b"));
            Set<FileSystemAbility> missing = EnumSet.allOf(FileSystemAbility.class);
            if (kind.hasPermissions()) {
                missing.remove(FileSystemAbility.OWNERS_ONLY);
            }
            assertEquals(missing, storage.missingAbilities());
            assertEquals(List.of(), names(files.getPath("a", "b")));
            assertEquals(1, notices.size());
            assertTrue(notices.getFirst().startsWith(Level.WARNING + " "), notices::toString);
            for (FileSystemAbility ability : missing) {
                assertTrue(notices.getFirst().contains(ability.lack()), notices::toString);
            }
        }
    }

    @Test
    void nothing_is_tried_in_the_file_system_of_the_operating_system(@TempDir Path directory) throws IOException {
        assertEquals(Set.of(), new RealStorage(directory).missingAbilities());
        assertEquals(Set.of(), RealStorage.forReading(directory).missingAbilities());
        assertEquals(List.of(), notices);
    }

    /** Each ability, where there is one: what is tried would find it. */
    @Test
    void what_is_there_is_found(@TempDir Path directory) throws IOException {
        Set<FileSystemAbility> missing = FileSystemProbe.tried(directory, true);
        missing.remove(FileSystemAbility.UNCACHED_WRITES); // in memory, such as a tmpfs, there are none
        if (FileSystemProbe.hasPermissions(directory)) {
            assertEquals(Set.of(), missing);
        }
        assertEquals(List.of(), names(directory));
        Files.write(directory.resolve("file"), new byte[] {7});
        assertEquals(Set.of(), FileSystemProbe.tried(directory, false));
        assertEquals(List.of("file"), names(directory));
    }

    @ParameterizedTest
    @EnumSource(MemoryFileSystem.class)
    void files_are_written_read_renamed_and_deleted(MemoryFileSystem kind) throws IOException {
        try (FileSystem files = kind.make()) {
            RealStorage storage = new RealStorage(files.getPath("store"));
            storage.createDirectory("d");
            byte[] large = new byte[3_000_001];
            Arrays.fill(large, (byte) 5);
            write(storage, "d/a", large);
            write(storage, "d/b", new byte[] {2});
            try (StorageFile replaced = storage.open("d/b");
                    StorageFile deleted = storage.openReadOnly("d/a")) {
                storage.rename("d/a", "d/b");
                assertArrayEquals(large, read(storage, "d/b"));
                ByteBuffer one = ByteBuffer.allocate(1);
                replaced.readFully(one, 0);
                assertEquals(2, one.get(0));
                storage.delete("d/b");
                ByteBuffer all = ByteBuffer.allocate(large.length);
                deleted.readFully(all, 0);
                assertArrayEquals(large, all.array());
                assertThrows(IOException.class, () -> deleted.write(ByteBuffer.allocate(1), 0));
            }
            storage.syncDirectory("d");
            storage.syncDirectory("");
            assertThrows(NoSuchFileException.class, () -> storage.open("d/a"));
            assertEquals(List.of(), storage.list("d"));
            assertEquals(List.of("d"), storage.list(""));
            storage.deleteTree("d");
            assertTrue(storage.freeBytes() > 0);
            assertEquals(0, storage.openResources());
        }
    }

    @Test
    void mappings_are_refused_by_name() throws IOException {
        try (FileSystem files = MemoryFileSystem.UNIX.make()) {
            RealStorage storage = new RealStorage(files.getPath("store"));
            write(storage, "a", new byte[10]);
            for (IOException refusal : List.of(
                    assertThrows(IOException.class, () -> storage.map("a", 1)),
                    assertThrows(IOException.class, () -> storage.mapReadOnly("a", 1)))) {
                assertEquals("a cannot be mapped: its file system maps no files", refusal.getMessage());
            }
        }
    }

    @Test
    void uncached_writes_are_cached_ones() throws IOException {
        try (FileSystem files = MemoryFileSystem.UNIX.make()) {
            RealStorage storage = new RealStorage(files.getPath("store"));
            ByteBuffer bytes = ByteBuffer.allocateDirect(2 * UncachedWrites.LEAST_BYTES);
            ByteBuffer aligned = bytes.alignedSlice(StorageFile.UNCACHED_UNIT_BYTES);
            try (StorageFile file = storage.create("a")) {
                assertEquals(0, file.writeUncached(aligned, 0));
                assertFalse(aligned.hasRemaining());
                assertEquals(aligned.limit(), file.size());
            }
        }
    }

    @Test
    void what_it_creates_is_for_the_owner_only_where_there_are_permissions() throws IOException {
        try (FileSystem files = MemoryFileSystem.POSIX.make()) {
            Path root = files.getPath("x", "y");
            write(new RealStorage(root), "f", new byte[1]);
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(root)));
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve("f"))));
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryFileSystem.class)
    void links_are_not_followed(MemoryFileSystem kind) throws IOException {
        try (FileSystem files = kind.make()) {
            Path root = files.getPath("store");
            RealStorage storage = new RealStorage(root);
            Path target = Files.write(files.getPath("target"), new byte[1]);
            Files.createSymbolicLink(root.resolve("link"), target.toAbsolutePath());
            IOException refusal = assertThrows(IOException.class, () -> storage.open("link"));
            assertTrue(String.valueOf(refusal.getMessage()).contains("is a symbolic link"), refusal.getMessage());
        }
    }

    @Test
    void a_closed_one_is_refused() throws IOException {
        FileSystem files = MemoryFileSystem.UNIX.make();
        Path root = files.getPath("store");
        files.close();
        for (InvalidRequestException refusal : List.of(
                assertThrows(InvalidRequestException.class, () -> new RealStorage(root)),
                assertThrows(InvalidRequestException.class, () -> RealStorage.forReading(root)))) {
            assertTrue(String.valueOf(refusal.getMessage()).contains("is closed"), refusal.getMessage());
        }
    }

    /** What a crash left of a trial does not make a directory one that has other files. */
    @Test
    void files_for_trying_are_hidden() throws IOException {
        try (FileSystem files = MemoryFileSystem.UNIX.make()) {
            Path root = Files.createDirectory(files.getPath("store"));
            Files.createFile(root.resolve(FileSystemProbe.PREFIX + "left"));
            assertEquals(List.of(), new RealStorage(root).list(""));
        }
    }

    /** Two file systems may give their files the same keys, and no lock of theirs keeps anybody out. */
    @Test
    void locks_are_of_one_file_in_one_file_system() throws IOException {
        try (FileSystem files = MemoryFileSystem.UNIX.make();
                FileSystem others = MemoryFileSystem.UNIX.make()) {
            RealStorage storage = new RealStorage(files.getPath("store"));
            RealStorage other = new RealStorage(others.getPath("store"));
            storage.lock("LOCK").close();
            other.lock("LOCK").close();
            try (StorageLock _ = storage.lock("LOCK")) {
                other.lock("LOCK").close();
                RealStorage again = new RealStorage(files.getPath("store", ".", "..", "store"));
                assertThrows(StoreLockedException.class, () -> again.lock("LOCK"));
                assertThrows(StoreLockedException.class, () -> again.lockShared("LOCK"));
            }
            try (StorageLock _ = storage.lockShared("LOCK");
                    StorageLock _ = storage.lockShared("LOCK")) {
                assertThrows(StoreLockedException.class, () -> storage.lock("LOCK"));
            }
            storage.lock("LOCK").close();
            assertEquals(0, storage.openResources());
        }
    }

    @Test
    void a_full_file_system_is_told_from_other_failures() throws IOException {
        try (FileSystem files = MemoryFileSystem.UNIX.make(1 << 20)) {
            RealStorage storage = new RealStorage(files.getPath("store"));
            try (StorageFile file = storage.create("a")) {
                assertThrows(NoSpaceException.class, () -> file.write(ByteBuffer.allocate(2 << 20), 0));
            }
        }
    }

    /** A store that is there has to be opened, however full it is. */
    @Test
    void a_full_file_system_is_not_refused() throws IOException {
        try (FileSystem files = MemoryFileSystem.UNIX.make(1 << 20)) {
            RealStorage storage = new RealStorage(files.getPath("store"));
            write(storage, "a", new byte[1 << 20]);
            assertEquals(storage.missingAbilities(), new RealStorage(files.getPath("store")).missingAbilities());
        }
    }

    /** To see that the next test can fail: a channel of this file system closes when its caller is interrupted. */
    @Test
    void a_channel_that_is_not_shielded_is_closed_by_an_interrupt() throws IOException {
        try (FileSystem files = MemoryFileSystem.UNIX.make();
                FileChannel channel =
                        FileChannel.open(files.getPath("a"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            Thread.currentThread().interrupt();
            assertThrows(ClosedChannelException.class, () -> channel.write(ByteBuffer.allocate(1), 0));
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void interrupts_end_no_operation_and_close_no_file() throws Exception {
        try (FileSystem files = MemoryFileSystem.UNIX.make()) {
            RealStorage storage = new RealStorage(files.getPath("store"));
            write(storage, "shared", new byte[1 << 20]);
            AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
            try (StorageFile shared = storage.open("shared")) {
                List<Thread> workers = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    int number = i;
                    Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
                    workers.add(builder.start(() -> {
                        try {
                            work(storage, shared, number);
                        } catch (Throwable e) {
                            failure.compareAndSet(null, e);
                        }
                    }));
                }
                while (workers.stream().anyMatch(Thread::isAlive)) {
                    workers.forEach(Thread::interrupt);
                    Thread.onSpinWait();
                }
                assertNull(failure.get(), () -> String.valueOf(failure.get()));
                assertEquals(1 << 20, shared.size());
            }
            assertEquals(0, storage.openResources());
        }
    }

    private static void work(Storage storage, StorageFile shared, int number) throws IOException {
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
                write(storage, "own" + number, mine);
                storage.rename("own" + number, "own" + number + "b");
                assertTrue(storage.list("").contains("own" + number + "b"));
                storage.delete("own" + number + "b");
            }
            assertTrue(Thread.currentThread().isInterrupted());
        }
    }

    private static FileSystem zip(Path file, Map<String, ?> options) throws IOException {
        return FileSystems.newFileSystem(file, options);
    }

    /** A zip file has no files that are written at positions. It is as it was afterwards. */
    @Test
    void a_file_system_that_cannot_hold_a_store_is_refused_by_what_it_lacks(@TempDir Path directory)
            throws IOException {
        Path file = directory.resolve("a.zip");
        try (FileSystem files = zip(file, Map.of("create", "true"))) {
            Files.write(files.getPath("/there"), new byte[1]);
            InvalidRequestException refusal =
                    assertThrows(InvalidRequestException.class, () -> new RealStorage(files.getPath("/new", "store")));
            assertEquals(
                    "no store can be in /new/store: its file system (jar) cannot open a file as a FileChannel, to be read"
                            + " and written at any position. Give a directory of another file system, such as that of the"
                            + " operating system",
                    refusal.getMessage());
            assertEquals(List.of("there"), names(files.getPath("/")));
        }
        try (FileSystem files = zip(file, Map.of("accessMode", "readOnly"))) {
            InvalidRequestException refusal =
                    assertThrows(InvalidRequestException.class, () -> new RealStorage(files.getPath("/new", "store")));
            assertTrue(
                    String.valueOf(refusal.getMessage())
                            .contains("is read-only; open a store that is there with readOnly"),
                    refusal.getMessage());
            assertThrows(InvalidRequestException.class, () -> RealStorage.forReading(files.getPath("/new", "store")));
        }
    }
}
