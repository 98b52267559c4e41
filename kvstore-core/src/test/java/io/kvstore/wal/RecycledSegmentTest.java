package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.io.StorageFile;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.SimStorage;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.segment.LogConfig.Landing;
import io.kvstore.wal.segment.SegmentPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Segments in their second life: nothing of the first is ever taken for the log. */
final class RecycledSegmentTest {

    private static final int HEAD = LogFormat.SEGMENT_HEADER_BYTES;

    /** Fills segments and frees them, until prepared ones are full of old frames. */
    private static WriteAheadLog recycled(LogBench bench) throws IOException {
        WriteAheadLog log = bench.open();
        for (int i = 0; i < 1_000; i++) {
            LogBench.append(log, LogBench.put(700));
            bench.background.runAll();
            if (i % 200 == 199) {
                log.sync(log.lastLsn());
                log.space().deleteBefore(log.space().firstNeededSegment(table -> log.durableLsn()));
            }
        }
        return log;
    }

    private static byte[] content(SimStorage disk, String name) throws IOException {
        try (StorageFile file = disk.openReadOnly("wal/" + name)) {
            byte[] bytes = new byte[(int) file.size()];
            file.readFully(ByteBuffer.wrap(bytes), 0);
            return bytes;
        }
    }

    private static boolean hasOnlyZeros(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    @ParameterizedTest
    @EnumSource(Landing.class)
    void a_freed_segment_waits_under_a_new_id_with_an_empty_head(Landing landing) throws IOException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = recycled(bench);
        String current = SegmentPool.pathOf(bench.config, log.currentSegment());
        List<String> prepared = bench.disk.list("wal").stream()
                .filter(name -> ("wal/" + name).compareTo(current) > 0)
                .toList();
        assertTrue(prepared.size() > 1, prepared.toString());
        int full = 0;
        for (String name : prepared) {
            byte[] bytes = content(bench.disk, name);
            assertEquals(bench.config.segmentBytes(), bytes.length);
            assertTrue(hasOnlyZeros(bytes, 0, HEAD), name);
            full += hasOnlyZeros(bytes, HEAD, bytes.length) ? 0 : 1;
        }
        assertTrue(full > 0, "no segment was recycled, so this tests nothing");
        log.close();
    }

    @ParameterizedTest
    @EnumSource(Landing.class)
    void a_log_closed_in_order_has_no_torn_end(Landing landing) throws IOException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = recycled(bench);
        long first = log.currentSegment();
        log.close();
        LogBench after = bench.on(bench.disk);
        after.open(first, first, 0).close();
        LogRecovery recovery = after.recovery;
        assertEquals(0, recovery == null ? -1 : recovery.tornBytes());
    }

    @ParameterizedTest
    @EnumSource(Landing.class)
    void after_any_crash_the_log_ends_where_its_own_records_end(Landing landing) throws IOException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = recycled(bench);
        long first = log.space().firstNeededSegment(table -> log.durableLsn());
        long durable = log.durableLsn();
        for (int i = 0; i < 150; i++) {
            log.land(LogBench.append(log, LogBench.put(700)));
            bench.background.runAll();
        }
        assertFalse(log.currentSegment() == first, "the crash should come in a recycled segment");
        for (long seed = 0; seed < 200; seed++) {
            LogBench after = bench.on(bench.disk.crash(new CrashChoice.Random(seed, seed % 2 == 0)));
            after.open(first, first, 0).close();
            long last = after.replayed.isEmpty() ? 0 : after.replayed.getLast();
            assertTrue(last >= durable && last <= log.lastLsn(), "seed " + seed + ": " + last);
            long[] expected =
                    LongStream.rangeClosed(after.replayed.getFirst(), last).toArray();
            assertArrayEquals(
                    expected, after.replayed.stream().mapToLong(Long::longValue).toArray(), "seed " + seed);
        }
        log.close();
    }

    /** The catalog may name it, so it has to be found after a power loss: of the one behind it not even the head is durable. */
    @ParameterizedTest
    @EnumSource(Landing.class)
    void the_first_segment_that_is_needed_is_durable(Landing landing) throws IOException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = bench.open();
        log.sync(LogBench.append(log, LogBench.put(700)));
        long synced = log.currentSegment();
        while (log.currentSegment() == synced) {
            LogBench.append(log, LogBench.put(700));
        }
        long first = log.space().firstNeededSegment(table -> Long.MAX_VALUE);
        LogBench after = bench.on(bench.disk.crash(new CrashChoice.DropAll()));
        after.open(first, first, 0).close();
        assertEquals(1, after.replayed.getFirst());
        log.close();
    }

    /** The oldest segment may hold nothing but where another one ended that is gone. */
    @ParameterizedTest
    @EnumSource(Landing.class)
    void how_far_the_log_reached_is_known_after_any_number_of_kills(Landing landing) throws IOException {
        int moved = 0;
        for (int last = 0; last < 2_100; last += 8) {
            LogBench bench = LogBench.create(landing);
            WriteAheadLog log = bench.open();
            while (log.stats().recordBytes() < (64 << 10) - LogFormat.SEGMENT_HEADER_BYTES - 2_000) {
                LogBench.append(log, LogBench.put(900));
            }
            bench.background.runAll();
            long records = LogBench.append(log, LogBench.put(last));
            log.sync(records);
            long first = log.space().firstNeededSegment(table -> records);
            moved += first > 2 ? 1 : 0;
            log.space().deleteBefore(first);
            SimStorage disk = bench.disk;
            for (int kills = 0; kills < 3; kills++) {
                disk = disk.kill();
                LogBench after = bench.on(disk);
                after.open(first, first, records);
                LogRecovery recovery = after.recovery;
                long known = recovery == null ? -1 : recovery.knownLsn();
                assertTrue(known >= records, "last record of " + last + ": " + known + " of " + records);
            }
            log.close();
        }
        assertTrue(moved > 1, "no segment began with a watermark, so this tests nothing");
    }
}
