package io.kvstore.cli.rows;

import java.util.Locale;

/** How entries are written as text. */
public enum RowFormat {
    /** A JSON object in each line, as the HTTP API has it. */
    NDJSON,
    /** Comma-separated values with a header, as RFC 4180 has it. */
    CSV;

    /** The format that the name of a file asks for: CSV if it ends so. */
    public static RowFormat ofName(String name) {
        return name.toLowerCase(Locale.ROOT).endsWith(".csv") ? CSV : NDJSON;
    }
}
