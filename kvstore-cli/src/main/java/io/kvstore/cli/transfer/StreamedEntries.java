package io.kvstore.cli.transfer;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.http.EntryStream;
import io.kvstore.cli.http.HttpApiClient;
import io.kvstore.cli.http.StreamEncoding;
import io.kvstore.cli.rows.BadRowException;
import io.kvstore.cli.rows.LineLimit;
import io.kvstore.cli.rows.RowForm;
import io.kvstore.cli.rows.RowFormat;
import io.kvstore.cli.rows.RowSource;
import io.kvstore.cli.rows.TooLongException;
import io.kvstore.cli.session.TableName;
import io.kvstore.client.ScanOptions;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Entries that a server streams over HTTP, as they are at one moment. Each stream is of a moment of its own.
 *
 * @param options a range and a limit
 * @param progress tells if the export was asked to end
 */
record StreamedEntries(HttpApiClient client, TableName table, ScanOptions options, ProgressLine progress)
        implements EntrySource {

    private static final int COPIED_BYTES = 64 << 10;

    private static final LineLimit LONGEST = new LineLimit(LineLimit.GREATEST_BYTES, "give a thrift:// URL");

    private EntryStream open(StreamEncoding encoding) {
        return client.entries(table.database(), table.table(), options, encoding, progress::check);
    }

    @Override
    public void each(Taker taker) throws IOException {
        try (EntryStream stream = open(StreamEncoding.BASE64URL)) {
            RowSource rows = RowSource.of(RowFormat.NDJSON, stream, RowForm.OF_ENTRIES, LONGEST);
            while (isAnother(rows, stream)) {
                if (!taker.take(rows.key(), rows.value())) {
                    return;
                }
            }
        }
    }

    private boolean isAnother(RowSource rows, EntryStream stream) throws IOException {
        try {
            return rows.next();
        } catch (BadRowException e) {
            if (!(e instanceof TooLongException)) {
                stream.failIfEnded(); // which says more
            }
            throw new CommandFailure(
                    ExitStatus.ERROR, table + ": line " + e.line() + " of the answer: " + e.getMessage());
        }
    }

    /** Copies the text of a stream, which is that of an export. Returns how many entries there were. */
    long copy(OutputStream target, StreamEncoding encoding) throws IOException {
        byte[] bytes = new byte[COPIED_BYTES];
        try (EntryStream stream = open(encoding)) {
            for (int count = stream.read(bytes); count >= 0; count = stream.read(bytes)) {
                target.write(bytes, 0, count);
                progress.at(stream.lines(), ProgressLine.UNKNOWN);
            }
            target.flush();
            return stream.lines() - 1;
        }
    }
}
