package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.CommandRun.Streams;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where {@code top} draws a screen, and where it prints lines. */
final class TopTest {

    @TempDir
    private Path temp;

    @ParameterizedTest
    @ValueSource(strings = {TestTarget.SERVER, TestTarget.DIRECTORY})
    void a_terminal_gets_a_screen_and_all_else_gets_lines(String kind) {
        TestTarget target = TestTarget.of(kind, temp, "bplus");
        Map<String, String> terminal = new HashMap<>(target.environment());
        terminal.put("TERM", "xterm");
        String screen = CommandRun.in(terminal, Streams.typed("q"), "top", "--interval=3600")
                .good();
        assertTrue(screen.startsWith("\033[?1049h"), screen);
        assertTrue(screen.contains("kvstore top, " + target.url().substring(0, 5)), screen);
        assertTrue(
                screen.lines().anyMatch(line -> line.matches("\033\\[K" + target.table() + " +bplus +0 +0.*")), screen);
        String[] once = {"top", "--count=1", "--interval=0.01"};
        requireLines(target.run(once));
        requireLines(target.typed("", once)); // no TERM
        requireLines(CommandRun.in(terminal, Streams.typed(""), "top", "--lines", "--count=1", "--interval=0.01"));
        requireLines(CommandRun.in(terminal, Streams.of(new byte[0]), once));
    }

    private static void requireLines(CommandRun run) {
        String[] lines = run.good().split("\n", -1);
        assertEquals(3, lines.length);
        assertTrue(lines[0].strip().startsWith("writes/s"), lines[0]);
    }
}
