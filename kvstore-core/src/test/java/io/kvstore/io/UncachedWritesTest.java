package io.kvstore.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On the file system of temporary directories, which may be one that knows only writes through the cache. */
final class UncachedWritesTest {

    private static final int BLOCK = StorageFile.UNCACHED_UNIT_BYTES;
    private static final int LEAST = UncachedWrites.LEAST_BYTES;

    private final RealStorage storage;
    private final Random random = new Random(27);

    UncachedWritesTest(@TempDir Path directory) throws IOException {
        this.storage = new RealStorage(directory);
    }

    @AfterEach
    void nothingIsLeftOpen() {
        assertEquals(0, storage.openResources());
    }

    private byte[] bytes(int count) {
        byte[] result = new byte[count];
        random.nextBytes(result);
        return result;
    }

    /** What lies behind a place of aligned memory. */
    private static ByteBuffer direct(byte[] bytes, int place) {
        MemorySegment memory = Arena.ofAuto().allocate((long) place + bytes.length, BLOCK);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, place, bytes.length);
        return memory.asByteBuffer().position(place);
    }

    private static ByteBuffer direct(byte[] bytes) {
        return direct(bytes, 0);
    }

    private boolean isSupported() throws IOException {
        try (StorageFile probe = storage.create("probe")) {
            return probe.writeUncached(direct(new byte[LEAST]), 0) > 0;
        }
    }

    /** What is appended ends anywhere, or begins anywhere in memory or in the file; it is read through mappings meanwhile. */
    @Test
    void what_is_appended_in_all_lengths_is_what_is_read() throws IOException {
        byte[] all = bytes(24 << 20);
        try (StorageFile file = storage.create("a")) {
            int at = 0;
            long uncached = 0;
            while (at < all.length) {
                int count = random.nextInt(4 * LEAST);
                if (random.nextInt(3) > 0) {
                    count = Math.ceilDiv(count, BLOCK) * BLOCK;
                }
                byte[] part = Arrays.copyOfRange(all, at, Math.min(all.length, at + count));
                ByteBuffer source = direct(part, random.nextInt(4) == 0 ? random.nextInt(2 * BLOCK) : 0);
                uncached += file.writeUncached(source, at);
                assertEquals(0, source.remaining());
                at += part.length;
                assertEquals(at, file.size());
                checkMapped(all, at);
                at = at % BLOCK == 0 || random.nextBoolean() ? at : at / BLOCK * BLOCK;
            }
            byte[] read = new byte[all.length];
            file.readFully(ByteBuffer.wrap(read), 0);
            assertArrayEquals(all, read);
            file.sync();
            assertEquals(isSupported(), uncached > all.length / 4, uncached + " bytes past the cache");
        }
    }

    private void checkMapped(byte[] all, int end) throws IOException {
        if (end == 0) {
            return;
        }
        try (ReadMapping mapping = storage.mapReadOnly("a", end)) {
            int from = Math.max(0, end - 3 * BLOCK);
            assertArrayEquals(
                    Arrays.copyOfRange(all, from, end),
                    mapping.memory().asSlice(from, end - from).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** A file that is used again: neither what is read nor what a reader has mapped is of before. */
    @Test
    void what_the_cache_has_of_before_is_not_read() throws IOException {
        byte[] before = bytes(LEAST + 3 * BLOCK);
        byte[] after = bytes(before.length);
        try (StorageFile file = storage.create("a")) {
            file.write(ByteBuffer.wrap(before), 0);
            try (ReadMapping mapping = storage.mapReadOnly("a", before.length)) {
                assertArrayEquals(before, mapping.memory().toArray(ValueLayout.JAVA_BYTE));
                file.writeUncached(direct(after), 0);
                assertArrayEquals(after, mapping.memory().toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    @Test
    void whole_blocks_go_past_the_cache_where_there_are_enough() throws IOException {
        boolean supported = isSupported();
        try (StorageFile file = storage.create("a")) {
            int most = supported ? LEAST : 0;
            assertEquals(0, file.writeUncached(direct(bytes(LEAST - 1)), 0));
            assertEquals(most, file.writeUncached(direct(bytes(LEAST)), 0));
            assertEquals(most, file.writeUncached(direct(bytes(LEAST + 1)), 0));
            assertEquals(most, file.writeUncached(direct(bytes(LEAST), BLOCK), BLOCK));
            assertEquals(0, file.writeUncached(direct(bytes(LEAST)), BLOCK - 1), "within a block of the file");
            assertEquals(0, file.writeUncached(direct(bytes(LEAST), 8), 0), "not aligned in memory");
            assertEquals(0, file.writeUncached(ByteBuffer.wrap(bytes(LEAST)), 0), "on the heap");
            assertEquals(0, file.writeUncached(direct(bytes(0)), 0));
        }
    }

    /** A file that cannot be opened once more stands for a file system that takes no such writes. */
    @Test
    void where_it_is_refused_all_goes_through_the_cache() throws IOException {
        byte[] all = bytes(3 * LEAST + 5);
        try (StorageFile file = storage.create("a")) {
            storage.delete("a");
            assertEquals(0, file.writeUncached(direct(all), BLOCK));
            byte[] read = new byte[all.length];
            file.readFully(ByteBuffer.wrap(read), BLOCK);
            assertArrayEquals(all, read);
        }
        assertFalse(isSupported(), "it is not tried again");
    }

    @Test
    void a_file_that_is_open_for_reading_only_is_not_written() throws IOException {
        storage.create("a").close();
        try (StorageFile file = storage.openReadOnly("a")) {
            ByteBuffer some = direct(bytes(LEAST + 1));
            IOException refusal = assertThrows(IOException.class, () -> file.writeUncached(some, 0));
            assertTrue(String.valueOf(refusal.getMessage()).contains("reading only"), refusal.getMessage());
            assertEquals(0, file.size());
        }
    }
}
