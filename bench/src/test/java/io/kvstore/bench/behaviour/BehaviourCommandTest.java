package io.kvstore.bench.behaviour;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** That everything is measured and nothing is left behind; how fast is no matter of a test. */
final class BehaviourCommandTest {

    @TempDir
    private Path directory;

    @Test
    void everything_is_measured_and_entries_come_back_after_a_kill() throws IOException {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new BehaviourCommand()).setOut(new PrintWriter(out));
        int status = command.execute(
                "--engines=BPLUS,HASH",
                "--rounds=1",
                "--log-mib=2",
                "--entries=500",
                "--seconds=0.1",
                "--tables=3",
                "--checkpointed=600",
                "--overwrites=700",
                "--directory=" + directory);
        String report = out.toString();
        assertEquals(0, status, report);
        for (String part : new String[] {
            "## BPLUS",
            "## HASH",
            "after a kill with 2 MiB of log: opened in",
            "- gets alone: ",
            "- gets beside 16 writers that sync: ",
            "- 600 entries: index of all keys ",
            " bytes a key; after 700 overwrites a checkpoint in ",
            "- 3 tables of 100 entries: "
        }) {
            assertTrue(report.contains(part), part + " is missing in " + report);
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(0, left.count());
        }
    }
}
