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

/** That every case has its line with figures, and nothing is left behind. */
final class BackupCommandTest {

    @TempDir
    private Path directory;

    @Test
    void each_way_to_copy_is_measured_alone_and_beside_a_writer() throws IOException {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new BackupCommand()).setOut(new PrintWriter(out));
        int status = command.execute("--mb=2", "--rounds=1", "--seconds=0", "--directory=" + directory);
        String report = out.toString();
        assertEquals(0, status, report);
        for (String engine : new String[] {"BPLUS", "LSM"}) {
            for (String name : new String[] {"cp", "cp and sync", "backup", "checkpointTo"}) {
                for (String end : new String[] {" |", " beside the writer |"}) {
                    String begin = "| " + engine + " | 1 | " + name + end;
                    assertTrue(report.contains(begin), begin + " is missing in " + report);
                }
            }
            assertTrue(report.contains("| " + engine + " | 1 | backup after 1 % of overwrites | "), report);
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(0, left.count());
        }
    }
}
