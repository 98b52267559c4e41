package io.kvstore.bench.offroad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.store.ContenderKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That every row does its work in every store that takes part; how fast is no matter of a test. */
final class OffRoadTest {

    /** So small a part that the longest row has 20,000 entries. */
    private static final int PART = 1_000;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(names = {"KVSTORE_BPLUS", "KVSTORE_LSM", "ROCKSDB_LEVELED"})
    void every_row_that_a_store_has_gives_its_figures(ContenderKind kind) throws Exception {
        for (Row row : Row.ALL) {
            // the longer YCSB rows differ in their numbers only
            if (row.has(kind) && row.course() != Row.Course.SPACE && !row.name().startsWith("ycsb-long")) {
                Path place = Files.createDirectory(directory.resolve(row.name()));
                Figures figures = new RowRun(kind, row.part(PART), 16 << 20, 20, place).run();
                assertEquals((double) row.part(PART).operations(), figures.get("ops"), row.name());
                assertTrue(figures.get("opsPerSecond") > 0, row.name());
            }
        }
    }

    @Test
    void a_row_runs_in_a_jvm_of_its_own_and_is_reported() throws Exception {
        OffRoad set = new OffRoad(directory, 1, List.of("queue", "get-put-4k"), List.of("LMDB"), PART, 16, 20);
        List<String> lines = set.measure();
        List<String> report = set.report(lines);
        for (String row : List.of("queue", "get-put-4k")) {
            assertTrue(report.stream().anyMatch(line -> line.startsWith("| " + row + " | LMDB | ")), report.toString());
        }
        try (var left = Files.list(directory)) {
            List<Path> files = left.toList();
            assertEquals(1, files.size(), "nothing but the figures stays: " + files);
            assertEquals(report, set.report(Files.readAllLines(files.getFirst())));
        }
    }

    @Test
    void a_ratio_is_that_of_medians_to_the_best_other_store() {
        OffRoad set = new OffRoad(directory, 1, List.of("queue", "first-scan"), List.of(""), 1, 16, 20);
        List<String> lines = new ArrayList<>();
        for (int rate : List.of(100, 300, 200)) {
            lines.add("round");
            for (String row : List.of("queue", "first-scan")) {
                add(lines, row, ContenderKind.KVSTORE_BPLUS, rate);
                add(lines, row, ContenderKind.KVSTORE_LSM, 2 * rate);
                add(lines, row, ContenderKind.ROCKSDB_LEVELED, 10);
                add(lines, row, ContenderKind.LMDB, 250);
            }
        }
        List<String> report = set.report(lines);
        for (String expected : List.of(
                "- queue: KVSTORE_BPLUS 0.80 x LMDB; goal 0.7, floor 0.4: goal reached",
                "- queue: KVSTORE_LSM 1.60 x LMDB; goal 0.7, floor 0.2: goal reached",
                "- first-scan: KVSTORE_LSM 1.60 x LMDB; goal 1.2, floor 1.0: goal reached")) {
            assertTrue(report.contains(expected), report.toString());
        }
    }

    private static void add(List<String> lines, String row, ContenderKind kind, int rate) {
        Figures figures = new Figures(Map.of("opsPerSecond", (double) rate));
        for (String name : List.of(
                "ops",
                "meanMicros",
                "p50Micros",
                "p99Micros",
                "p99.9Micros",
                "maxMicros",
                "userShare",
                "systemShare",
                "diskShare",
                "waitShare",
                "compileShare",
                "otherProcessors",
                "majorFaults",
                "minorFaults",
                "readMiB")) {
            figures = figures.with(name, 1);
        }
        lines.addAll(figures.under(row + "." + kind).lines());
    }
}
