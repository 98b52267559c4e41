package io.kvstore.cli.rows;

import io.kvstore.bytes.TextCheck;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;

/** Writes a header and a row of CSV for each entry. The header says how keys and how values are written. */
public final class CsvWriter implements EntryWriter {

    private static final int BUFFER_BYTES = 64 << 10;

    private final OutputStream out;
    private final Encoding keys;
    private final Encoding values;
    private final TextCheck texts = new TextCheck();

    /** Writes the header. */
    public CsvWriter(OutputStream out, Encoding keys, Encoding values) throws IOException {
        this.out = new BufferedOutputStream(out, BUFFER_BYTES);
        this.keys = keys;
        this.values = values;
        row(ascii(RowForm.OF_ENTRIES.key() + keys.suffix()), ascii(RowForm.OF_ENTRIES.value() + values.suffix()));
    }

    @Override
    public void write(byte[] key, byte[] value) throws IOException {
        row(text(keys, key, key, true), text(values, key, value, false));
    }

    private byte[] text(Encoding encoding, byte[] key, byte[] bytes, boolean isKey) {
        return switch (encoding) {
            case UTF8 -> {
                if (!texts.isUtf8(bytes)) {
                    throw new NotTextException(key, isKey);
                }
                yield bytes;
            }
            case HEX -> ascii(HexFormat.of().formatHex(bytes));
            case BASE64 -> Base64.getUrlEncoder().withoutPadding().encode(bytes);
        };
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private void row(byte[] key, byte[] value) throws IOException {
        field(key);
        out.write(',');
        field(value);
        out.write('\n');
    }

    private void field(byte[] utf8) throws IOException {
        if (!needsQuotes(utf8)) {
            out.write(utf8);
            return;
        }
        out.write('"');
        for (byte b : utf8) {
            if (b == '"') {
                out.write('"');
            }
            out.write(b);
        }
        out.write('"');
    }

    /** Blanks and control characters are quoted, too, because some readers take them away at the ends of a field. */
    private static boolean needsQuotes(byte[] utf8) {
        for (byte b : utf8) {
            if (b == ',' || b == '"' || (b >= 0 && b < ' ')) {
                return true;
            }
        }
        return utf8.length > 0 && (utf8[0] == ' ' || utf8[utf8.length - 1] == ' ');
    }

    @Override
    public void end(long count) throws IOException {
        out.flush();
    }
}
