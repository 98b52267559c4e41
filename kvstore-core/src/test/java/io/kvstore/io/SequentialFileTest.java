package io.kvstore.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On the file system of temporary directories, which may be one that knows only reads through the cache. */
final class SequentialFileTest {

    private static final int UNIT = StorageFile.UNCACHED_UNIT_BYTES;
    private static final int BLOCK = SequentialFile.BLOCK_BYTES;
    private static final int LEAST = UncachedWrites.LEAST_BYTES;

    private final Path directory;
    private final RealStorage storage;
    private final Random random = new Random(48);

    SequentialFileTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        this.storage = new RealStorage(directory);
    }

    @AfterEach
    void nothingIsLeftOpen() {
        assertEquals(0, storage.openResources());
    }

    /** A durable file, whole units of which went past the cache if they can. */
    private byte[] written(int count, boolean cached) throws IOException {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        ByteBuffer source =
                Arena.ofAuto().allocate(Math.max(1, count), UNIT).asByteBuffer().limit(count);
        source.duplicate().put(bytes);
        try (StorageFile file = storage.create("a")) {
            if (cached) {
                file.write(source, 0);
            } else {
                long _ = file.writeUncached(source, 0);
            }
            file.sync();
        }
        return bytes;
    }

    private StorageFile opened() throws IOException {
        return storage.openSequential("a");
    }

    private boolean isCached(long from, long bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mapped =
                    RealMapping.map(directory.resolve("a"), from + bytes, FileChannel.MapMode.READ_ONLY, arena);
            return mapped.asSlice(from, bytes).isLoaded();
        }
    }

    private static byte[] read(StorageFile file, long at, int count) throws IOException {
        byte[] target = new byte[count];
        file.readFully(ByteBuffer.wrap(target), at);
        return target;
    }

    @Test
    void pieces_of_all_lengths_are_what_was_written() throws IOException {
        for (boolean cached : new boolean[] {true, false}) {
            byte[] bytes = written(3 * BLOCK + UNIT + 17, cached);
            try (StorageFile file = opened()) {
                int at = 0;
                while (at < bytes.length) {
                    int count = Math.min(bytes.length - at, 1 + random.nextInt(random.nextBoolean() ? 100 : 2 * BLOCK));
                    assertArrayEquals(Arrays.copyOfRange(bytes, at, at + count), read(file, at, count));
                    at += count;
                }
                assertEquals(-1, file.read(ByteBuffer.allocate(1), at));
                assertEquals(0, file.read(ByteBuffer.allocate(0), 0));
                assertThrows(EOFException.class, () -> read(file, bytes.length - 1, 2));
                assertArrayEquals(Arrays.copyOfRange(bytes, 5, 50), read(file, 5, 45), "back at the beginning");
            }
            storage.delete("a");
        }
    }

    @Test
    void files_of_all_lengths_around_the_limits_are_read_whole() throws IOException {
        for (int limit : new int[] {LEAST, LEAST + UNIT, BLOCK, BLOCK + UNIT}) {
            for (int bytes : new int[] {limit - 1, limit, limit + 1}) {
                byte[] all = written(bytes, false);
                try (StorageFile file = opened()) {
                    assertArrayEquals(all, read(file, 0, bytes), bytes + " bytes");
                }
                storage.delete("a");
            }
        }
    }

    @Test
    void what_the_cache_lacks_is_not_in_it_afterwards() throws IOException {
        int bytes = 4 * BLOCK;
        byte[] all = written(bytes, false);
        Assumptions.assumeFalse(isCached(0, UNIT), "here all is written through the cache");
        try (StorageFile file = opened()) {
            Assumptions.assumeTrue(file instanceof SequentialFile, "no reads past the cache here");
            assertArrayEquals(all, read(file, 0, bytes));
        }
        for (int at = 0; at < bytes; at += BLOCK) {
            assertEquals(false, isCached(at, UNIT), "the block at " + at + " went through the cache");
        }
    }

    @Test
    void short_files_need_no_block() throws IOException {
        written(LEAST - 1, false);
        try (StorageFile file = opened()) {
            assertInstanceOf(RealFile.class, file);
        }
    }

    /** As on a file system without reads past the cache, or without mappings. */
    @Test
    void a_file_that_cannot_be_read_past_the_cache_is_read_through_it() throws IOException {
        byte[] all = written(BLOCK, false);
        storage.create("shorter").close();
        for (String other : new String[] {"missing", "shorter"}) {
            AtomicInteger opened = new AtomicInteger();
            try (StorageFile cached = storage.openReadOnly("a")) {
                assertSame(cached, SequentialFile.of(directory.resolve(other), cached, opened));
                assertArrayEquals(all, read(cached, 0, BLOCK));
            }
            assertEquals(0, opened.get());
        }
    }

    /** Bytes that are only in the cache are read, too. Bytes that come later to a block that was read are not seen. */
    @Test
    void bytes_that_the_disk_lacks_are_read() throws IOException {
        byte[] all = written(2 * BLOCK, false);
        byte[] changed = new byte[100];
        random.nextBytes(changed);
        try (StorageFile writer = storage.open("a");
                StorageFile file = opened()) {
            assertArrayEquals(Arrays.copyOf(all, UNIT), read(file, 0, UNIT));
            writer.write(ByteBuffer.wrap(changed), BLOCK + 7);
            writer.write(ByteBuffer.wrap(changed), 2 * BLOCK);
            assertArrayEquals(changed, read(file, BLOCK + 7, changed.length));
            assertArrayEquals(changed, read(file, 2 * BLOCK, changed.length), "the file has grown");
        }
    }

    @Test
    void a_file_that_is_cut_meanwhile_ends_there() throws IOException {
        written(3 * BLOCK, false);
        try (StorageFile writer = storage.open("a");
                StorageFile file = opened()) {
            read(file, 0, UNIT);
            writer.truncate(BLOCK + 5);
            assertEquals(5, read(file, BLOCK, 5).length);
            assertThrows(EOFException.class, () -> read(file, BLOCK, 6));
            assertEquals(BLOCK + 5, file.size());
        }
    }

    @Test
    void writes_are_refused_and_a_second_close_does_nothing() throws IOException {
        written(BLOCK, false);
        StorageFile file = opened();
        assertThrows(IOException.class, () -> file.write(ByteBuffer.allocate(1), 0));
        assertThrows(IOException.class, () -> file.truncate(0));
        assertEquals("a", file.path());
        file.close();
        file.close();
    }
}
