package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.console.Console.Terminals;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long builds show how far they are. A clock goes on by a step each time it is asked. */
final class ProgressTest {

    private static final Terminals TERMINAL = new Terminals(false, false, true);
    private static final String ROWS = "{\"key\":\"a\",\"value\":\"1\"}\n".repeat(100);

    @TempDir
    private Path temp;

    private static LongSupplier clock(long stepMillis) {
        AtomicLong now = new AtomicLong(Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(5)); // it overflows soon
        return () -> now.getAndAdd(TimeUnit.MILLISECONDS.toNanos(stepMillis));
    }

    private String errors(Terminals terminals, long stepMillis, String... options) {
        String[] arguments = new String[options.length + 2];
        arguments[0] = "build";
        arguments[1] = temp.resolve("out").toString();
        System.arraycopy(options, 0, arguments, 2, options.length);
        CommandRun run =
                CommandRun.run(new ByteArrayInputStream(ROWS.getBytes(UTF_8)), terminals, clock(stepMillis), arguments);
        run.good();
        return run.errors();
    }

    @Test
    void elsewhere_a_line_comes_each_ten_seconds() {
        List<String> lines = errors(CommandRun.NONE, 1_000).lines().toList();
        assertEquals(11, lines.size(), lines::toString);
        assertEquals("reading: 10 rows, 1 rows/s", lines.getFirst());
        assertTrue(lines.getLast().contains("out: 1 entry, "), lines::toString);
        assertFalse(lines.toString().contains("\u001b"));
    }

    @Test
    void a_short_build_says_one_line() {
        assertEquals(1, errors(CommandRun.NONE, 1).lines().count());
    }

    @Test
    void on_a_terminal_a_bar_is_drawn_again() throws Exception {
        Path rows = Files.writeString(temp.resolve("rows"), ROWS);
        String drawn = errors(TERMINAL, 100, rows.toString());
        assertTrue(
                drawn.startsWith(
                        "\r\033[?7lreading: [####################] 100 %, 1 row, 10 rows/s, 0:00 left\033[K\033[?7h\r"),
                drawn);
        assertTrue(drawn.matches("(?s).*\033\\[K\033\\[\\?7h\r\033\\[K[^\r]*out: 1 entry, [^\r]*\n"), drawn);
        String ofPipe = errors(TERMINAL, 100);
        assertTrue(ofPipe.startsWith("\r\033[?7lreading: 1 row, 10 rows/s\033[K"), ofPipe);
    }

    @Test
    void quiet_draws_nothing() {
        assertEquals("", errors(TERMINAL, 10_000, "--quiet"));
    }

    @Test
    void a_terminal_that_is_read_is_told_how_to_end() {
        String told = errors(new Terminals(true, false, false), 1, "-");
        assertTrue(told.startsWith("kvstore: reads rows from the terminal; Ctrl-D"), told);
    }
}
