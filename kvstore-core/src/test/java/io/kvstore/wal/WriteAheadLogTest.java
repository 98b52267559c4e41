package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.CorruptionException;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.Operation;
import io.kvstore.testkit.SimStorage;
import io.kvstore.wal.format.FrameScanner;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.segment.LogConfig.Landing;
import io.kvstore.wal.segment.SegmentPool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the log promises: order, durability, the judgement of a damaged end, room on a full disk. */
final class WriteAheadLogTest {

    private static List<Long> upTo(long lsn) {
        return LongStream.rangeClosed(1, lsn).boxed().toList();
    }

    @ParameterizedTest
    @EnumSource(Landing.class)
    void records_come_back_in_order_over_many_segments(Landing landing) throws IOException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = bench.open();
        for (int i = 1; i <= 1_000; i++) {
            assertEquals(i, LogBench.append(log, LogBench.put(500)));
        }
        assertTrue(log.sync(1_000));
        LogBench after = bench.on(bench.disk.crash(new CrashChoice.DropAll()));
        after.open().close();
        assertEquals(upTo(1_000), after.replayed);
        log.close();
        assertEquals(0, bench.disk.openResources());
    }

    @ParameterizedTest
    @EnumSource(Landing.class)
    void what_has_landed_survives_a_kill(Landing landing) throws IOException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = bench.open();
        for (int i = 1; i <= 50; i++) {
            assertTrue(log.land(LogBench.append(log, LogBench.put(i))));
        }
        LogBench after = bench.on(bench.disk.kill());
        after.open().close();
        assertEquals(upTo(50), after.replayed);
        log.close();
    }

    /** What replay leaves out keeps its segment all the same, until the table says that it is durable elsewhere. */
    @ParameterizedTest
    @EnumSource(Landing.class)
    void replay_leaves_out_what_the_table_has_and_notes_it(Landing landing) throws IOException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = bench.open();
        for (int i = 1; i <= 1_000; i++) {
            LogBench.append(log, LogBench.put(500));
        }
        assertTrue(log.sync(1_000));
        bench.clock.advance(60);
        log.tick(); // which states it
        long[] needed = new long[1_001];
        long[] opened = new long[1_002];
        for (long leftOut : new long[] {-1, 0, 1, 400, 950, 999, 1_000}) {
            FaultyStorage counting = new FaultyStorage(bench.disk.kill());
            LogBench after = new LogBench(bench.disk, counting, landing);
            after.leftOutLsn = table -> leftOut;
            WriteAheadLog again = after.open();
            assertEquals(upTo(1_000).subList((int) Math.max(0, leftOut), 1_000), after.replayed);
            for (int held = 0; held <= 1_000; held++) {
                long lsn = held;
                long first = again.space().firstNeededSegment(table -> lsn);
                assertEquals(leftOut == -1 ? first : needed[held], first, "with " + held + " held");
                needed[held] = first;
            }
            opened[(int) leftOut + 1] = counting.counts().getOrDefault(Operation.OPEN, 0L);
            again.close();
        }
        assertTrue(needed[0] < needed[500] && needed[500] < needed[1_000]);
        // segments of which nothing is needed are read once less
        long all = opened[0];
        assertEquals(all, opened[2]);
        assertEquals(needed[400] - needed[0], all - opened[401]);
        assertEquals(needed[999] - needed[0], all - opened[1_001]);
        log.close();
    }

    @ParameterizedTest
    @EnumSource(Landing.class)
    void what_survives_a_power_loss_is_a_prefix_with_all_that_was_synced(Landing landing) throws IOException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = bench.open();
        for (int i = 1; i <= 20; i++) {
            log.land(LogBench.append(log, LogBench.put(700)));
        }
        log.sync(20);
        for (int i = 21; i <= 30; i++) {
            log.land(LogBench.append(log, LogBench.put(700)));
        }
        for (long seed = 0; seed < 200; seed++) {
            LogBench after = bench.on(bench.disk.crash(new CrashChoice.Random(seed, seed % 2 == 0)));
            after.open().close();
            assertTrue(after.replayed.size() >= 20, "seed " + seed);
            assertEquals(upTo(after.replayed.size()), after.replayed, "seed " + seed);
        }
        log.close();
    }

    @ParameterizedTest
    @EnumSource(Landing.class)
    void a_segment_that_is_full_to_the_last_byte_is_sealed_in_it(Landing landing) throws IOException {
        for (int last = 0; last < 2_100; last += 8) {
            LogBench bench = LogBench.create(landing);
            WriteAheadLog log = bench.open();
            long records = 0;
            while (log.stats().recordBytes() < (64 << 10) - LogFormat.SEGMENT_HEADER_BYTES - 2_000) {
                records = LogBench.append(log, LogBench.put(900));
            }
            records = LogBench.append(log, LogBench.put(last));
            bench.background.runAll();
            log.close();
            assertNull(bench.failure.get(), "last record of " + last);
            assertEquals(0, bench.disk.openResources());
            LogBench after = bench.on(bench.disk);
            after.open().close();
            assertEquals(upTo(records), after.replayed);
        }
    }

    @Test
    void damage_below_a_watermark_is_corruption_and_above_it_a_torn_end() throws IOException {
        LogBench bench = LogBench.create(Landing.STAGED);
        WriteAheadLog log = bench.open();
        log.sync(LogBench.append(log, LogBench.put(100)));
        log.sync(LogBench.append(log, LogBench.put(100)));
        String path = SegmentPool.pathOf(bench.config, log.currentSegment());
        int second = secondRecord(bench.disk.kill(), path);

        // the second record is the last: nothing states yet that it was durable. This is the one exempt window.
        SimStorage unstated = bench.disk.kill();
        flip(unstated, path, second + 40);
        LogBench torn = bench.on(unstated);
        torn.open().close();
        assertEquals(List.of(1L), torn.replayed);
        assertTrue(assertNotNullRecovery(torn).tornBytes() > 0);

        // 50 ms later an idle log has stated it
        bench.clock.advance(60);
        log.tick();
        SimStorage stated = bench.disk.kill();
        flip(stated, path, second + 40);
        CorruptionException e =
                assertThrows(CorruptionException.class, () -> bench.on(stated).open());
        assertEquals(path, e.file());
        assertEquals(second, e.offset());
        log.close();
    }

    private static LogRecovery assertNotNullRecovery(LogBench bench) {
        LogRecovery recovery = bench.recovery;
        assertNotNull(recovery);
        return recovery;
    }

    private static int secondRecord(SimStorage disk, String path) throws IOException {
        List<Long> places = new ArrayList<>();
        try (FrameScanner scanner = new FrameScanner(
                disk.openReadOnly(path), segmentOf(path), LogFormat.SEGMENT_HEADER_BYTES, Long.MAX_VALUE)) {
            while (scanner.next()) {
                if (scanner.isRecord()) {
                    places.add(scanner.position());
                }
            }
        }
        return places.get(1).intValue();
    }

    private static long segmentOf(String path) {
        return Long.parseLong(path.substring(4, 20));
    }

    private static void flip(SimStorage disk, String path, int at) throws IOException {
        byte[] bytes = disk.bytes(path);
        bytes[at] ^= 1;
        disk.replace(path, bytes);
    }

    @Test
    void a_missing_or_shortened_segment_is_noticed() throws IOException {
        LogBench bench = LogBench.create(Landing.STAGED);
        WriteAheadLog log = bench.open();
        long first = log.currentSegment();
        while (log.currentSegment() < first + 3) {
            log.sync(LogBench.append(log, LogBench.put(5_000)));
        }
        for (long id = first; id < first + 4; id++) {
            String path = SegmentPool.pathOf(bench.config, id);
            SimStorage missing = bench.disk.kill();
            missing.delete(path);
            assertThrows(CorruptionException.class, () -> bench.on(missing).open(), "without " + path);
            SimStorage shortened = bench.disk.kill();
            shortened.replace(path, Arrays.copyOf(shortened.bytes(path), 8_192));
            assertThrows(CorruptionException.class, () -> bench.on(shortened).open(), "with half of " + path);
        }
        log.close();
    }

    @Test
    void the_next_lsn_is_above_everything_known() throws IOException {
        LogBench bench = LogBench.create(Landing.STAGED);
        WriteAheadLog log = bench.open();
        LogBench.append(log, LogBench.put(1));
        log.close();
        WriteAheadLog again = bench.open(1, 1, 500);
        assertEquals(501, LogBench.append(again, LogBench.put(1)));
        assertEquals(502, again.claim());
        again.close();
    }

    @Test
    void recovery_can_be_killed_at_any_operation_and_makes_no_garbage() throws IOException {
        LogBench bench = LogBench.create(Landing.STAGED);
        WriteAheadLog log = bench.open();
        for (int i = 1; i <= 200; i++) {
            log.land(LogBench.append(log, LogBench.put(900)));
        }
        log.sync(100);
        SimStorage left = bench.disk.kill();
        List<SimStorage> images = new ArrayList<>();
        SimStorage work = left.kill();
        work.observe(() -> {
            images.add(work.kill());
            images.add(work.crash(new CrashChoice.DropAll()));
        });
        bench.on(work).open().close();
        for (SimStorage image : images) {
            LogBench after = bench.on(image);
            after.open().close();
            assertEquals(200, after.replayed.size());
        }
        assertTrue(images.size() > 20, images.size() + " images");
        log.close();
    }

    @Test
    void a_full_disk_rejects_puts_and_still_takes_removals() throws IOException {
        LogBench bench = LogBench.create(Landing.STAGED);
        WriteAheadLog log = bench.open();
        bench.background.runAll();
        bench.disk.setCapacity(bench.disk.files().stream().mapToLong(this::size).sum());
        long accepted = 0;
        try {
            for (; accepted < 10_000; accepted++) {
                log.sync(LogBench.append(log, LogBench.put(1_000)));
            }
        } catch (DiskFullException e) {
            assertTrue(accepted > 10, accepted + " puts were taken");
        }
        assertTrue(accepted < 10_000);
        long last = log.lastLsn();
        assertThrows(DiskFullException.class, () -> LogBench.append(log, LogBench.put(1_000)));
        assertEquals(last, log.lastLsn(), "a rejected write leaves no trace");
        for (int i = 0; i < 100; i++) {
            assertTrue(log.sync(LogBench.append(log, LogBench.remove())));
        }
        bench.disk.setCapacity(Long.MAX_VALUE);
        assertTrue(log.sync(LogBench.append(log, LogBench.put(1_000))), "it resumes by itself");
        assertNull(bench.failure.get());
        log.close();
    }

    private long size(String path) {
        return 64 << 10;
    }

    @ParameterizedTest
    @EnumSource(Landing.class)
    void a_record_larger_than_a_segment_gets_one_of_its_own_size(Landing landing) throws IOException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = bench.open();
        for (int size : new int[] {10, 60_000, 65_536, 200_000, 10, 1_000_000, 10}) {
            assertTrue(log.sync(LogBench.append(log, LogBench.put(size))));
        }
        LogBench after = bench.on(bench.disk.crash(new CrashChoice.DropAll()));
        after.open().close();
        assertEquals(upTo(7), after.replayed);
        log.close();
    }

    @Test
    void segments_go_when_no_table_needs_them() throws IOException {
        LogBench bench = LogBench.create(Landing.STAGED);
        WriteAheadLog log = bench.open();
        for (int i = 1; i <= 300; i++) {
            log.sync(LogBench.append(log, LogBench.put(1_000)));
        }
        long all = log.stats().segments();
        long needed = log.space().firstNeededSegment(table -> 150);
        log.space().deleteBefore(needed);
        assertTrue(log.stats().segments() < all);
        LogBench after = bench.on(bench.disk.kill());
        after.open(needed, needed, 0).close();
        assertTrue(after.replayed.containsAll(
                LongStream.rangeClosed(151, 300).boxed().toList()));
        assertTrue(log.space().firstNeededSegment(table -> 300) == log.currentSegment());
        log.close();
    }

    @Test
    void after_a_failure_nothing_is_written_and_what_was_durable_is_known() throws IOException {
        LogBench bench = LogBench.create(Landing.STAGED);
        WriteAheadLog log = bench.open();
        log.sync(LogBench.append(log, LogBench.put(1)));
        long unsynced = LogBench.append(log, LogBench.put(1));
        log.fail(new IOException("planted"));
        assertThrows(StoreFailedException.class, () -> log.append(LogBench.put(1), false));
        assertTrue(log.sync(1));
        assertFalse(log.sync(unsynced));
        assertNotNull(bench.failure.get());
        log.close();
        assertEquals(0, bench.disk.openResources());
    }
}
