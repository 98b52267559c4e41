package io.kvstore.bench.maps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bench.measure.Figures;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** That every map does every work and is found out when it answers wrongly; how fast is no matter of a test. */
final class MapsCommandTest {

    private static final long ENTRIES = 1_234;

    @TempDir
    private Path directory;

    /** Chronicle needs flags that only its own JVM has, and whippet-db has a licence that keeps it in its own. */
    @ParameterizedTest
    @EnumSource(
            names = {"CHRONICLE", "WHIPPET"},
            mode = EnumSource.Mode.EXCLUDE)
    void every_map_does_every_work(MapKind kind) throws Exception {
        doesEveryWork(kind, KeyKind.RANDOM);
    }

    @ParameterizedTest
    @EnumSource
    void every_kind_of_keys_does(KeyKind keys) throws Exception {
        doesEveryWork(MapKind.SKIP_LIST, keys);
    }

    private static void doesEveryWork(MapKind kind, KeyKind keys) throws Exception {
        List<Figures> figures = new ArrayList<>();
        new MapRun(kind, keys, ENTRIES).run(figures::add);
        Figures all = figures.stream().reduce(new Figures(Map.of()), Figures::and);
        for (MapWork work : MapWork.values()) {
            assertTrue(all.get(work + ".opsPerSecond") > 0, work.name());
        }
    }

    @Test
    void one_entry_is_enough() throws Exception {
        List<Figures> figures = new ArrayList<>();
        new MapRun(MapKind.SKIP_LIST, KeyKind.SEQUENTIAL, 1).run(figures::add);
        assertEquals(MapWork.values().length, figures.size());
    }

    @Test
    void each_map_runs_in_a_jvm_of_its_own_and_is_reported() throws IOException {
        String report = run(
                0,
                "--subjects=KVSTORE_BPLUS,WHIPPET,CHRONICLE",
                "--keys=MODERATE",
                "--entries=" + ENTRIES,
                "--rounds=1",
                "--heap-mib=256",
                "--quiet-millis=20",
                "--directory=" + directory);
        for (MapWork work : MapWork.values()) {
            assertEquals(work.isReported(), report.contains("| MODERATE | " + work.title() + " | "), report);
        }
        assertTrue(report.contains("| MODERATE | residentBytes | "), report);
        assertFalse(report.contains("NaN"), report);
        assertFalse(report.contains("DID NOT RUN"), report);
        try (Stream<Path> left = Files.list(directory)) {
            List<Path> files = left.toList();
            assertEquals(1, files.size(), "nothing but the figures stays: " + files);
            String again = run(0, "--from=" + files.getFirst());
            assertEquals(table(report), table(again));
        }
    }

    @Test
    void a_map_that_could_not_run_has_a_line_with_the_reason() throws IOException {
        Path file = directory.resolve("some.figures");
        Files.write(file, List.of("entries 5", "round 1", "failed RANDOM.CHRONICLE.RATES: SomeError: no such flag"));
        String report = run(1, "--from=" + file);
        assertTrue(report.contains("- DID NOT RUN: RANDOM.CHRONICLE.RATES: SomeError: no such flag"), report);
    }

    @Test
    void ratios_are_those_of_the_better_of_ours_and_of_medians() {
        List<String> lines = new ArrayList<>(List.of("entries 7"));
        for (int rate : List.of(100_000, 300_000, 200_000)) {
            lines.add(MapsReport.ROUND + rate);
            add(lines, MapKind.KVSTORE_BPLUS, rate);
            add(lines, MapKind.KVSTORE_LSM, 2 * rate);
            add(lines, MapKind.WHIPPET, 500_000);
        }
        List<String> report = MapsReport.parse(lines).lines();
        assertTrue(
                report.contains("| RANDOM | insert | 200 | 400 | 500 |  |  |  |  | 3.00 | 0.80 |  |  |  |  |"),
                String.join("\n", report));
    }

    @Test
    void a_wrong_answer_is_a_fault() {
        for (MapWork work : List.of(MapWork.READ, MapWork.DELETE, MapWork.GET, MapWork.PUT_OVER, MapWork.CHECK)) {
            for (Map<Long, Long> map : List.of(new HashMap<Long, Long>(), wrong())) {
                MapSteps steps = new MapSteps(new MapRun(MapKind.SKIP_LIST, KeyKind.RANDOM, 1), () -> map, 0);
                assertThrows(IllegalStateException.class, () -> steps.work(work, 0, 1), work.name());
            }
        }
    }

    private static Map<Long, Long> wrong() {
        return new HashMap<>(Map.of(KeyKind.RANDOM.key(0), 77L));
    }

    @Test
    void no_two_entries_have_the_same_key() {
        for (KeyKind keys : KeyKind.values()) {
            assertEquals(
                    100_000,
                    LongStream.range(0, 100_000).map(keys::key).distinct().count(),
                    keys.name());
        }
    }

    @Test
    void moderately_random_keys_ascend_in_a_block_with_small_gaps() {
        for (long number = 1; number < 10_240; number++) {
            long step = KeyKind.MODERATE.key(number) - KeyKind.MODERATE.key(number - 1);
            assertEquals(number % 1_024 != 0, step >= 1 && step <= 5, "at " + number + " the step is " + step);
        }
    }

    @Test
    void no_map_is_refused() {
        assertEquals(
                2,
                new CommandLine(new MapsCommand())
                        .setErr(new PrintWriter(new StringWriter()))
                        .execute("--subjects=NONE"));
    }

    private static void add(List<String> lines, MapKind kind, double rate) {
        Figures figures = new Figures(Map.of());
        for (MapWork work : MapWork.values()) {
            figures = figures.with(work + ".opsPerSecond", rate);
        }
        lines.addAll(figures.under("RANDOM." + kind + ".RATES").lines());
    }

    private static String run(int status, String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new MapsCommand()).setOut(new PrintWriter(out));
        int found = command.execute(arguments);
        assertEquals(status, found, out.toString());
        return out.toString();
    }

    private static String table(String report) {
        return report.substring(report.indexOf("- 1 rounds"));
    }
}
