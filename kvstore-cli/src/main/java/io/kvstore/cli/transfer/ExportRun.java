package io.kvstore.cli.transfer;

import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.http.StreamEncoding;
import io.kvstore.cli.rows.CsvWriter;
import io.kvstore.cli.rows.Encoding;
import io.kvstore.cli.rows.EntryWriter;
import io.kvstore.cli.rows.NdjsonWriter;
import io.kvstore.cli.rows.RowFormat;
import io.kvstore.cli.rows.TextLook;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * One export.
 *
 * @param entries the entries that are meant
 * @param format of the text
 * @param encoding of bytes, or null to choose one
 * @param progress is told
 * @param about how many entries there are, estimated; 0 if nobody knows
 */
record ExportRun(
        EntrySource entries, RowFormat format, @Nullable Encoding encoding, ProgressLine progress, long about) {

    /** Writes all entries; returns how many there were. */
    long write(OutputStream target) throws IOException {
        StreamEncoding copied = copied();
        if (entries instanceof StreamedEntries streamed && copied != null) {
            begin("exporting");
            return streamed.copy(target, copied);
        }
        EntryWriter writer = writer(target);
        long written = walk("exporting", (key, value) -> {
            writer.write(key, value);
            return true;
        });
        writer.end(written);
        return written;
    }

    /** The encoding in which a server streams the very text of this export; null if it does not. */
    private @Nullable StreamEncoding copied() {
        return format != RowFormat.NDJSON
                ? null
                : switch (encoding) {
                    case null -> StreamEncoding.TEXT;
                    case HEX -> StreamEncoding.HEX;
                    case BASE64 -> StreamEncoding.BASE64URL;
                    case UTF8 -> null; // it refuses what is no text
                };
    }

    private EntryWriter writer(OutputStream target) throws IOException {
        return switch (format) {
            case NDJSON -> new NdjsonWriter(target, encoding);
            case CSV -> encoding != null ? new CsvWriter(target, encoding, encoding) : look().writer(target);
        };
    }

    private TextLook look() throws IOException {
        TextLook look = new TextLook();
        walk("looking for entries that are no text", (key, value) -> {
            look.see(key, value);
            return look.isOpen();
        });
        return look;
    }

    private void begin(String job) {
        progress.begin(job, "entry");
        progress.expect(about);
    }

    private long walk(String job, EntrySource.Taker taker) throws IOException {
        begin(job);
        long[] taken = new long[1];
        entries.each((key, value) -> {
            boolean isMore = taker.take(key, value);
            progress.at(++taken[0], ProgressLine.UNKNOWN);
            return isMore;
        });
        return taken[0];
    }
}
