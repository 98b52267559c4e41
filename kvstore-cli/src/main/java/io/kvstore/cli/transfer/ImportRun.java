package io.kvstore.cli.transfer;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.Input;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.rows.BadRowException;
import io.kvstore.cli.rows.RowSource;
import io.kvstore.cli.session.TableName;
import io.kvstore.client.ClientBatch;
import io.kvstore.client.KVClient;
import io.kvstore.client.ServerDescription;
import io.kvstore.client.TableDescription;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import java.io.IOException;
import java.io.UncheckedIOException;

/** One import: rows become batches. For use by one thread. */
final class ImportRun {

    private static final int BATCH_ROWS = 1_000;
    private static final int BATCH_BYTES = 1 << 20;

    private final KVClient client;
    private final TableName table;
    private final Input text;
    private final ProgressLine progress;
    private ClientBatch batch;
    private int batchBytes;
    private int mostRows;
    private long mostValueBytes;
    private long stored;
    private long bytes;

    /** Opens the rows, whose first ones may be refused already. */
    @FunctionalInterface
    interface Opening {
        RowSource open() throws IOException;
    }

    ImportRun(KVClient client, TableName table, Input text, ProgressLine progress) {
        this.client = client;
        this.table = table;
        this.text = text;
        this.progress = progress;
        this.batch = ClientBatch.in(table.database());
    }

    /** Reads and stores all rows. Returns what is to be said of it. */
    String run(Opening opening) throws IOException {
        // a table that is missing is told before a row is read
        TableDescription description =
                client.table(table.database(), table.table()).describe();
        ServerDescription server = client.serverInfo();
        mostRows = Math.min(BATCH_ROWS, server.maxItems());
        mostValueBytes = Math.min(
                server.maxValueBytes(),
                Long.parseLong(description.options().getOrDefault("MAX_VALUE_BYTES", "" + Long.MAX_VALUE)));
        progress.begin("importing", "row");
        try {
            RowSource rows = opening.open();
            while (rows.next()) {
                add(rows);
                progress.at(stored + batch.changes().size(), text.part());
            }
            write();
        } catch (BadRowException e) {
            throw refused("line " + e.line() + ": " + e.getMessage());
        } catch (UncheckedIOException e) {
            throw refused("the rows cannot be read: " + e.getCause());
        } catch (CommandFailure e) {
            throw new CommandFailure(e.status(), e.getMessage() + kept());
        } catch (KVClientException e) {
            throw KVClientException.of(
                    new ErrorReport(e.code(), e.outcome(), e.getMessage() + kept(), false, null, e.details()), e);
        }
        return table + ": " + Figures.count(stored, "row") + ", " + Figures.count(bytes, "byte") + ", "
                + Figures.seconds(progress.nanos()) + ", " + Figures.rate(stored, "row", progress.nanos());
    }

    private void add(RowSource rows) {
        byte[] key = rows.key();
        byte[] value = rows.value();
        if (value.length > mostValueBytes) {
            throw new CommandFailure(
                    ExitStatus.ERROR,
                    text.name() + ", line " + rows.line() + ": the value has " + value.length
                            + " bytes; it may have at most " + mostValueBytes);
        }
        int rowBytes = key.length + value.length;
        if (batch.changes().size() == mostRows || batchBytes + rowBytes > BATCH_BYTES) {
            write();
        }
        batch.put(table.table(), key, value);
        batchBytes += rowBytes;
    }

    private void write() {
        client.write(batch);
        stored += batch.changes().size();
        bytes += batchBytes;
        batch = ClientBatch.in(table.database());
        batchBytes = 0;
    }

    private CommandFailure refused(String message) {
        return new CommandFailure(ExitStatus.ERROR, text.name() + ", " + message + kept());
    }

    private String kept() {
        return " (" + Figures.count(stored, "row") + " before " + (stored == 1 ? "is" : "are") + " stored)";
    }
}
