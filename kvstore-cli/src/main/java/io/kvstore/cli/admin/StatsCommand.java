package io.kvstore.cli.admin;

import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.GivenOutput;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableName;
import io.kvstore.cli.session.TargetOptions;
import io.kvstore.client.Statistics;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Prints statistics. */
@Command(
        name = "stats",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Prints the figures of the store, or with a table those of the table.",
        footer = {"", "Examples: kvstore stats", "          kvstore stats demo/names --output json"})
public final class StatsCommand implements Callable<Integer> {

    private static final String TABLES = "tables.";
    private static final String MEASURES = "engine.measures.";

    private final Session session;

    @Parameters(arity = "0..1", paramLabel = "DB/TABLE", description = "The table. Default: the whole store")
    private @Nullable String table;

    @Mixin
    private final TargetOptions target = new TargetOptions();

    @Mixin
    private final GivenOutput output = new GivenOutput();

    public StatsCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        boolean isJson = output.isJson(session);
        Statistics statistics;
        if (table == null) {
            statistics = session.client(target).stats();
        } else {
            TableName name = session.table(table, target);
            statistics =
                    session.client(target).table(name.database(), name.table()).stats();
        }
        Answer answer = new Answer();
        sorted(statistics).forEach(answer::with);
        session.console().print(answer.text(isJson));
        return ExitStatus.OK;
    }

    /** All figures by name. Those of all tables would hide those of the store. */
    private static Map<String, Object> sorted(Statistics statistics) {
        Map<String, Object> figures = new TreeMap<>(statistics.texts());
        figures.putAll(statistics.numbers());
        figures.keySet().removeIf(name -> name.startsWith(TABLES));
        for (int i = 0; figures.containsKey(MEASURES + i + ".value"); i++) { // a store in the process numbers them
            String place = MEASURES + i + ".";
            Object name = figures.get(place + "name");
            Object value = figures.get(place + "value");
            figures.keySet().removeIf(figure -> figure.startsWith(place));
            if (name != null && value != null) {
                figures.put(MEASURES + name, value);
            }
        }
        return figures;
    }
}
