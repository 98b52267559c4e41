package io.kvstore.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That what is measured is done; how fast is no matter of a test. */
final class MeasurementTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void each_subject_writes_and_tells_what_it_did(SubjectKind subject) throws Exception {
        Figures figures = new Measurement(subject, Load.SYNC, 2, 20).run(directory, 10);
        assertTrue(figures.get("ops") >= 2, figures.toString());
        assertTrue(figures.get("opsPerSecond") > 0, figures.toString());
        if (!subject.isRocks()) {
            assertTrue(figures.get("syncs") > 0, figures.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_burst_ends_with_its_entries(SubjectKind subject) throws Exception {
        Figures figures = new Measurement(subject, Load.BURST, 1, 60_000).run(directory, 10);
        assertEquals(Load.BURST.maxEntries(), (long) figures.get("ops"));
    }

    @Test
    void figures_survive_their_way_as_text() {
        Figures figures = new Figures(Map.of("a", 1.5, "b", -1.0));
        assertEquals(figures, Figures.parse(figures.lines()));
    }

    @Test
    void a_report_has_medians_and_the_ratio_to_the_best_of_the_others() {
        Measurement ours = new Measurement(SubjectKind.STAGED, Load.SYNC, 1, 1_000);
        Measurement one = new Measurement(SubjectKind.ROCKSDB, Load.SYNC, 1, 1_000);
        Measurement better = new Measurement(SubjectKind.ROCKSDB_RECYCLED, Load.SYNC, 1, 1_000);
        Measurement device = new Measurement(SubjectKind.DEVICE, Load.SYNC, 1, 1_000);
        List<String> lines = new LogReport(Map.of(
                        ours, List.of(rate(100), rate(300), rate(200)),
                        one, List.of(rate(10)),
                        better, List.of(rate(50)),
                        device, List.of(rate(400))))
                .lines();
        assertTrue(
                lines.contains("- SYNC, 1 thread, KVStore, log staged: 4.00 x best RocksDB 0.50 x write + fdatasync"),
                lines.toString());
        assertTrue(
                lines.contains("| SYNC, 1 thread | KVStore, log staged | 0.2 | 3.00 "
                        + "| 1.0 | 1.0 | 1 | 1 | 0.0 | 2.0 | 1.0 | 1 |"),
                lines.toString());
    }

    private static Figures rate(double perSecond) {
        return new Figures(Map.of(
                        "opsPerSecond", perSecond,
                        "ops", 2.0,
                        "syncs", 1.0,
                        "meanMicros", 1.0,
                        "p50Micros", 1.0,
                        "p99Micros", 1.0,
                        "p99.9Micros", 1.0,
                        "maxMicros", 1.0,
                        "cpuMicrosPerOp", 1.0,
                        "writtenMiB", 1.0))
                .with("seconds", 1.0);
    }
}
