package io.kvstore.cli.admin;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.Printable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.terminal.impl.DumbTerminal;
import org.jline.utils.ClosedException;
import org.jline.utils.NonBlockingReader;

/**
 * The whole of a terminal: the figures of the store, and a line for each table, those first whose bytes change most. The
 * second screen of the terminal has it, so that what was there before comes back. The keys q and Ctrl-C leave.
 */
final class TopScreen implements TopView {

    private static final String ENTER = "\033[?1049h\033[?25l";
    private static final String LEAVE = "\033[?25h\033[?1049l";
    private static final String HOME = "\033[H";
    private static final String ERASE_LINE = "\033[K";
    private static final String ERASE_BELOW = "\033[J";
    private static final int CTRL_C = 3;
    private static final int USUAL_ROWS = 24;
    private static final int USUAL_COLUMNS = 80;
    private static final long LOOK_MILLIS = 100;
    /** The columns of the cells of a table, behind its name. */
    private static final int[] CELLS = {6, 12, 9, 13, 12, 14};

    private static final String BETWEEN_PARTS = "   ";
    private static final int NAME_COLUMNS_LEAST = 16;
    private static final int NAME_COLUMNS_MOST = 64;

    /** From as many columns on there is one for memory, too. */
    private static final int WIDE_COLUMNS = 100;

    private final Console console;
    private final String where;
    private final Terminal terminal;

    /** Whether the terminal was closed while this was open: JLine does so by itself when the process is to end. */
    private boolean isGone;

    private TopScreen(Console console, String where, Terminal terminal) {
        this.console = console;
        this.where = where;
        this.terminal = terminal;
    }

    /** @param where the store is, for people */
    static TopScreen open(Console console, String where) {
        try {
            Terminal terminal = console.isOfProcess()
                    ? TerminalBuilder.builder().name("kvstore").build()
                    : new DumbTerminal("kvstore", "dumb", console.in(), console.out(), StandardCharsets.UTF_8);
            return on(console, where, terminal);
        } catch (IOException e) {
            throw new UncheckedIOException("the terminal cannot be used; --lines needs none", e);
        }
    }

    /** A screen on a terminal, which is this screen's from now on. */
    static TopScreen on(Console console, String where, Terminal terminal) {
        terminal.handle(Terminal.Signal.INT, _ -> console.interruption().ask());
        terminal.enterRawMode();
        terminal.writer().print(ENTER);
        return new TopScreen(console, where, terminal);
    }

    @Override
    public void begin(Moment first) {
        show(first, first);
    }

    @Override
    public void show(Moment before, Moment now) {
        try {
            draw(before, now);
        } catch (IllegalStateException _) {
            isGone = true;
        }
    }

    private void draw(Moment before, Moment now) {
        Size size = terminal.getSize();
        int rows = size.getRows() > 0 ? size.getRows() : USUAL_ROWS;
        int columns = size.getColumns() > 0 ? size.getColumns() : USUAL_COLUMNS;
        StringBuilder screen = new StringBuilder(HOME);
        List<String> lines = lines(before, now, columns);
        int shown = Math.min(lines.size(), rows);
        // A line is erased before it is written: behind a line that is full the cursor stands on its last character.
        for (int i = 0; i < shown; i++) {
            String line = fitting(Printable.line(lines.get(i)), columns);
            screen.append(i == 0 ? "" : "\r\n").append(ERASE_LINE).append(line);
        }
        terminal.writer().print(screen.append(shown < rows ? "\r\n" + ERASE_BELOW : ""));
        terminal.flush();
    }

    /** As many whole parts of a line as fit. Half a number would be another one. */
    private static String fitting(String line, int columns) {
        if (line.length() <= columns) {
            return line;
        }
        int end = line.lastIndexOf(BETWEEN_PARTS, columns);
        return line.substring(0, end > 0 ? end : columns);
    }

    private static int width(int cells) {
        return Arrays.stream(CELLS, 0, cells).map(width -> width + 1).sum();
    }

    private static String row(int columns, String name, String... cells) {
        StringBuilder row = new StringBuilder();
        int shown = columns < WIDE_COLUMNS ? CELLS.length - 1 : CELLS.length;
        while (shown > 0 && NAME_COLUMNS_LEAST + width(shown) > columns) {
            shown--;
        }
        int taken = width(shown);
        int room = Math.clamp(columns - taken, NAME_COLUMNS_LEAST, NAME_COLUMNS_MOST);
        row.append(name, 0, Math.min(name.length(), room)).repeat(' ', Math.max(0, room - name.length()));
        for (int i = 0; i < shown; i++) {
            row.append(' ')
                    .repeat(' ', Math.max(0, CELLS[i] - cells[i].length()))
                    .append(cells[i]);
        }
        return row.toString();
    }

    private List<String> lines(Moment before, Moment now, int columns) {
        List<Moment.TableRow> tables = now.tables();
        List<String> lines = new ArrayList<>();
        lines.add("kvstore top, " + where + " (q leaves)");
        lines.add("writes/s " + now.rate(before, "log.records") + "   log bytes/s "
                + now.rate(before, "log.recordBytes") + "   syncs/s " + now.rate(before, "log.syncs")
                + "   checkpoints " + Figures.count((long) now.number("checkpoints.count")) + "   snapshots "
                + Figures.count((long) now.number("openSnapshots")));
        lines.add("tables " + Figures.count(tables.size()) + "   entries " + Figures.count(now.entries())
                + "   file bytes " + Figures.count(now.fileBytes()) + "   memory bytes "
                + Figures.count(now.memoryBytes()) + " of "
                + Figures.count((long) now.number("memoryBudgetBytes")));
        lines.add("");
        lines.add(
                row(columns, "table", "engine", "entries", "entries/s", "file bytes", "file bytes/s", "memory bytes"));
        Map<String, Moment.TableRow> earlier = new HashMap<>();
        before.tables().forEach(table -> earlier.put(table.name(), table));
        tables.stream()
                .map(table -> Line.of(table, earlier.getOrDefault(table.name(), table), before, now))
                .sorted(Line.BUSIEST_FIRST)
                .map(line -> line.text(columns))
                .forEach(lines::add);
        return lines;
    }

    /**
     * The line of a table.
     *
     * @param entries more entries in a second
     * @param fileBytes more bytes of files in a second
     * @param memoryBytes more bytes of memory in a second
     */
    private record Line(Moment.TableRow table, long entries, long fileBytes, long memoryBytes) {

        static final Comparator<Line> BUSIEST_FIRST = Comparator.comparingLong(Line::changed)
                .thenComparingLong(line -> line.table.diskBytes())
                .reversed()
                .thenComparing(line -> line.table.name());

        static Line of(Moment.TableRow now, Moment.TableRow earlier, Moment before, Moment present) {
            return new Line(
                    now,
                    present.perSecond(before, now.entries() - earlier.entries()),
                    present.perSecond(before, now.diskBytes() - earlier.diskBytes()),
                    present.perSecond(before, now.memoryBytes() - earlier.memoryBytes()));
        }

        long changed() {
            return Math.abs(fileBytes) + Math.abs(memoryBytes);
        }

        String text(int columns) {
            return row(
                    columns,
                    table.name(),
                    table.engine().toLowerCase(Locale.ROOT),
                    Figures.count(table.entries()),
                    Figures.count(entries),
                    Figures.count(table.diskBytes()),
                    Figures.count(fileBytes),
                    Figures.count(table.memoryBytes()));
        }
    }

    private void flush() {
        try {
            terminal.flush();
        } catch (IllegalStateException _) {
            isGone = true;
        }
    }

    @Override
    public boolean await(long nanos) {
        long end = System.nanoTime() + nanos;
        try {
            if (isGone) {
                return true;
            }
            NonBlockingReader keys = terminal.reader();
            for (long left = nanos; left > 0; left = end - System.nanoTime()) {
                int key = keys.read(Math.clamp(TimeUnit.NANOSECONDS.toMillis(left), 1, LOOK_MILLIS));
                boolean isEnd = key == 'q' || key == 'Q' || key == CTRL_C || key == NonBlockingReader.EOF;
                if (isEnd || console.interruption().isAsked()) {
                    return true;
                }
            }
            return false;
        } catch (IllegalStateException | ClosedException _) {
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException("the terminal cannot be read; --lines needs none", e);
        }
    }

    @Override
    public void close() {
        try (Terminal _ = terminal) {
            if (!isGone) {
                flush();
            }
            // not through the terminal, which may be closed already
            console.out().write(LEAVE.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException("the terminal cannot be given back", e);
        }
    }
}
