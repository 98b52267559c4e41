package io.kvstore.bench.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bench.measure.Figures;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** That every format does every work and is found out when it answers wrongly; how fast is no matter of a test. */
final class FilesCommandTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LMDB") // which needs a JVM with flags: see the next test
    void every_format_does_every_work(FileKind kind) throws Exception {
        List<Figures> figures = new ArrayList<>();
        new FileRun(kind, 1_234, 1_000).run(directory, figures::add);
        Figures all = figures.stream().reduce(new Figures(Map.of()), Figures::and);
        for (String work : List.of("BUILD", "GET_1", "GET_4", "ABSENT_1")) {
            assertTrue(all.get(work + ".opsPerSecond") > 0, work);
        }
        assertTrue(all.get("bytesPerEntry") > 10);
    }

    @Test
    void formats_run_in_a_jvm_of_their_own_and_are_reported() {
        String report = run(
                0,
                "--subjects=KVSTORE_LONGS,LMDB",
                "--entries=1000",
                "--lookups=1000",
                "--rounds=1",
                "--heap-mib=128",
                "--directory=" + directory);
        for (String work : List.of("BUILD", "BUILD_SORTED", "GET_1", "GET_4", "ABSENT_1", "SCAN_100", "bytes")) {
            assertTrue(report.contains("| 1000 | " + work + " | "), report);
        }
        assertFalse(report.contains("NaN"), report);
    }

    @Test
    void what_cannot_be_measured_is_refused() {
        assertTrue(run(2, "--entries=0").contains("--entries is 0; give 1 to 100000000"));
        assertTrue(run(2, "--entries=100000001").contains("--entries is 100000001; give 1 to 100000000"));
        assertTrue(run(2, "--subjects=CDB")
                .contains("no format for [CDB]; there are [KVSTORE, KVSTORE_PERFECT, SPARKEY, "));
    }

    private static String run(int expected, String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new FilesCommand());
        command.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
        assertEquals(expected, command.execute(arguments), out::toString);
        return out.toString();
    }
}
