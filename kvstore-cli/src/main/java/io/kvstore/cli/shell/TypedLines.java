package io.kvstore.cli.shell;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Failures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jline.reader.Completer;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.history.DefaultHistory;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.terminal.impl.DumbTerminal;
import org.jspecify.annotations.Nullable;

/** Lines that a person types, with history and completion. */
final class TypedLines implements Lines {

    private final Console console;
    private final Terminal terminal;
    private final LineReader reader;
    private final HistoryFile history;
    private final List<String> typed = new ArrayList<>();

    /** Lines that were pasted with the present one, and follow it. */
    private final Deque<String> pasted = new ArrayDeque<>();

    private TypedLines(Console console, Terminal terminal, LineReader reader, HistoryFile history) {
        this.console = console;
        this.terminal = terminal;
        this.reader = reader;
        this.history = history;
    }

    /** @param environment of the process; {@code HOME} says where the history is */
    static TypedLines open(Console console, Map<String, String> environment, Completer completions) {
        try {
            Terminal terminal = console.isOfProcess()
                    ? TerminalBuilder.builder().name("kvstore").dumb(true).build()
                    : new DumbTerminal("kvstore", "dumb", console.in(), console.out(), StandardCharsets.UTF_8);
            return on(terminal, console, environment, completions);
        } catch (IOException e) {
            throw new UncheckedIOException("the terminal cannot be used", e);
        }
    }

    /** Lines of a terminal, which is theirs from now on. */
    static TypedLines on(Terminal terminal, Console console, Map<String, String> environment, Completer completions) {
        terminal.handle(Terminal.Signal.INT, _ -> console.interruption().ask());
        LineReader reader = LineReaderBuilder.builder()
                .terminal(terminal)
                .parser(new LineParser())
                .completer(completions)
                .history(new DefaultHistory())
                .variable(LineReader.HISTORY_SIZE, HistoryFile.MOST_LINES)
                .variable(LineReader.SECONDARY_PROMPT_PATTERN, "      > ")
                .option(LineReader.Option.HISTORY_IGNORE_DUPS, true)
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true) // a value may have an exclamation mark
                .option(LineReader.Option.AUTO_REMOVE_SLASH, false)
                .build();
        HistoryFile history = HistoryFile.of(environment);
        remembered(history, console).forEach(reader.getHistory()::add);
        return new TypedLines(console, terminal, reader, history);
    }

    /** The lines of the history. A shell without them is better than none. */
    private static List<String> remembered(HistoryFile history, Console console) {
        try {
            return history.read();
        } catch (IOException e) {
            console.tell("kvstore: the history was not read: " + Failures.message(e));
            return List.of();
        }
    }

    @Override
    public @Nullable String next(String prompt) {
        while (pasted.isEmpty()) {
            try {
                pasted.addAll(Words.lines(reader.readLine(prompt)));
                console.interruption().clear(); // a Ctrl-C of before is not for this line
            } catch (UserInterruptException e) {
                console.interruption().clear(); // Ctrl-C gives up the line
            } catch (EndOfFileException e) {
                return null;
            }
        }
        String line = pasted.remove();
        typed.add(line);
        return line;
    }

    @Override
    public boolean isEndedByInterrupt() {
        pasted.clear();
        return false;
    }

    @Override
    public String place() {
        return "the last line";
    }

    /** Asks for something that is no command, and so is no part of the history. */
    @Nullable
    String ask(String question) {
        reader.setVariable(LineReader.DISABLE_HISTORY, true);
        reader.setVariable(LineReader.DISABLE_COMPLETION, true);
        try {
            return reader.readLine(question).strip();
        } catch (UserInterruptException | EndOfFileException e) {
            return null;
        } finally {
            reader.setVariable(LineReader.DISABLE_HISTORY, false);
            reader.setVariable(LineReader.DISABLE_COMPLETION, false);
        }
    }

    @Override
    public void close() {
        try (Terminal _ = terminal) {
            history.add(typed);
        } catch (IOException e) {
            console.tell("kvstore: the history was not saved: " + Failures.message(e));
        }
    }
}
