package io.kvstore.cli.shell;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.jline.terminal.impl.LineDisciplineTerminal;
import org.junit.jupiter.api.Test;

/** Lines of a terminal that can more than print. */
final class TypedLinesTest {

    private final Console console = new Console(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            OutputStream.nullOutputStream(),
            new Terminals(true, true, true),
            System::nanoTime);

    /** A terminal tells where a paste begins and ends, so all of it comes as one line. */
    @Test
    void pasted_lines_are_lines() throws Exception {
        LineDisciplineTerminal terminal =
                new LineDisciplineTerminal("kvstore", "xterm", OutputStream.nullOutputStream(), UTF_8);
        terminal.processInputBytes("\033[200~put a 1\rput b \"2\r3\"\r# it's\rcount\033[201~\rget b\r".getBytes(UTF_8));
        try (TypedLines lines = TypedLines.on(terminal, console, Map.of(), (_, _, _) -> {})) {
            for (String line : List.of("put a 1", "put b \"2\n3\"", "# it's", "count", "get b")) {
                assertEquals(line, lines.next("> "));
            }
        }
    }

    @Test
    void an_interrupt_gives_up_what_was_pasted() throws Exception {
        LineDisciplineTerminal terminal =
                new LineDisciplineTerminal("kvstore", "xterm", OutputStream.nullOutputStream(), UTF_8);
        terminal.processInputBytes("\033[200~put a 1\rput b 2\033[201~\rcount\r".getBytes(UTF_8));
        try (TypedLines lines = TypedLines.on(terminal, console, Map.of(), (_, _, _) -> {})) {
            assertEquals("put a 1", lines.next("> "));
            assertFalse(lines.isEndedByInterrupt());
            assertEquals("count", lines.next("> "));
        }
    }

    @Test
    void a_text_has_the_lines_between_its_newlines_but_for_those_in_quotes() {
        assertEquals(List.of(""), Words.lines(""));
        assertEquals(List.of("a", "", "b"), Words.lines("a\n\nb"));
        assertEquals(List.of("a 'x\ny' \\\nb", "c"), Words.lines("a 'x\ny' \\\nb\nc"));
        assertEquals(List.of("  # don't", "b \"\n\nc\"", ""), Words.lines("  # don't\nb \"\n\nc\"\n"));
    }
}
