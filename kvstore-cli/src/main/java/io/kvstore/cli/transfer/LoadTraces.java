package io.kvstore.cli.transfer;

import io.kvstore.cli.dump.TableDefinition;
import io.kvstore.client.KVClient;
import io.kvstore.client.error.NotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a load has made so far, and how that is undone. One thread uses it; {@link #left} is for any thread. */
final class LoadTraces {

    /** What is said if nothing is left. */
    static final String NOTHING = " (nothing was loaded)";

    private static final int MOST_NAMED = 20;

    private final KVClient client;
    private final List<String> madeDatabases = new ArrayList<>();
    private final Queue<TableDefinition> made = new ConcurrentLinkedQueue<>();

    /** Tables that could not be dropped. */
    private final Queue<TableDefinition> kept = new ConcurrentLinkedQueue<>();

    /** The table, or the database, whose answer was lost. */
    private volatile @Nullable TableDefinition lostTable;

    private volatile @Nullable String lostDatabase;

    LoadTraces(KVClient client) {
        this.client = client;
    }

    void made(String database) {
        madeDatabases.add(database);
    }

    void made(TableDefinition table) {
        made.add(table);
    }

    /** A table has another name now. */
    void renamed(TableDefinition from, TableDefinition to) {
        made.add(to);
        made.remove(from);
    }

    void mayBeMade(String database) {
        lostDatabase = database;
    }

    void mayBeMade(TableDefinition table) {
        lostTable = table;
    }

    /** Which tables are left if the process ends now, for people; null if there is none. */
    @Nullable
    String left() {
        TableDefinition lost = lostTable;
        List<String> names = Stream.of(kept.stream(), made.stream(), Stream.ofNullable(lost))
                .flatMap(tables -> tables)
                .map(TableDefinition::name)
                .toList();
        return names.isEmpty() ? null : "the load did not end in time, and leaves " + listed(names) + drop("table");
    }

    private static String listed(List<String> names) {
        return names.size() <= MOST_NAMED
                ? String.join(", ", names)
                : String.join(", ", names.subList(0, MOST_NAMED)) + " and " + (names.size() - MOST_NAMED) + " more";
    }

    private static String drop(String what) {
        return "; drop with 'kvstore " + what + " drop'";
    }

    /** Drops all that was made. Returns the outcome in words. */
    String undone() {
        for (TableDefinition table = made.peek(); table != null; table = made.peek()) {
            TableDefinition present = table;
            if (!isDropped(() -> client.dropTable(present.database(), present.table()))) {
                kept.add(table);
            }
            made.remove();
        }
        List<String> keptDatabases = new ArrayList<>();
        for (String database : madeDatabases) {
            if (!isDropped(() -> client.dropDatabase(database))) {
                keptDatabases.add(database);
            } else if (lostTable != null && lostTable.database().equals(database)) {
                lostTable = null; // it is not there, and will not be
            }
        }
        return told(keptDatabases);
    }

    private String told(List<String> keptDatabases) {
        List<String> all = new ArrayList<>();
        if (!kept.isEmpty()) {
            all.add(listed(kept.stream().map(TableDefinition::name).toList()) + " could not be dropped again"
                    + drop("table"));
        }
        if (!keptDatabases.isEmpty()) {
            all.add("of databases, " + listed(keptDatabases) + " could not be dropped again" + drop("db"));
        }
        if (lostTable != null) {
            all.add("the table " + lostTable.name() + " may be there" + drop("table"));
        }
        if (lostDatabase != null) {
            all.add("the database " + lostDatabase + " may be there" + drop("db"));
        }
        return all.isEmpty() ? NOTHING : " (" + String.join("; ", all) + ")";
    }

    private static boolean isDropped(Runnable drop) {
        try {
            drop.run();
            return true;
        } catch (NotFoundException _) {
            return true;
        } catch (RuntimeException | OutOfMemoryError _) {
            return false; // which is told by name
        }
    }
}
