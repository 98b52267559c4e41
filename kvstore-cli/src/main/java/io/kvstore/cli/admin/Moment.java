package io.kvstore.cli.admin;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Figures;
import io.kvstore.client.KVClient;
import io.kvstore.client.Statistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The figures of a store at one moment. */
record Moment(Statistics statistics, long nanos) {

    private static final String TABLES = "tables.";

    static Moment of(KVClient client, Console console) {
        return new Moment(client.stats(), console.nanos());
    }

    /** The figures of one table; sizes are 0 for a table that cannot be used. */
    record TableRow(String name, String engine, long entries, long diskBytes, long memoryBytes) {}

    double number(String name) {
        return statistics.numbers().getOrDefault(name, 0.0);
    }

    /** The sum of a figure over a family of names. */
    long sum(String beginning, String end) {
        return (long) statistics.numbers().entrySet().stream()
                .filter(figure ->
                        figure.getKey().startsWith(beginning) && figure.getKey().endsWith(end))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    /** Keys of all tables that have a value, estimated. */
    long entries() {
        return sum(TABLES, ".engine.entries");
    }

    /** Bytes of memory, in all uses. */
    long memoryBytes() {
        return sum("memoryUsedBytes.", "");
    }

    /** Bytes of all files. */
    long fileBytes() {
        return sum(TABLES, ".engine.diskBytes") + (long) number("log.fileBytes");
    }

    /** How much a figure has grown in a second. */
    String rate(Moment before, String name) {
        return Figures.count(Math.max(0, perSecond(before, (long) (number(name) - before.number(name)))));
    }

    long perSecond(Moment before, long grown) {
        double seconds = Math.max(nanos - before.nanos, 1) / (double) TimeUnit.SECONDS.toNanos(1);
        return Math.round(grown / seconds);
    }

    /** All tables. */
    List<TableRow> tables() {
        List<TableRow> rows = new ArrayList<>();
        for (int i = 0; statistics.texts().containsKey(TABLES + i + ".table"); i++) {
            String place = TABLES + i + ".";
            rows.add(new TableRow(
                    text(place + "database") + "/" + text(place + "table"),
                    text(place + "engineName"),
                    (long) number(place + "engine.entries"),
                    (long) number(place + "engine.diskBytes"),
                    (long) number(place + "engine.memoryBytes")));
        }
        return rows;
    }

    private String text(String name) {
        return statistics.texts().getOrDefault(name, "");
    }
}
