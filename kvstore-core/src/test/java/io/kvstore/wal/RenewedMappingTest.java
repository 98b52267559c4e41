package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.kvstore.io.RealStorage;
import io.kvstore.io.StorageFile;
import io.kvstore.io.WritableMapping;
import io.kvstore.wal.segment.MappedSegment;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A mapped segment of which much is to be synced goes on in another mapping. */
final class RenewedMappingTest {

    private static final int CAPACITY = 64 << 10;

    /** A mapping that notes what is asked of it under its number. */
    private record Noted(int number, MemorySegment memory, List<String> calls, boolean renews)
            implements WritableMapping {

        static Noted first(boolean renews) {
            return new Noted(1, Arena.ofAuto().allocate(CAPACITY), new ArrayList<>(), renews);
        }

        @Override
        public void force(long offset, long bytes) {
            calls.add(number + " force " + offset + "+" + bytes);
        }

        @Override
        public void forceAndClose() {
            calls.add(number + " force and close");
        }

        @Override
        public @Nullable WritableMapping renew() throws IOException {
            if (!renews) {
                throw new IOException("planted: too many open files");
            }
            return new Noted(number + 1, memory, calls, true);
        }

        @Override
        public void close() {
            calls.add(number + " close");
        }
    }

    /** What a leader does. */
    private static void sync(MappedSegment segment, long end) throws IOException {
        segment.prepareSync(end);
        segment.capture(end);
        segment.sync();
    }

    @Test
    void more_than_a_sixteenth_of_the_segment_is_synced_unmapped() throws IOException {
        for (int bytes : new int[] {CAPACITY / 16 - 1, CAPACITY / 16, CAPACITY / 16 + 1}) {
            Noted mapping = Noted.first(true);
            MappedSegment segment = new MappedSegment(2, "wal/noted", mapping);
            sync(segment, 100);
            sync(segment, 100 + bytes);
            assertEquals(
                    List.of("1 force 0+100", bytes > CAPACITY / 16 ? "1 force and close" : "1 force 100+" + bytes),
                    mapping.calls());
            sync(segment, 110 + bytes);
            String second = bytes > CAPACITY / 16 ? "2" : "1";
            assertEquals(
                    second + " force " + (100 + bytes) + "+10", mapping.calls().getLast());
            segment.finish();
            assertEquals(second + " force and close", mapping.calls().getLast());
        }
    }

    @Test
    void a_segment_that_cannot_be_mapped_once_more_is_synced_all_the_same() throws IOException {
        Noted mapping = Noted.first(false);
        MappedSegment segment = new MappedSegment(2, "wal/noted", mapping);
        sync(segment, CAPACITY / 2);
        assertEquals(List.of("1 force 0+" + CAPACITY / 2), mapping.calls());
    }

    /** Prepared as the current one, captured as full; or closed before it was captured, or before it was synced. */
    @Test
    void no_mapping_is_left_open() throws IOException {
        Noted full = Noted.first(true);
        MappedSegment segment = new MappedSegment(2, "wal/noted", full);
        segment.prepareSync(CAPACITY / 2);
        segment.capture(CAPACITY);
        segment.finish();
        assertEquals(List.of("1 force and close", "2 force and close"), full.calls());
        Noted prepared = Noted.first(true);
        segment = new MappedSegment(2, "wal/noted", prepared);
        segment.prepareSync(CAPACITY / 2);
        segment.close();
        assertEquals(List.of("1 close", "2 close"), prepared.calls());
        Noted captured = Noted.first(true);
        segment = new MappedSegment(2, "wal/noted", captured);
        segment.prepareSync(CAPACITY / 2);
        segment.capture(CAPACITY / 2);
        segment.close();
        assertEquals(List.of("2 close", "1 close"), captured.calls());
    }

    /** A writer and one who populates pages go on while the mapping changes under them. */
    @Test
    void what_is_stored_meanwhile_is_in_the_file(@TempDir Path directory) throws Exception {
        int capacity = 4 << 20;
        RealStorage storage = new RealStorage(directory);
        try (StorageFile file = storage.create("segment")) {
            file.write(ByteBuffer.allocate(capacity), 0);
        }
        MappedSegment segment = new MappedSegment(2, "segment", storage.map("segment", capacity));
        byte[] expected = new byte[capacity];
        ReentrantLock lock = new ReentrantLock();
        int[] position = new int[1];
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread.Builder threads =
                Thread.ofPlatform().uncaughtExceptionHandler((thread, e) -> failure.compareAndSet(null, e));
        Thread populating = threads.start(() -> {
            while (!done.get()) {
                segment.populate(0, capacity);
                Thread.onSpinWait();
            }
        });
        Thread writing = threads.start(() -> {
            Random random = new Random(3);
            byte[] record = new byte[61];
            while (position[0] + record.length <= capacity) {
                random.nextBytes(record);
                lock.lock();
                try {
                    segment.put(record, 0, record.length, position[0]);
                    System.arraycopy(record, 0, expected, position[0], record.length);
                    position[0] += record.length;
                } finally {
                    lock.unlock();
                }
            }
        });
        int captured = 0;
        while (captured < capacity - 61 && failure.get() == null) {
            segment.prepareSync(captured + capacity / 16 + 1);
            lock.lock();
            try {
                captured = position[0];
                segment.capture(captured);
            } finally {
                lock.unlock();
            }
            segment.sync();
        }
        writing.join();
        segment.finish();
        done.set(true);
        populating.join();
        assertNull(failure.get());
        assertArrayEquals(expected, Files.readAllBytes(directory.resolve("segment")));
        assertEquals(0, storage.openResources());
    }
}
