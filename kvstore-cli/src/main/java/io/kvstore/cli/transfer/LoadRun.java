package io.kvstore.cli.transfer;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.cli.console.Aftermath;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.dump.DumpSource;
import io.kvstore.cli.dump.TableDefinition;
import io.kvstore.client.KVClient;
import io.kvstore.client.ServerDescription;
import io.kvstore.client.error.AlreadyExistsException;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One load: the tables of a dump are made, all of them or none. They are filled under names that no other load has, and get
 * their own names when all entries are there. So a reader never finds a part of a table under the table's name. A load that
 * fails drops tables of its own only. For use by one thread.
 */
final class LoadRun {

    private static final String STAGED = "loading-";

    private final KVClient client;
    private final @Nullable KVStore store;
    private final DumpSource dump;
    private final ProgressLine progress;
    private final Console console;
    private final LoadTraces traces;
    private long entries;

    /** @param store the store if it is one of this process */
    LoadRun(KVClient client, @Nullable KVStore store, DumpSource dump, ProgressLine progress, Console console) {
        this.client = client;
        this.store = store;
        this.dump = dump;
        this.progress = progress;
        this.console = console;
        this.traces = new LoadTraces(client);
    }

    /** How many entries were loaded. */
    long entries() {
        return entries;
    }

    /** @param part tells how much of the dump was read */
    void load(List<String> databases, List<TableDefinition> tables, DoubleSupplier part) {
        requireTaken(tables);
        requireAbsent(tables);
        console.interruption().setUndoing(traces::left);
        try {
            List<TableDefinition> staged = make(databases, tables);
            fill(staged, part);
            publish(staged, tables);
        } catch (Exception e) {
            throw Aftermath.told(e, traces.undone());
        } catch (Error e) { // such as a heap that is full
            String after = traces.undone();
            if (!after.equals(LoadTraces.NOTHING)) {
                console.fail("the load has failed" + after);
            }
            throw e;
        } finally {
            console.interruption().setUndoing(null);
        }
    }

    private void requireTaken(List<TableDefinition> tables) {
        for (TableDefinition table : tables) {
            if (store == null && table.isSealed()) {
                throw new CommandFailure(
                        ExitStatus.USAGE,
                        "the dump has " + table.name()
                                + ", a sealed table, which a server does not take entry by entry;"
                                + " name the other tables when you dump, and give the server a table file for this one:"
                                + " 'kvstore build' makes it");
            }
            if (store != null && table.isTemporary()) {
                throw new CommandFailure(
                        ExitStatus.USAGE,
                        table.name() + " is a temporary table, which goes when this command closes the directory; give"
                                + " --option TEMPORARY=false");
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
                throw present(table);
            }
        }
    }

    private static CommandFailure present(TableDefinition table) {
        return new CommandFailure(
                ExitStatus.CONDITION_FAILED,
                table.name() + " is there already; load --into another database, or drop it first with"
                        + " 'kvstore table drop'");
    }

    /** Makes the tables under names of this load, and returns them. */
    private List<TableDefinition> make(List<String> databases, List<TableDefinition> tables) {
        progress.begin("making", "table");
        for (String database : databases) {
            progress.at(0, 0);
            make(database);
        }
        String prefix = STAGED + Long.toHexString(ThreadLocalRandom.current().nextLong()) + "-";
        List<TableDefinition> staged = new ArrayList<>();
        for (int i = 0; i < tables.size(); i++) {
            progress.at(i, (double) i / tables.size());
            staged.add(tables.get(i).named(prefix + i));
            make(tables.get(i), staged.get(i));
        }
        return staged;
    }

    private void make(String database) {
        try {
            if (client.createDatabase(database)) {
                traces.made(database);
            }
        } catch (KVClientException e) {
            if (e.outcome() == Outcome.UNKNOWN) {
                traces.mayBeMade(database);
            }
            throw e;
        }
    }

    private void make(TableDefinition table, TableDefinition staged) {
        try {
            client.createTable(staged.database(), staged.table(), staged.engine(), staged.options());
        } catch (KVClientException e) {
            boolean isUnknown = e.outcome() == Outcome.UNKNOWN;
            if (isUnknown) {
                traces.mayBeMade(staged);
            }
            String remedy = isUnknown ? ")" : "; --option NAME=VALUE gives another value)";
            throw Aftermath.told(e, " (of " + table.name() + remedy);
        }
        traces.made(staged);
    }

    /** Gives the tables their names. One of a name that somebody else has taken meanwhile ends the load. */
    private void publish(List<TableDefinition> staged, List<TableDefinition> tables) {
        for (int i = 0; i < tables.size(); i++) {
            TableDefinition table = tables.get(i);
            try {
                client.renameTable(table.database(), staged.get(i).table(), table.table());
            } catch (AlreadyExistsException _) {
                throw present(table);
            } catch (KVClientException e) {
                if (e.outcome() == Outcome.UNKNOWN) {
                    traces.mayBeMade(table);
                }
                throw e;
            }
            traces.renamed(staged.get(i), table);
        }
    }

    private void fill(List<TableDefinition> tables, DoubleSupplier part) throws IOException {
        progress.begin("loading", "entry");
        ServerDescription server = client.serverInfo();
        // a store of this process leaves it to each table
        dump.setMostValueBytes(store == null ? server.maxValueBytes() : KVStoreOptions.HARD_MAX_VALUE_BYTES);
        for (boolean isMore = dump.next(); isMore; ) {
            TableDefinition table = tables.get(dump.table());
            TableEntries here = new TableEntries(dump, () -> progress.at(++entries, part.getAsDouble()));
            if (table.isSealed() && store != null) {
                // the store builds the file in its own directory: the system's temporary one may be small
                store.table(table.database(), table.table()).files().fill(here, TableFileSettings.USUAL, Progress.NONE);
            } else {
                fill(server, table, here);
            }
            isMore = here.isAnotherBehind();
        }
    }

    private void fill(ServerDescription server, TableDefinition table, TableEntries here) {
        try (Batches batches = new Batches(client, server, table.database(), table.table())) {
            while (here.next()) {
                batches.put(here.key(), here.value());
            }
            batches.finish();
        }
    }
}
