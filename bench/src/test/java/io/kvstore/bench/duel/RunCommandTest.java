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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** That the duel does what it says and reports all of it; how fast is no matter of a test. */
final class RunCommandTest {

    private static final List<String> LITTLE = List.of(
            "--entries=2000",
            "--gets=400",
            "--scans=40",
            "--sync-millis=50",
            "--quiet-millis=20",
            "--budget-mib=16",
            "--small-budget-mib=8");

    @TempDir
    private Path directory;

    @Test
    void every_case_is_run_and_the_figures_are_kept() throws IOException {
        List<String> arguments = new ArrayList<>(LITTLE);
        arguments.addAll(List.of("--rounds=1", "--subjects=BPLUS", "--directory=" + directory));
        String report = run(arguments);
        for (Case one : Case.ALL) {
            assertTrue(report.contains("| " + one.name() + " | KVSTORE_BPLUS | "), report);
            assertTrue(report.contains("- " + one.name() + ", KVSTORE_BPLUS: "), report);
        }
        List<Path> left = filesOf(directory);
        assertEquals(1, left.size(), "nothing but the figures stays: " + left);
        String again = run(List.of("--from=" + left.getFirst()));
        assertEquals(table(report), table(again));
    }

    @ParameterizedTest
    @EnumSource(names = {"KVSTORE_LSM", "ROCKSDB_BLOB", "LMDB", "MVSTORE"})
    void the_others_take_part_in_narrow_data_too(ContenderKind kind) throws IOException {
        List<String> arguments = new ArrayList<>(LITTLE);
        arguments.addAll(List.of(
                "--rounds=1",
                "--subjects=" + kind,
                "--data=NARROW",
                "--cases=put-1,get-4,absent-1,mixed-1,scan-1,put-4",
                "--directory=" + directory));
        String report = run(arguments);
        for (String one : List.of("put-1", "get-4", "absent-1", "mixed-1", "scan-1", "put-4")) {
            assertTrue(report.contains("| " + one + " | " + kind + " | "), report);
        }
    }

    @Test
    void the_limit_does_what_needs_no_order() throws IOException {
        List<String> arguments = new ArrayList<>(LITTLE);
        arguments.addAll(List.of(
                "--rounds=1",
                "--subjects=LIMIT",
                "--cases=put-1,get-4,absent-1,mixed-4,scan-1,overwrite,remove,put-4,put-sync-1",
                "--directory=" + directory.resolve("is made")));
        String report = run(arguments);
        for (String one : List.of("put-1", "get-4", "absent-1", "mixed-4", "overwrite", "put-4")) {
            assertTrue(report.contains("| " + one + " | LIMIT | "), report);
        }
        for (String one : List.of("scan-1", "remove", "put-sync-1")) {
            assertFalse(report.contains("| " + one + " | LIMIT | "), report);
        }
    }

    @Test
    void the_device_takes_part_in_synced_puts_of_one_thread() throws IOException {
        List<String> arguments = new ArrayList<>(LITTLE);
        arguments.addAll(List.of(
                "--rounds=1",
                "--subjects=DEVICE,KVSTORE_LSM",
                "--cases=put-1,put-sync-1,put-sync-16",
                "--directory=" + directory));
        String report = run(arguments);
        assertTrue(report.contains("| put-sync-1 | DEVICE | "), report);
        assertTrue(report.matches("(?s).*- put-sync-1, KVSTORE_LSM: [0-9.]+ x DEVICE.*"), report);
        for (String one : List.of("put-1", "put-sync-16")) {
            assertFalse(report.contains("| " + one + " | DEVICE | "), report);
        }
    }

    @Test
    void no_such_case_and_no_round_are_refused() {
        CommandLine command = new CommandLine(new RunCommand()).setErr(new PrintWriter(new StringWriter()));
        assertEquals(2, command.execute("--cases=put-1,put-3"));
        assertEquals(2, command.execute("--rounds=0"));
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

    private static String run(List<String> arguments) {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new RunCommand()).setOut(new PrintWriter(out));
        assertEquals(0, command.execute(arguments.toArray(String[]::new)));
        return out.toString();
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
