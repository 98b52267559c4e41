package io.kvstore.bench.duel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.store.Case;
import io.kvstore.bench.store.ContenderKind;
import io.kvstore.bench.store.Shape;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** That the duel does what it says and reports all of it; how fast is no matter of a test. */
final class RunCommandTest {

    @TempDir
    private Path directory;

    @Test
    void every_case_is_run_and_the_figures_are_kept() throws IOException {
        String report = SmallRun.of(2_000, "--subjects=BPLUS", "--directory=" + directory);
        for (Case one : Case.ALL) {
            assertTrue(report.contains("| " + one.name() + " | KVSTORE_BPLUS | "), report);
            assertTrue(report.contains("- " + one.name() + ", KVSTORE_BPLUS: "), report);
        }
        List<Path> left = filesOf(directory);
        assertEquals(1, left.size(), "nothing but the figures stays: " + left);
        String again = SmallRun.report("--from=" + left.getFirst());
        assertEquals(table(report), table(again));
    }

    @Test
    void no_such_case_is_refused() {
        CommandLine command = new CommandLine(new RunCommand()).setErr(new PrintWriter(new StringWriter()));
        assertEquals(2, command.execute("--cases=put-1,put-3"));
    }

    @Test
    void ratios_are_those_of_medians_to_the_best_of_a_family() {
        Case get = Case.ALL.get(1);
        List<String> lines = new ArrayList<>();
        lines.add(RunResults.line(new RunSettings()));
        for (int rate : List.of(100, 300, 200)) {
            addRound(lines, ContenderKind.KVSTORE_BPLUS, get, rate);
            addRound(lines, ContenderKind.ROCKSDB_LEVELED, get, 10);
            addRound(lines, ContenderKind.ROCKSDB_MMAP, get, 50);
            addRound(lines, ContenderKind.LMDB, get, 125);
        }
        List<String> report = new RunReport(RunResults.parse(lines)).lines();
        assertTrue(
                report.contains("- get-1, KVSTORE_BPLUS: 4.00 x ROCKSDB_MMAP; 1.60 x LMDB; "
                        + "goal 2.1 x, floor 1.3 x LMDB: floor reached; over memory: does not count"),
                report.toString());
    }

    @Test
    void an_entry_is_always_the_same_and_its_value_fits_its_key() {
        for (Shape shape : Shape.values()) {
            byte[] key = new byte[shape.keyBytes()];
            byte[] value = new byte[shape.valueBytes()];
            shape.fillKey(7, key);
            shape.fillValue(7, value);
            assertTrue(shape.fits(key, value));
            byte[] first = key.clone();
            shape.fillKey(8, key);
            assertFalse(Arrays.equals(first, key));
            shape.fillKey(7, key);
            assertArrayEquals(first, key);
        }
    }

    private static void addRound(List<String> lines, ContenderKind kind, Case one, int rate) {
        lines.add(RunResults.line(kind));
        Figures figures = new Figures(Map.of("opsPerSecond", (double) rate, "besideHeapMiB", 1_000.0));
        for (String name : List.of(
                "settledPerSecond",
                "meanMicros",
                "p50Micros",
                "p99Micros",
                "p99.9Micros",
                "p99.99Micros",
                "maxMicros",
                "cpuMicrosPerOp",
                "writtenMiB",
                "putMiB",
                "diskMiB",
                "liveMiB",
                "peakMiB",
                "anonymousMiB",
                "heapMiB")) {
            figures = figures.with(name, 1);
        }
        lines.addAll(figures.under(one.name()).lines());
    }

    private static String table(String report) {
        return report.substring(report.indexOf("| Case |"));
    }

    private static List<Path> filesOf(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }
}
