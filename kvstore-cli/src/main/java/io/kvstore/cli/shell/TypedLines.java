package io.kvstore.cli.shell;

import io.kvstore.cli.console.Console;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    private TypedLines(Console console, Terminal terminal, LineReader reader, HistoryFile history) {
        this.console = console;
        this.terminal = terminal;
        this.reader = reader;
        this.history = history;
    }

    /** @param environment of the process; {@code HOME} says where the history is */
    static TypedLines open(Console console, Map<String, String> environment, Completions completions) {
        try {
            Terminal terminal = console.isOfProcess()
                    ? TerminalBuilder.builder().name("kvstore").dumb(true).build()
                    : new DumbTerminal("kvstore", "dumb", console.in(), console.out(), StandardCharsets.UTF_8);
            terminal.handle(Terminal.Signal.INT, _ -> console.interruption().ask());
            LineReaderBuilder builder = LineReaderBuilder.builder()
                    .terminal(terminal)
                    .parser(new LineParser())
                    .completer(completions)
                    .history(new DefaultHistory())
                    .variable(LineReader.HISTORY_SIZE, HistoryFile.MOST_LINES)
                    .variable(LineReader.SECONDARY_PROMPT_PATTERN, "      > ")
                    .option(LineReader.Option.HISTORY_IGNORE_DUPS, true)
                    .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true) // a value may have an exclamation mark
                    .option(LineReader.Option.AUTO_REMOVE_SLASH, false);
            LineReader reader = builder.build();
            HistoryFile history = HistoryFile.of(environment);
            history.read().forEach(reader.getHistory()::add);
            return new TypedLines(console, terminal, reader, history);
        } catch (IOException e) {
            throw new UncheckedIOException("the terminal cannot be used", e);
        }
    }

    @Override
    public @Nullable String next(String prompt) {
        while (true) {
            try {
                String line = reader.readLine(prompt);
                typed.add(line);
                return line;
            } catch (UserInterruptException e) {
                console.interruption().clear(); // Ctrl-C gives up the line
            } catch (EndOfFileException e) {
                return null;
            }
        }
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
            console.tell("kvstore: the history was not saved: " + e);
        }
    }
}
