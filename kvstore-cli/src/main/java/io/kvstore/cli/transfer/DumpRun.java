package io.kvstore.cli.transfer;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.dump.Contents;
import io.kvstore.cli.dump.DumpTarget;
import io.kvstore.cli.dump.DumpWriter;
import io.kvstore.cli.dump.TableDefinition;
import io.kvstore.cli.session.TableFigures;
import io.kvstore.client.ClientSnapshot;
import io.kvstore.client.KVClient;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableDescription;
import io.kvstore.client.error.NotFoundException;
import java.io.IOException;
import java.util.List;

/** One dump: what a store has at the moment of one snapshot. For use by one thread. */
final class DumpRun implements AutoCloseable {

    private static final int MOST_TRIES = 10;

    private final KVClient client;
    private final ClientSnapshot snapshot;
    private final Selection.Found found;
    private final Contents contents;
    private final ProgressLine progress;
    private final long about;
    private long entries;

    private DumpRun(KVClient client, ClientSnapshot snapshot, Selection.Found found, ProgressLine progress) {
        this.client = client;
        this.snapshot = snapshot;
        this.found = found;
        this.contents = new Contents(List.copyOf(found.databases()), Selection.definitions(found));
        this.progress = progress;
        this.about = estimate(client, contents.tables());
    }

    /** Takes a snapshot whose tables are those that there are before it and after it, and so at its moment. */
    static DumpRun begin(KVClient client, Selection wanted, ProgressLine progress) {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            Selection.Found before = wanted.find(client);
            requireFewEnough(before);
            ClientSnapshot snapshot = client.snapshot(EntryWalk.LEASE_MILLIS);
            try {
                if (before.equals(wanted.find(client))) {
                    return new DumpRun(client, snapshot, before, progress);
                }
            } catch (Throwable e) {
                snapshot.close();
                throw e;
            }
            snapshot.close();
        }
        throw new CommandFailure(
                ExitStatus.UNAVAILABLE,
                "tables are created, changed or dropped all the time, so no moment has them all; try again, or name fewer");
    }

    private static void requireFewEnough(Selection.Found found) {
        requireFewEnough(found.databases().size(), "databases");
        requireFewEnough(found.tables().size(), "tables");
    }

    private static void requireFewEnough(int count, String things) {
        if (count > DumpWriter.mostTables()) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "there are " + count + " " + things + ", and a dump has at most " + DumpWriter.mostTables()
                            + "; make several dumps, and name databases for each");
        }
    }

    private static long estimate(KVClient client, List<TableDefinition> tables) {
        return tables.stream().mapToLong(table -> estimate(client, table)).sum();
    }

    private static long estimate(KVClient client, TableDefinition table) {
        try {
            return TableFigures.entries(
                    client.table(table.database(), table.table()).stats().numbers());
        } catch (NotFoundException _) {
            return 0; // it was dropped a moment ago, which the walk over its entries tells
        }
    }

    Contents contents() {
        return contents;
    }

    /** How many entries were written. */
    long entries() {
        return entries;
    }

    /** Writes all tables. Fails if the name of one was that of another table meanwhile. */
    void write(DumpTarget target) throws IOException {
        progress.begin("dumping", "entry");
        progress.expect(about);
        int number = 0;
        for (TableDescription table : found.tables()) {
            target.beginTable(number++);
            EntryWalk walk = new EntryWalk(
                    snapshot.table(table.database(), table.table()),
                    ScanOptions.all(),
                    new SameTable(client, table, "dump"),
                    progress);
            walk.each((key, value) -> {
                target.entry(key, value);
                progress.at(++entries, ProgressLine.UNKNOWN);
                return true;
            });
        }
        target.end();
    }

    @Override
    public void close() {
        snapshot.close();
    }
}
