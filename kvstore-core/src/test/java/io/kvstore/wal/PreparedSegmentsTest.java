package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.testkit.SimStorage;
import io.kvstore.wal.segment.LogConfig;
import io.kvstore.wal.segment.LogConfig.Landing;
import io.kvstore.wal.segment.LogFiles;
import io.kvstore.wal.segment.LogSegment;
import io.kvstore.wal.segment.SegmentPool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which segments are prepared, and when. */
final class PreparedSegmentsTest {

    private static final long MIB = 1 << 20;

    private static long preparedBehind(LogBench bench, long segment) throws IOException {
        String current = SegmentPool.pathOf(bench.config, segment);
        return bench.disk.list("wal").stream()
                .filter(name -> ("wal/" + name).compareTo(current) > 0)
                .count();
    }

    @Test
    void the_first_segments_are_small_and_none_is_more_than_twice_the_one_before() throws IOException {
        LogBench bench = new LogBench(new SimStorage(), Landing.STAGED);
        bench.disk.createDirectory("wal");
        LogConfig config = bench.config;
        LogConfig larger = new LogConfig(
                config.storage(),
                config.directory(),
                config.storeId(),
                config.landing(),
                16 * MIB,
                Long.MAX_VALUE,
                config.syncIntervalMillis(),
                config.background(),
                config.onFailure(),
                config.clock(),
                config.catalog());
        List<Long> sizes = new ArrayList<>();
        try (SegmentPool pool = new SegmentPool(larger, 1, () -> new LogFiles(1, 0))) {
            for (int i = 0; i < 5; i++) {
                pool.prepare(2, 0);
                try (LogSegment segment = Objects.requireNonNull(pool.take(0, false))) {
                    sizes.add(segment.capacity() / MIB);
                }
            }
        }
        assertEquals(List.of(4L, 4L, 8L, 16L, 16L), sizes);
    }

    /** A writer that comes to the end of a segment finds the next, and waits for no zeros, however soon it is there. */
    @ParameterizedTest
    @EnumSource(Landing.class)
    void once_a_segment_is_full_another_is_prepared_at_once(Landing landing) throws IOException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = bench.open();
        bench.background.runAll();
        LogBench.append(log, LogBench.put(100));
        bench.background.runAll();
        assertEquals(1, preparedBehind(bench, log.currentSegment()), "a log that is hardly written has its spare");
        for (int filled = 0; filled < 5; filled++) {
            long full = log.currentSegment();
            while (log.currentSegment() == full) {
                LogBench.append(log, LogBench.put(700));
            }
            bench.background.runAll();
            assertEquals(2, preparedBehind(bench, log.currentSegment()), "one beside the spare");
        }
        log.close();
    }
}
