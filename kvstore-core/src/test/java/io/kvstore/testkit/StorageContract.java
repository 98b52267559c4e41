package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.StoreLockedException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.ReadMapping;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.io.StorageLock;
import io.kvstore.io.WritableMapping;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a storage that is no simulation owes to its users, interrupts and all. */
public abstract class StorageContract {

    private static final int INTERRUPTS = 400;

    /** An empty one. */
    protected final Storage storage;

    /** @param storage an empty one, for one test */
    protected StorageContract(Storage storage) {
        this.storage = storage;
    }

    @BeforeEach
    final void clearInterrupt() {
        assertFalse(Thread.interrupted());
    }

    @AfterEach
    final void nothingIsLeftOpen() {
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
        byte[] bytes = pattern(3_000_001);
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
        try (StorageFile file = storage.openSequential("a")) {
            assertEquals(5 + bytes.length, file.size());
            ByteBuffer target = ByteBuffer.allocate(bytes.length);
            file.readFully(target, 5);
            assertArrayEquals(bytes, target.array());
            assertEquals(-1, file.read(ByteBuffer.allocate(1), file.size()));
        }
    }

    @Test
    void files_are_created_once_and_opened_if_there() throws IOException {
        storage.create("a").close();
        assertThrows(FileAlreadyExistsException.class, () -> storage.create("a"));
        assertThrows(NoSuchFileException.class, () -> storage.open("b"));
        assertThrows(NoSuchFileException.class, () -> storage.openReadOnly("b"));
        assertThrows(NoSuchFileException.class, () -> storage.openSequential("b"));
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
        assertEquals(9, mapping.memory().get(ValueLayout.JAVA_BYTE, 1));
        mapping.close();
        mapping.close();
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

    @Test
    void mappings_for_reading_show_what_was_written_and_outlive_the_file() throws IOException {
        byte[] bytes = pattern(3_000_001);
        try (StorageFile file = storage.create("a")) {
            for (int at = 0; at < bytes.length; at += 40_000) {
                file.write(ByteBuffer.wrap(bytes, at, Math.min(40_000, bytes.length - at)), at);
            }
        }
        assertThrows(EOFException.class, () -> storage.mapReadOnly("a", bytes.length + 1));
        try (ReadMapping whole = storage.mapReadOnly("a", bytes.length);
                ReadMapping part = storage.mapReadOnly("a", 1_000)) {
            assertEquals(2, storage.openResources());
            assertEquals(-1, whole.memory().mismatch(MemorySegment.ofArray(bytes)));
            assertEquals(1_000, part.memory().byteSize());
            write("b", new byte[] {1});
            storage.rename("b", "a");
            storage.delete("a");
            assertEquals(-1, whole.memory().mismatch(MemorySegment.ofArray(bytes)));
            assertTrue(whole.memory().isReadOnly());
        }
    }

    /** A segment of values is mapped again and again while it grows. What was mapped before stays as it was. */
    @Test
    void growing_files_are_mapped_while_they_grow() throws IOException {
        byte[] bytes = pattern(1_200_000);
        List<ReadMapping> mappings = new ArrayList<>();
        try (StorageFile file = storage.create("a")) {
            for (int at = 0; at < bytes.length; at += 100_000) {
                file.write(ByteBuffer.wrap(bytes, at, 100_000), at);
                mappings.add(storage.mapReadOnly("a", at + 100_000));
            }
            ByteBuffer all = ByteBuffer.allocate(bytes.length);
            file.readFully(all, 0);
            assertArrayEquals(bytes, all.array());
        }
        for (ReadMapping mapping : mappings) {
            MemorySegment memory = mapping.memory();
            assertEquals(-1, memory.mismatch(MemorySegment.ofArray(bytes).asSlice(0, memory.byteSize())));
            mapping.close();
        }
    }

    @Test
    void bytes_that_were_cut_off_come_back_as_zeros() throws IOException {
        try (StorageFile file = storage.create("a")) {
            file.write(ByteBuffer.wrap(pattern(300_000)), 0);
            for (int size : new int[] {299_999, 290_000, 4_097, 4_096, 5, 0}) {
                file.truncate(size);
                file.write(ByteBuffer.wrap(new byte[] {9}), 300_000);
                ByteBuffer all = ByteBuffer.allocate(300_001);
                file.readFully(all, 0);
                byte[] expected = Arrays.copyOf(Arrays.copyOf(pattern(300_000), size), 300_001);
                expected[300_000] = 9;
                assertArrayEquals(expected, all.array(), "cut to " + size);
            }
        }
    }

    @Test
    void a_lock_is_of_one_owner_and_shared_by_readers() throws IOException {
        StorageLock lock = storage.lock("LOCK");
        assertTrue(storage.exists("LOCK"));
        assertThrows(StoreLockedException.class, () -> storage.lock("LOCK"));
        assertThrows(StoreLockedException.class, () -> storage.lockShared("LOCK"));
        lock.close();
        lock.close();
        StorageLock first = storage.lockShared("LOCK");
        StorageLock second = storage.lockShared("LOCK");
        assertEquals(2, storage.openResources());
        first.close();
        assertThrows(StoreLockedException.class, () -> storage.lock("LOCK"));
        second.close();
        storage.lock("LOCK").close();
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

    private int read(String path) throws IOException {
        byte[] bytes = AtomicFile.read(storage, path, 1);
        assertNotNull(bytes);
        return bytes[0];
    }

    protected final void write(String path, byte[] bytes) throws IOException {
        try (StorageFile file = storage.create(path)) {
            file.write(ByteBuffer.wrap(bytes), 0);
        }
    }

    private static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31 + (i >> 12));
        }
        return bytes;
    }
}
