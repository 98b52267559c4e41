package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What the main program says and ends with when it cannot begin, in this process: a JVM for each wrong option takes longer than
 * all that it looks at. {@link ServerProcess} is the same with a process of its own.
 *
 * @param status the status of the process
 * @param output standard output
 * @param errors standard error
 */
record ServerRun(int status, String output, String errors) {

    /** Runs it. The options must be so that it does not serve. */
    static ServerRun of(String... options) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int status = KVStoreServer.run(
                new PrintStream(output, true, StandardCharsets.UTF_8),
                new PrintStream(errors, true, StandardCharsets.UTF_8),
                options);
        return new ServerRun(status, output.toString(StandardCharsets.UTF_8), errors.toString(StandardCharsets.UTF_8));
    }

    /** Checks that it ended with a status and said one line, which it returns. */
    String expectFailure(int expected) {
        assertEquals(expected, status, errors);
        List<String> lines = errors.lines().toList();
        assertEquals(1, lines.size(), errors);
        assertEquals("", output);
        return lines.getFirst();
    }
}
