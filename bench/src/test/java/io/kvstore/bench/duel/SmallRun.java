package io.kvstore.bench.duel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** A duel with little work: one round of a few entries. */
final class SmallRun {

    private SmallRun() {}

    /** Runs the duel and returns its report. Warm-ups put all entries, those of the device with a sync each. */
    static String of(int entries, String... arguments) {
        List<String> little = List.of(
                "--rounds=1",
                "--entries=" + entries,
                "--gets=400",
                "--scans=40",
                "--sync-millis=50",
                "--quiet-millis=20",
                "--budget-mib=16",
                "--small-budget-mib=8");
        return report(Stream.concat(little.stream(), Stream.of(arguments)).toArray(String[]::new));
    }

    static String report(String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new RunCommand()).setOut(new PrintWriter(out));
        assertEquals(0, command.execute(arguments));
        return out.toString();
    }
}
