package io.kvstore.cli.transfer;

import io.kvstore.KVStore;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.dump.DumpSource;
import io.kvstore.cli.dump.TableDefinition;
import io.kvstore.client.KVClient;
import io.kvstore.client.ServerDescription;
import io.kvstore.client.error.KVClientException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** One load: the tables of a dump are made, all of them or none. For use by one thread. */
final class LoadRun {

    private static final int NO_TABLE = -1;

    private final KVClient client;
    private final @Nullable KVStore store;
    private final DumpSource dump;
    private final ProgressLine progress;
    private final List<String> madeDatabases = new ArrayList<>();
    private final List<TableDefinition> madeTables = new ArrayList<>();
    private long entries;

    /** @param store the store if it is one of this process */
    LoadRun(KVClient client, @Nullable KVStore store, DumpSource dump, ProgressLine progress) {
        this.client = client;
        this.store = store;
        this.dump = dump;
        this.progress = progress;
    }

    /** How many entries were loaded. */
    long entries() {
        return entries;
    }

    /** @param part tells how much of the dump was read */
    void load(List<String> databases, List<TableDefinition> tables, DoubleSupplier part) {
        requireTaken(tables);
        requireAbsent(tables);
        try {
            make(databases, tables);
            fill(tables, part);
        } catch (RuntimeException | IOException e) {
            throw Aftermath.told(e, undone());
        }
    }

    /** A sealed table takes a file, and a server takes one over HTTP only. */
    private void requireTaken(List<TableDefinition> tables) {
        if (store != null) {
            return;
        }
        for (TableDefinition table : tables) {
            if (table.isSealed()) {
                throw new CommandFailure(
                        ExitStatus.USAGE,
                        "the dump has " + table.name()
                                + ", a sealed table, which a server does not take entry by entry;"
                                + " name the other tables when you dump, and give the server a table file for this one:"
                                + " 'kvstore build' makes it");
            }
        }
    }

    private void requireAbsent(List<TableDefinition> tables) {
        Set<String> databases = new TreeSet<>(client.databases());
        Map<String, Set<String>> present = new HashMap<>();
        for (TableDefinition table : tables) {
            String database = table.database();
            if (databases.contains(database)
                    && present.computeIfAbsent(database, name -> Set.copyOf(client.tables(name)))
                            .contains(table.table())) {
                throw new CommandFailure(
                        ExitStatus.CONDITION_FAILED,
                        table.name() + " is there already; load --into another database, or drop it first with"
                                + " 'kvstore table drop'");
            }
        }
    }

    private void make(List<String> databases, List<TableDefinition> tables) {
        for (String database : databases) {
            if (client.createDatabase(database)) {
                madeDatabases.add(database);
            }
        }
        for (TableDefinition table : tables) {
            try {
                client.createTable(table.database(), table.table(), table.engine(), table.options());
            } catch (KVClientException e) {
                throw Aftermath.told(e, " (of " + table.name() + "; --option NAME=VALUE gives another value)");
            }
            madeTables.add(table);
        }
    }

    private void fill(List<TableDefinition> tables, DoubleSupplier part) throws IOException {
        progress.begin("loading", "entry");
        ServerDescription server = client.serverInfo();
        int current = NO_TABLE;
        EntrySink sink = null;
        try {
            while (dump.next()) {
                if (dump.table() != current) {
                    if (sink != null) {
                        sink.finish();
                        sink.close();
                    }
                    current = dump.table();
                    sink = sink(server, tables.get(current));
                }
                if (sink != null) {
                    sink.put(dump.key(), dump.value());
                }
                progress.at(++entries, part.getAsDouble());
            }
            if (sink != null) {
                sink.finish();
            }
        } finally {
            if (sink != null) {
                sink.close();
            }
        }
    }

    private EntrySink sink(ServerDescription server, TableDefinition table) throws IOException {
        return table.isSealed() && store != null
                ? SealedLoad.begin(store.table(table.database(), table.table()).files())
                : new Batches(client, server, table.database(), table.table());
    }

    /** Drops what was made; says what has become of it. */
    private String undone() {
        List<String> left = new ArrayList<>();
        for (TableDefinition table : madeTables) {
            try {
                client.dropTable(table.database(), table.table());
            } catch (KVClientException e) {
                left.add(table.name());
            }
        }
        if (!left.isEmpty()) {
            return " (" + String.join(", ", left) + " could not be dropped again; drop with 'kvstore table drop')";
        }
        for (String database : madeDatabases) {
            try {
                client.dropDatabase(database);
            } catch (KVClientException e) {
                return " (the database " + database + " was made, and could not be dropped again)";
            }
        }
        return " (nothing was loaded)";
    }
}
