package io.kvstore.bench.behaviour;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
final class SpaceCommandTest {

    @TempDir
    private Path directory;

    @Test
    void each_engine_and_size_is_measured_with_and_without_a_log() throws IOException {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new SpaceCommand()).setOut(new PrintWriter(out));
        int status = command.execute(
                "--values=100,5000", "--live-mib=1", "--seconds=0.1", "--rest-seconds=0", "--directory=" + directory);
        String report = out.toString();
        assertEquals(0, status, report);
        for (String engine : new String[] {"BPLUS", "LSM"}) {
            for (String log : new String[] {"off", "BUFFERED"}) {
                for (String size : new String[] {"100", "5000"}) {
                    String begin = "| " + engine + " | " + log + " | " + size + " | ";
                    assertTrue(report.contains(begin), begin + " is missing in " + report);
                }
            }
        }
        assertFalse(report.contains("NaN"), report);
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(0, left.count());
        }
    }
}
