package io.kvstore.cli.transfer;

import io.kvstore.KVStore;
import io.kvstore.cli.console.Aftermath;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Failures;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.Input;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.rows.BadRowException;
import io.kvstore.cli.rows.RowSource;
import io.kvstore.cli.session.TableName;
import io.kvstore.client.KVClient;
import io.kvstore.client.ServerDescription;
import io.kvstore.client.TableDescription;
import io.kvstore.client.error.KVClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** One import: rows become batches. For use by one thread. */
final class ImportRun {

    private static final String MAX_VALUE_BYTES = "MAX_VALUE_BYTES";

    private final KVClient client;
    private final TableName table;
    private final Input text;
    private final ProgressLine progress;
    private final ServerDescription server;
    private final Batches batches;
    private final @Nullable KVStore store;
    private long mostValueBytes;

    /** The name of the limit of values, for messages. */
    private String bound = "";

    /** Opens the rows, whose first ones may be refused already. */
    @FunctionalInterface
    interface Opening {
        RowSource open() throws IOException;
    }

    /** @param store the store if it is one of this process, where the table alone bounds its values */
    ImportRun(KVClient client, @Nullable KVStore store, TableName table, Input text, ProgressLine progress) {
        this.client = client;
        this.store = store;
        this.table = table;
        this.text = text;
        this.progress = progress;
        this.server = client.serverInfo();
        this.batches = new Batches(client, server, table.database(), table.table());
    }

    /** Reads and stores all rows. Returns what is to be said of it. */
    String run(Opening opening) {
        // a table that is missing is told before a row is read
        TableDescription description =
                client.table(table.database(), table.table()).describe();
        long ofTable =
                Long.parseLong(description.options().getOrDefault(MAX_VALUE_BYTES, Long.toString(Long.MAX_VALUE)));
        boolean isTableBound = store != null || ofTable <= server.maxValueBytes();
        mostValueBytes = isTableBound ? ofTable : server.maxValueBytes();
        bound = isTableBound ? MAX_VALUE_BYTES + " of " + table : "the server's limit";
        progress.begin("importing", "row");
        try (batches) {
            storeAll(opening);
        }
        return table + ": " + Figures.count(batches.stored(), "row") + ", "
                + Figures.count(batches.storedBytes(), "byte")
                + ", " + Figures.seconds(progress.nanos()) + ", "
                + Figures.rate(batches.stored(), "row", progress.nanos());
    }

    private void storeAll(Opening opening) {
        try {
            store(opening);
        } catch (CommandFailure | KVClientException e) {
            throw Aftermath.told(first(e), kept());
        }
    }

    private void store(Opening opening) {
        try {
            RowSource rows = opening.open();
            while (rows.next()) {
                add(rows);
                progress.at(batches.taken(), text.part());
            }
            batches.finish();
        } catch (BadRowException e) {
            throw refused(", line " + e.line() + ": " + e.getMessage());
        } catch (UncheckedIOException e) {
            throw refused(", the rows cannot be read: " + Failures.message(e));
        } catch (IOException e) {
            throw refused(", the rows cannot be read: " + Failures.message(e));
        }
    }

    /** The failure that came first: rows before a bad one may still be under way, and fail. */
    private RuntimeException first(RuntimeException found) {
        try {
            batches.settle();
            return found;
        } catch (KVClientException before) {
            return before;
        }
    }

    private void add(RowSource rows) {
        byte[] value = rows.value();
        if (value.length > mostValueBytes) {
            throw refused(", line " + rows.line() + ": the value has " + value.length + " bytes; it may have at most "
                    + mostValueBytes + ", " + bound + "; leave the row out, or raise that");
        }
        batches.put(rows.key(), value);
    }

    private CommandFailure refused(String message) {
        return new CommandFailure(ExitStatus.ERROR, text.name() + message);
    }

    private String kept() {
        long stored = batches.stored();
        return " (" + Figures.count(stored, "row") + " before " + (stored == 1 ? "is" : "are") + " stored)";
    }
}
