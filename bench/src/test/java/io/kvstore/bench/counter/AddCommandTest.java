package io.kvstore.bench.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** That every row of additions has its figures, and nothing is left behind. */
final class AddCommandTest {

    @TempDir
    private Path directory;

    @Test
    void one_and_many_threads_add_and_put_with_and_without_a_log() throws IOException {
        String report =
                run(0, "--engines=LSM", "--operations=2000", "--rounds=1", "--no-thrift", "--directory=" + directory);
        for (String row : List.of("off | 1", "off | 200", "BUFFERED | 1", "BUFFERED | 200")) {
            assertTrue(report.contains("| LSM | " + row + " | "), report);
        }
        assertFalse(report.contains("NaN"), report);
        try (Stream<Path> left = Files.list(directory)) {
            List<Path> files = left.toList();
            assertEquals(1, files.size(), "nothing but the figures stays: " + files);
            String again = run(0, "--engines=LSM", "--from=" + files.getFirst());
            assertEquals(report.substring(report.indexOf("| Engine")), again.substring(again.indexOf("| Engine")));
        }
    }

    private static String run(int status, String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new AddCommand()).setOut(new PrintWriter(out));
        assertEquals(status, command.execute(arguments), out.toString());
        return out.toString();
    }
}
