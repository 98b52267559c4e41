package io.kvstore.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.StorageContract;
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
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files in memory: the contract of storages, the limit, and that all memory comes back. */
final class MemoryStorageTest extends StorageContract {

    private static final int LIMIT_BYTES = 64 << 20;
    private static final int UNIT_BYTES = 4 << 10;

    private final MemoryStorage memory;

    MemoryStorageTest() {
        super(new MemoryStorage(LIMIT_BYTES));
        this.memory = (MemoryStorage) storage;
    }

    @AfterEach
    void allMemoryComesBack() throws IOException {
        memory.close();
        assertEquals(0, memory.usedBytes());
        assertEquals(LIMIT_BYTES, memory.freeBytes());
        assertEquals(List.of(), memory.list(""));
        assertThrows(IOException.class, () -> memory.create("late"));
    }

    @Test
    void the_limit_is_exact() throws IOException {
        write("before", new byte[LIMIT_BYTES - UNIT_BYTES]);
        memory.delete("before");
        for (int bytes : new int[] {LIMIT_BYTES - 1, LIMIT_BYTES}) {
            try (StorageFile file = memory.create("a")) {
                for (int at = 0; at < bytes; at += 1 << 20) {
                    file.write(ByteBuffer.allocateDirect(Math.min(1 << 20, bytes - at)), at);
                }
                assertEquals(bytes, file.size());
                assertEquals(0, memory.freeBytes());
                ByteBuffer more = ByteBuffer.allocate(2);
                NoSpaceException full = assertThrows(NoSpaceException.class, () -> file.write(more, LIMIT_BYTES - 1));
                assertTrue(String.valueOf(full.getMessage()).contains("67108864 of 67108864 bytes"), full.getMessage());
                assertEquals(2, more.remaining());
                assertEquals(bytes, file.size());
                memory.delete("a");
                assertEquals(0, memory.freeBytes(), "the file is still open");
            }
            assertEquals(LIMIT_BYTES, memory.freeBytes());
        }
    }

    @Test
    void the_last_unit_is_given_to_a_file_that_would_usually_get_more() throws IOException {
        write("other", new byte[LIMIT_BYTES / 2]);
        try (StorageFile file = memory.create("a")) {
            long end = LIMIT_BYTES - memory.usedBytes();
            for (long at = 0; at < end; at += UNIT_BYTES) {
                file.write(ByteBuffer.allocate(UNIT_BYTES), at);
            }
            assertEquals(0, memory.freeBytes());
            assertThrows(NoSpaceException.class, () -> file.write(ByteBuffer.allocate(1), end));
            memory.delete("other");
            file.write(ByteBuffer.allocate(1), end);
        }
    }

    @Test
    void a_mapping_is_the_memory_of_the_file() throws IOException {
        int bytes = 5_000_000;
        try (StorageFile file = memory.create("a")) {
            for (int at = 0; at < bytes; at += 100_000) {
                file.write(ByteBuffer.allocate(100_000), at);
            }
        }
        try (ReadMapping first = memory.mapReadOnly("a", bytes);
                ReadMapping second = memory.mapReadOnly("a", 3);
                WritableMapping third = memory.map("a", bytes)) {
            assertEquals(Math.ceilDiv(bytes, UNIT_BYTES) * (long) UNIT_BYTES, memory.usedBytes());
            assertEquals(first.memory().address(), second.memory().address());
            third.memory().set(ValueLayout.JAVA_BYTE, 1, (byte) 7);
            assertEquals(7, first.memory().get(ValueLayout.JAVA_BYTE, 1));
        }
    }

    /** Most files are mapped when they are whole, and some while their writer is still open. */
    @Test
    void only_a_file_that_is_mapped_again_gets_room_to_grow_in() throws IOException {
        int bytes = 25 * UNIT_BYTES;
        try (StorageFile file = memory.create("a")) {
            for (int at = 0; at < bytes; at += UNIT_BYTES) {
                file.write(ByteBuffer.allocate(UNIT_BYTES), at);
            }
            memory.mapReadOnly("a", bytes).close();
            assertEquals(bytes, memory.usedBytes());
            file.write(ByteBuffer.allocate(UNIT_BYTES), bytes);
            memory.mapReadOnly("a", bytes + UNIT_BYTES).close();
            assertEquals(3L * (bytes + UNIT_BYTES) / 2, memory.usedBytes());
        }
    }

    @Test
    void a_file_that_is_mapped_for_writing_grows_and_keeps_its_memory() throws IOException {
        try (StorageFile file = memory.create("a")) {
            file.write(ByteBuffer.allocate(10_000), 0);
            try (WritableMapping mapping = memory.map("a", 10_000)) {
                file.write(ByteBuffer.wrap(new byte[] {5}), 1_000_000);
                IOException refusal = assertThrows(IOException.class, () -> memory.map("a", 1_000_001));
                assertTrue(String.valueOf(refusal.getMessage()).contains("mapped for writing"));
                mapping.memory().set(ValueLayout.JAVA_BYTE, 9_999, (byte) 6);
                assertThrows(
                        IndexOutOfBoundsException.class, () -> mapping.memory().get(ValueLayout.JAVA_BYTE, 10_000));
                file.truncate(0);
                mapping.memory().set(ValueLayout.JAVA_BYTE, 9_999, (byte) 6);
            }
            memory.map("a", 0).close();
        }
    }

    @Test
    void a_file_that_finds_no_room_in_one_piece_is_not_mapped_and_stays_readable() throws IOException {
        int bytes = LIMIT_BYTES / 2 + 100_000;
        try (StorageFile file = memory.create("a")) {
            for (int at = 0; at < bytes; at += 100_000) {
                file.write(ByteBuffer.allocate(100_000), at);
            }
            file.write(ByteBuffer.wrap(new byte[] {3}), bytes - 1);
        }
        long used = memory.usedBytes();
        assertThrows(NoSpaceException.class, () -> memory.mapReadOnly("a", bytes));
        assertEquals(used, memory.usedBytes());
        try (StorageFile file = memory.openReadOnly("a")) {
            ByteBuffer last = ByteBuffer.allocate(1);
            file.readFully(last, bytes - 1);
            assertEquals(3, last.get(0));
        }
    }

    @Test
    void a_cut_gives_memory_back() throws IOException {
        try (StorageFile file = memory.create("a")) {
            file.write(ByteBuffer.allocate(10_000_000), 0);
            file.write(ByteBuffer.wrap(new byte[] {4}), 99_999);
            file.truncate(100_000);
            assertTrue(memory.usedBytes() < 110_000, memory.usedBytes() + " bytes for 100000");
            ByteBuffer last = ByteBuffer.allocate(2);
            assertEquals(1, file.read(last, 99_999));
            assertEquals(4, last.get(0));
            file.truncate(0);
            assertEquals(0, memory.usedBytes());
        }
    }

    @Test
    void memory_of_a_deleted_file_comes_back_with_its_last_mapping() throws IOException {
        write("a", new byte[100_000]);
        ReadMapping mapping = memory.mapReadOnly("a", 100_000);
        MemorySegment shown = mapping.memory();
        memory.delete("a");
        assertFalse(memory.exists("a"));
        assertTrue(memory.usedBytes() >= 100_000);
        assertEquals(0, shown.get(ValueLayout.JAVA_BYTE, 99_999));
        mapping.close();
        mapping.close();
        assertEquals(0, memory.usedBytes());
        assertThrows(IllegalStateException.class, () -> shown.get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void open_files_outlive_the_storage() throws IOException {
        StorageFile file = memory.create("a");
        file.write(ByteBuffer.wrap(new byte[] {1, 2}), 0);
        memory.close();
        ByteBuffer two = ByteBuffer.allocate(2);
        file.readFully(two, 0);
        assertArrayEquals(new byte[] {1, 2}, two.array());
        file.close();
        assertEquals(0, memory.usedBytes());
    }

    /** Threads that write, map, cut and delete the same few files see the bytes of one writer in each read, or the end. */
    @Test
    @Tag("races")
    void many_threads_share_files() throws Exception {
        int threads = 4;
        SplittableRandom random = new SplittableRandom(1);
        try (ExecutorService workers = Executors.newFixedThreadPool(threads)) {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                SplittableRandom own = random.split();
                tasks.add(() -> {
                    for (int step = 0; step < 3_000; step++) {
                        useSharedFile("shared" + own.nextInt(3), own);
                    }
                    return null;
                });
            }
            for (Future<Void> done : workers.invokeAll(tasks)) {
                done.get();
            }
        }
    }

    private void useSharedFile(String name, SplittableRandom random) throws IOException {
        if (random.nextInt(20) == 0) {
            memory.delete(name);
        }
        StorageFile file;
        try {
            file = memory.exists(name) ? memory.open(name) : memory.create(name);
        } catch (NoSuchFileException | FileAlreadyExistsException e) {
            return; // another thread was faster
        }
        try (file) {
            byte[] eights = new byte[8 + random.nextInt(50_000)];
            Arrays.fill(eights, (byte) 8);
            file.write(ByteBuffer.wrap(eights), random.nextInt(200_000));
            if (random.nextInt(10) == 0) {
                file.truncate(random.nextInt(200_000));
            }
            ByteBuffer read = ByteBuffer.allocate(60_000);
            int count = file.read(read, random.nextInt(200_000));
            for (int i = 0; i < count; i++) {
                assertTrue(read.get(i) == 0 || read.get(i) == 8, "a byte that nobody wrote: " + read.get(i));
            }
            mapSome(name, random);
        }
    }

    private void mapSome(String name, SplittableRandom random) throws IOException {
        try (ReadMapping mapping = memory.mapReadOnly(name, 1 + random.nextInt(100_000))) {
            byte last =
                    mapping.memory().get(ValueLayout.JAVA_BYTE, mapping.memory().byteSize() - 1);
            assertTrue(last == 0 || last == 8, "a byte that nobody wrote: " + last);
        } catch (EOFException | NoSuchFileException e) {
            assertTrue(memory.openResources() > 0, "only the mapping failed");
        }
    }
}
