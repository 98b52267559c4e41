package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.kvstore.io.WritableMapping;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.segment.ActiveSegment;
import io.kvstore.wal.segment.LogConfig;
import io.kvstore.wal.segment.LogSegment;
import io.kvstore.wal.segment.MappedSegment;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Pages of a mapped segment are made ready ahead of where the log is written. */
final class PopulatedPagesTest {

    private static final long MIB = 1 << 20;

    private record Mapped(Arena arena, MemorySegment memory) implements WritableMapping {

        static Mapped of(long bytes) {
            Arena arena = Arena.ofShared();
            return new Mapped(arena, arena.allocate(bytes, 4_096));
        }

        @Override
        public void force(long offset, long bytes) {
            // memory only
        }

        @Override
        public void close() {
            arena.close();
        }
    }

    /** A segment that only notes what is populated. */
    private record Noting(long capacity, boolean hasPages, List<String> populated) implements LogSegment {

        @Override
        public long id() {
            return 1;
        }

        @Override
        public String path() {
            return "wal/noting";
        }

        @Override
        public void reserve(long bytes) {
            // there is nothing to take
        }

        @Override
        public void populate(long from, long to) {
            populated.add(from + " to " + to);
        }

        @Override
        public void put(byte[] source, int from, int length, long offset) {
            // nobody reads it
        }

        @Override
        public int checksum(long offset, int length) {
            return 0;
        }

        @Override
        public void capture(long end) {
            // nothing is synced
        }

        @Override
        public void land() {
            // nothing is synced
        }

        @Override
        public void sync() {
            // nothing is synced
        }

        @Override
        public void close() {
            // nothing is held
        }
    }

    private static List<String> populated(LogTail tail, Noting segment, LogRecord record) {
        long lsn = 1;
        while (tail.hasRoom(record.frameBytes())) {
            tail.append(lsn++, record);
            Runnable due = tail.populateAhead();
            if (due != null) {
                due.run();
            }
        }
        return List.copyOf(segment.populated);
    }

    /** From the second of 64 parts on, an eighth ahead, as soon as less than half of that is left, never beyond the end. */
    @Test
    void pages_are_populated_a_little_ahead() {
        LogRecord record = LogBench.put((int) (MIB / 2 - 200));
        long frame = record.frameBytes();
        long begin = LogFormat.SEGMENT_HEADER_BYTES;
        long first = begin + (MIB - begin + frame - 1) / frame * frame;
        long step = ((4 * MIB) / frame + 1) * frame;
        Noting segment = new Noting(64 * MIB, true, new ArrayList<>());
        LogTail tail = new LogTail(LogBench.STORE, segment, begin);
        List<String> expected = List.of(
                first + " to " + (first + 8 * MIB),
                (first + 8 * MIB) + " to " + (first + step + 8 * MIB),
                (first + step + 8 * MIB) + " to " + (first + 2 * step + 8 * MIB));
        assertEquals(expected, populated(tail, segment, record).subList(0, 3));
        String last = segment.populated.getLast();
        assertEquals(64 * MIB, Long.parseLong(last.substring(last.lastIndexOf(' ') + 1)));
        Noting next = new Noting(4 * MIB, true, new ArrayList<>());
        tail.moveTo(next, 100);
        long second = begin + frame;
        assertEquals(
                second + " to " + (second + MIB / 2),
                populated(tail, next, record).getFirst());
    }

    /** Who comes late populates what was not written meanwhile, and nothing of a segment that is full. */
    @Test
    void pages_that_were_written_meanwhile_are_left_out() {
        LogRecord record = LogBench.put((int) MIB);
        Noting segment = new Noting(64 * MIB, true, new ArrayList<>());
        LogTail tail = new LogTail(LogBench.STORE, segment, 2 * MIB);
        Runnable late = Objects.requireNonNull(tail.populateAhead());
        assertNull(tail.populateAhead(), "once is enough");
        tail.append(1, record);
        late.run();
        assertEquals(List.of(tail.position() + " to " + 10 * MIB), segment.populated);
        tail.moveTo(new Noting(64 * MIB, true, new ArrayList<>()), 1);
        late.run();
        assertEquals(1, segment.populated.size());
    }

    @Test
    void a_log_that_is_written_has_pages_populated_by_a_worker() throws IOException {
        LogBench bench = LogBench.create(LogConfig.Landing.MAPPED);
        Noting segment = new Noting(64 * MIB, true, new ArrayList<>());
        RecoveredLog recovered = new RecoveredLog(
                List.of(new ActiveSegment(1, segment.path(), segment.capacity())), segment, 2 * MIB, 0, 2);
        try (WriteAheadLog log = new WriteAheadLog(bench.config, recovered)) {
            LogBench.append(log, LogBench.put(100));
            assertEquals(List.of(), segment.populated, "the writer does not do it");
            bench.background.runAll();
            assertEquals(1, segment.populated.size());
        }
    }

    @Test
    void a_segment_without_pages_has_none_populated() {
        Noting segment = new Noting(18 * MIB, false, new ArrayList<>());
        assertEquals(
                List.of(),
                populated(
                        new LogTail(LogBench.STORE, segment, LogFormat.SEGMENT_HEADER_BYTES),
                        segment,
                        LogBench.put(100_000)));
        assertNull(new LogTail(LogBench.STORE, segment, 2 * MIB).populateAhead());
    }

    /** What is stored while pages are populated stays; a segment that was closed is left alone. */
    @Test
    void to_populate_pages_changes_nothing() throws IOException, InterruptedException {
        int bytes = (2 << 20) + 13;
        Mapped mapping = Mapped.of(bytes);
        MappedSegment segment = new MappedSegment(2, "wal/mapped", mapping);
        AtomicBoolean done = new AtomicBoolean();
        Thread populating = Thread.ofPlatform().start(() -> {
            while (!done.get()) {
                segment.populate(0, Long.MAX_VALUE);
                Thread.onSpinWait();
            }
        });
        byte[] record = new byte[1_009];
        Random random = new Random(7);
        byte[] expected = new byte[bytes];
        for (int round = 0; round < 40; round++) {
            for (int at = 0; at + record.length <= bytes; at += record.length) {
                random.nextBytes(record);
                System.arraycopy(record, 0, expected, at, record.length);
                segment.put(record, 0, record.length, at);
            }
        }
        assertArrayEquals(expected, mapping.memory().toArray(ValueLayout.JAVA_BYTE));
        segment.finish();
        done.set(true);
        populating.join();
        segment.populate(0, bytes);
    }
}
