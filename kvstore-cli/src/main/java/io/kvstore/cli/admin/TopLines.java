package io.kvstore.cli.admin;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Figures;

/** A line for each moment, with a header from time to time. */
final class TopLines implements TopView {

    private static final int HEADER_EVERY = 20;
    private static final int[] WIDTHS = {12, 14, 10, 14, 16, 14, 10};

    private final Console console;
    private long shown;

    TopLines(Console console) {
        this.console = console;
    }

    @Override
    public void begin(Moment first) {
        // a line is about the time between two moments
    }

    @Override
    public void show(Moment before, Moment now) {
        if (shown++ % HEADER_EVERY == 0) {
            print("writes/s", "log bytes/s", "syncs/s", "entries", "file bytes", "memory bytes", "snapshots");
        }
        print(
                now.rate(before, "log.records"),
                now.rate(before, "log.recordBytes"),
                now.rate(before, "log.syncs"),
                Figures.count(now.entries()),
                Figures.count(now.fileBytes()),
                Figures.count(now.memoryBytes()),
                Figures.count((long) now.number("openSnapshots")));
    }

    private void print(String... columns) {
        StringBuilder row = new StringBuilder();
        for (int i = 0; i < columns.length; i++) {
            row.append(i == 0 ? "" : " ")
                    .repeat(' ', Math.max(0, WIDTHS[i] - columns[i].length()))
                    .append(columns[i]);
        }
        console.print(row.append('\n').toString());
    }

    @Override
    public boolean await(long nanos) {
        return console.interruption().await(nanos);
    }

    @Override
    public void close() {
        // standard output stays open
    }
}
