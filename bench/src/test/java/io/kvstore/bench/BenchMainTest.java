package io.kvstore.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** That a command refuses numbers with which it would measure nothing. */
final class BenchMainTest {

    @ParameterizedTest
    @CsvSource({
        "run, --rounds",
        "run, --part",
        "start, --rounds",
        "start, --log-mib",
        "behaviour, --rounds",
        "behaviour, --entries",
        "behaviour, --overwrites",
        "behaviour, --tables",
        "behaviour, --seconds",
        "space, --live-mib",
        "space, --seconds",
        "backup, --mb",
        "backup, --rounds",
        "thrift, --rounds",
        "thrift, --seconds",
        "thrift, --entries",
        "maps, --entries",
        "maps, --rounds",
        "files, --rounds",
        "files, --lookups",
        "add, --rounds",
        "add, --operations",
    })
    void nothing_is_measured_no_times(String command, String option) {
        StringWriter printed = new StringWriter();
        CommandLine line = new CommandLine(new BenchMain())
                .setOut(new PrintWriter(printed))
                .setErr(new PrintWriter(printed));
        assertEquals(2, line.execute(command, option + "=0"));
        assertTrue(printed.toString().startsWith(option + " is 0; give 1 or more"), printed.toString());
    }
}
