package io.kvstore.cli.transfer;

import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.rows.CsvWriter;
import io.kvstore.cli.rows.Encoding;
import io.kvstore.cli.rows.EntryWriter;
import io.kvstore.cli.rows.NdjsonWriter;
import io.kvstore.cli.rows.RowFormat;
import io.kvstore.cli.rows.TextLook;
import io.kvstore.client.ClientEntry;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableReader;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One export.
 *
 * @param reader of a snapshot
 * @param options the entries that are meant
 * @param format of the text
 * @param encoding of bytes, or null to choose one
 * @param progress is told
 */
record ExportRun(
        TableReader reader,
        ScanOptions options,
        RowFormat format,
        @Nullable Encoding encoding,
        ProgressLine progress) {

    /** Takes an entry. Returns whether it wants another. */
    @FunctionalInterface
    private interface Taker {
        boolean take(byte[] key, byte[] value) throws IOException;
    }

    /** Writes all entries; returns how many there were. */
    long write(OutputStream target) throws IOException {
        EntryWriter writer = writer(target);
        progress.begin("exporting", "entry");
        long written = walk((key, value) -> {
            writer.write(key, value);
            return true;
        });
        writer.end(written);
        return written;
    }

    private EntryWriter writer(OutputStream target) throws IOException {
        return switch (format) {
            case NDJSON -> new NdjsonWriter(target, encoding);
            case CSV -> encoding != null ? new CsvWriter(target, encoding, encoding) : look().writer(target);
        };
    }

    private TextLook look() throws IOException {
        progress.begin("looking for entries that are no text", "entry");
        TextLook look = new TextLook();
        walk((key, value) -> {
            look.see(key, value);
            return look.isOpen();
        });
        return look;
    }

    private long walk(Taker taker) throws IOException {
        long taken = 0;
        for (ClientEntry entry : reader.scan(options)) {
            byte[] value = entry.isTooLarge() ? reader.get(entry.key()) : entry.value();
            boolean isMore = taker.take(entry.key(), Objects.requireNonNull(value));
            taken++;
            progress.at(taken, ProgressLine.UNKNOWN);
            if (!isMore) {
                break;
            }
        }
        return taken;
    }
}
