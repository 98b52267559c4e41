package io.kvstore.cli.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.client.Statistics;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.Test;

/** The full screen of {@code top}, with a terminal whose size nobody knows: 24 rows of 80 columns. */
final class TopScreenTest {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private Console console(InputStream keys) {
        Terminals all = new Terminals(true, true, true);
        return new Console(keys, printed, OutputStream.nullOutputStream(), all, System::nanoTime);
    }

    /** A moment with tables {@code d/t0} and so on, whose files have these bytes. */
    private static Moment moment(long seconds, long... bytes) {
        Map<String, Double> numbers = new HashMap<>(Map.of("log.records", seconds * 7.0, "memoryBudgetBytes", 2048.0));
        Map<String, String> texts = new HashMap<>();
        for (int i = 0; i < bytes.length; i++) {
            texts.put("tables." + i + ".database", "d");
            texts.put("tables." + i + ".table", "t" + i);
            texts.put("tables." + i + ".engineName", "LSM");
            numbers.put("tables." + i + ".engine.diskBytes", (double) bytes[i]);
        }
        return new Moment(new Statistics(numbers, texts), TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void tables_that_change_most_come_first() {
        try (TopScreen screen = TopScreen.open(console(InputStream.nullInputStream()), "here")) {
            screen.show(moment(1, 100, 5, 500, 5), moment(3, 120, 5, 500, 105));
        }
        List<String> lines = printed.toString(UTF_8).lines().toList();
        assertTrue(lines.getFirst().endsWith("\033[Kkvstore top, here (q leaves)"), lines::toString);
        assertTrue(lines.get(1).startsWith("\033[Kwrites/s 7   log bytes/s 0"), lines::toString);
        assertEquals(
                List.of("d/t3", "d/t0", "d/t2", "d/t1"),
                lines.stream()
                        .filter(line -> line.startsWith("\033[Kd/"))
                        .map(line -> line.substring(3, 7))
                        .toList());
        assertTrue(lines.stream().anyMatch(line -> line.matches("\033\\[Kd/t3 +lsm +0 +0 +105.*")), lines::toString);
        assertTrue(printed.toString(UTF_8).startsWith("\033[?1049h")
                && lines.getLast().endsWith("\033[?1049l"));
    }

    @Test
    void what_does_not_fit_is_cut() {
        try (TopScreen screen = TopScreen.open(console(InputStream.nullInputStream()), "x".repeat(100))) {
            screen.begin(moment(1, new long[30]));
        }
        List<String> lines = printed.toString(UTF_8).lines().toList();
        assertEquals(24, lines.size());
        assertTrue(lines.stream()
                .allMatch(line -> line.replaceAll("\033\\[[?0-9]*[a-zA-Z]", "").length() <= 80));
        String full = lines.get(6);
        assertEquals(80, full.replaceAll("\033\\[[?0-9]*[a-zA-Z]", "").length());
        // behind its last column the cursor stands on it, where an erasure would take a digit
        assertTrue(full.startsWith("\033[Kd/t") && full.endsWith(" 0"), full);
    }

    /** Half a number would be another one. */
    @Test
    void a_narrow_terminal_has_whole_numbers() throws IOException {
        for (int columns = 4; columns <= 130; columns++) {
            printed.reset();
            Console console = console(InputStream.nullInputStream());
            Terminal terminal = new DumbTerminal("kvstore", "dumb", console.in(), console.out(), UTF_8);
            terminal.setSize(Size.of(columns, 24));
            try (TopScreen screen = TopScreen.on(console, "h", terminal)) {
                screen.begin(moment(1, 123_456_789));
            }
            String text = printed.toString(UTF_8).replaceAll("\033\\[[?0-9]*[a-zA-Z]", "");
            int widest = columns;
            assertTrue(text.lines().allMatch(line -> line.length() <= widest), text);
            String table = text.lines()
                    .filter(line -> line.startsWith("d/t"))
                    .findFirst()
                    .orElse("");
            assertTrue(table.matches("|d/t0 *|.*( |\\blsm|\\b0|123,456,789)"), columns + ": " + table);
            assertTrue(text.lines().noneMatch(line -> line.matches(".* of 2(,0?4?)?")), text);
        }
    }

    /** JLine closes a terminal by itself when the process is told to end. */
    @Test
    void a_terminal_that_was_closed_gets_its_first_screen_back() throws IOException {
        Console console = console(InputStream.nullInputStream());
        Terminal terminal = new DumbTerminal("kvstore", "dumb", console.in(), console.out(), UTF_8);
        try (TopScreen screen = TopScreen.on(console, "here", terminal)) {
            screen.begin(moment(1, 1));
            terminal.close();
            screen.show(moment(1, 1), moment(2, 1));
            assertTrue(screen.await(TimeUnit.MINUTES.toNanos(1)));
        }
        assertTrue(printed.toString(UTF_8).endsWith("\033[?25h\033[?1049l"), printed.toString(UTF_8));
    }

    @Test
    void keys_and_interrupts_leave() throws IOException {
        for (String keys : List.of("q", "Q", "\u0003", "")) {
            try (TopScreen screen = TopScreen.open(console(new ByteArrayInputStream(keys.getBytes(UTF_8))), "here")) {
                assertTrue(screen.await(TimeUnit.MINUTES.toNanos(1)), keys);
            }
        }
        try (PipedOutputStream open = new PipedOutputStream();
                PipedInputStream keys = new PipedInputStream(open)) {
            Console console = console(keys);
            try (TopScreen screen = TopScreen.open(console, "here")) {
                open.write('x');
                open.flush();
                assertFalse(screen.await(TimeUnit.MILLISECONDS.toNanos(20)));
                console.interruption().ask();
                assertTrue(screen.await(TimeUnit.MINUTES.toNanos(1)));
            }
        }
    }
}
