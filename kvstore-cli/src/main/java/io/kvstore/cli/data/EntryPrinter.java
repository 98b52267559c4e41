package io.kvstore.cli.data;

import io.kvstore.cli.arguments.Escapes;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.rows.EntryFields;
import io.kvstore.cli.session.OutputForm;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prints entries in one of the forms. Columns of a table are as wide as the longest key of each {@value #ROWS}
 * rows, so that any number of rows needs little memory.
 */
final class EntryPrinter {

    private static final int ROWS = 100;
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int WIDEST_KEY = 60;
    private static final int MOST_VALUE_BYTES = 200;
    private static final String GAP = "  ";

    private final OutputStream out;
    private final OutputForm form;
    private final boolean isOfKeys;
    private final List<Row> rows = new ArrayList<>();

    private record Row(String key, String value) {}

    private EntryPrinter(OutputStream out, OutputForm form, boolean isOfKeys) {
        this.out = out;
        this.form = form;
        this.isOfKeys = isOfKeys;
    }

    /** @param isOfKeys whether values are left out */
    static EntryPrinter of(Console console, OutputForm form, boolean isOfKeys) {
        return new EntryPrinter(new BufferedOutputStream(console.out(), BUFFER_BYTES), form, isOfKeys);
    }

    void print(byte[] key, byte @Nullable [] value) throws IOException {
        byte[] present = value == null ? new byte[0] : value;
        switch (form) {
            case TABLE -> {
                rows.add(new Row(Escapes.text(key), isOfKeys ? "" : cut(present)));
                if (rows.size() == ROWS) {
                    printRows();
                }
            }
            case JSON -> {
                EntryFields fields = new EntryFields();
                fields.bytes("key", key);
                if (!isOfKeys) {
                    fields.bytes("value", present);
                }
                write(fields.end());
                out.write('\n');
            }
            case RAW -> {
                out.write(key);
                if (!isOfKeys) {
                    out.write('\t');
                    out.write(present);
                }
                out.write('\n');
            }
            case HEX ->
                write(HexFormat.of().formatHex(key)
                        + (isOfKeys ? "" : "\t" + HexFormat.of().formatHex(present))
                        + "\n");
        }
    }

    /** A value as far as it is shown. */
    private static String cut(byte[] value) {
        if (value.length <= MOST_VALUE_BYTES) {
            return Escapes.text(value);
        }
        return Escapes.text(beginning(value)) + "... (" + Figures.count(value.length, "byte") + ")";
    }

    /** The first bytes, without a part of a character at their end. */
    private static byte[] beginning(byte[] value) {
        int end = MOST_VALUE_BYTES;
        while (end > MOST_VALUE_BYTES - 4 && (value[end] & 0xC0) == 0x80) {
            end--;
        }
        return Arrays.copyOf(value, end);
    }

    private void printRows() throws IOException {
        int width = rows.stream()
                .mapToInt(row -> row.key().length())
                .filter(length -> length <= WIDEST_KEY)
                .max()
                .orElse(0);
        for (Row row : rows) {
            write(row.key());
            if (!isOfKeys) {
                write(" ".repeat(Math.max(0, width - row.key().length())) + GAP + row.value());
            }
            out.write('\n');
        }
        rows.clear();
    }

    private void write(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    void end() throws IOException {
        printRows();
        out.flush();
    }
}
