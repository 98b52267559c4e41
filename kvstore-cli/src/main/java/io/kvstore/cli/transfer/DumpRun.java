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
import java.io.IOException;
import java.util.List;

/** One dump: what a store has at the moment of one snapshot. For use by one thread. */
final class DumpRun implements AutoCloseable {

    /** A reader of the dump at the other end of a pipe may be slow. */
    private static final int LEASE_MILLIS = 3_600_000;

    private static final int MOST_TRIES = 10;

    private final ClientSnapshot snapshot;
    private final Contents contents;
    private final ProgressLine progress;
    private final long about;
    private long entries;

    private DumpRun(ClientSnapshot snapshot, Contents contents, ProgressLine progress, long about) {
        this.snapshot = snapshot;
        this.contents = contents;
        this.progress = progress;
        this.about = about;
    }

    /** Takes a snapshot whose tables are those that there are before it and after it, and so at its moment. */
    static DumpRun begin(KVClient client, Selection wanted, ProgressLine progress) {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            Selection.Found before = wanted.find(client);
            requireFewEnough(before);
            ClientSnapshot snapshot = client.snapshot(LEASE_MILLIS);
            try {
                if (before.equals(wanted.find(client))) {
                    List<TableDefinition> tables = Selection.definitions(before);
                    return new DumpRun(
                            snapshot,
                            new Contents(List.copyOf(before.databases()), tables),
                            progress,
                            estimate(client, tables));
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
        if (found.tables().size() > DumpWriter.mostTables()) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "there are " + found.tables().size() + " tables, and a dump has at most " + DumpWriter.mostTables()
                            + "; make several dumps, and name databases for each");
        }
    }

    private static long estimate(KVClient client, List<TableDefinition> tables) {
        return tables.stream()
                .mapToLong(table -> TableFigures.entries(
                        client.table(table.database(), table.table()).stats().numbers()))
                .sum();
    }

    Contents contents() {
        return contents;
    }

    /** How many entries were written. */
    long entries() {
        return entries;
    }

    /** Writes all tables. */
    void write(DumpTarget target) throws IOException {
        progress.begin("dumping", "entry");
        progress.expect(about);
        int number = 0;
        for (TableDefinition table : contents.tables()) {
            target.beginTable(number++);
            EntryWalk walk = new EntryWalk(snapshot.table(table.database(), table.table()), ScanOptions.all());
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
