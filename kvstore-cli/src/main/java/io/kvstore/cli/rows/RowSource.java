package io.kvstore.cli.rows;

import java.io.IOException;
import java.io.InputStream;

/** Reads entries from text, one at a time. For use by one thread. */
public interface RowSource {

    /**
     * Goes to the next entry. Returns false if there is none.
     *
     * @throws BadRowException if the next row has no entry
     */
    boolean next() throws IOException;

    /** The key of the present entry, at most as long as a key may be. */
    byte[] key();

    /** The value of the present entry. */
    byte[] value();

    /** The line in which the present entry begins; the first line is 1. */
    long line();

    /**
     * Reads text in a format.
     *
     * @param limit of a line, or of a field of CSV
     */
    static RowSource of(RowFormat format, InputStream in, RowForm form, LineLimit limit) throws IOException {
        InputStream text = Utf8Mark.skip(in);
        return switch (format) {
            case NDJSON -> new NdjsonSource(new LineReader(text, limit), form);
            case CSV -> new CsvSource(new Utf8Reader(text), form, limit);
        };
    }
}
