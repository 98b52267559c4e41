package io.kvstore.cli.rows;

import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.dataformat.csv.CsvFactory;
import tools.jackson.dataformat.csv.CsvReadFeature;

/**
 * Entries as rows of CSV. The first row names the columns, of which two are read. Lines of blanks are passed over here: the
 * library would take the blanks at the begin of all other lines away, too.
 */
final class CsvSource implements RowSource {

    /** Columns beyond these would only be counted. */
    private static final int MOST_COLUMNS = 10_000;

    private final JsonParser parser;
    private final RowForm form;
    private final PresentRow row;
    private final LineLimit most;
    private final int columns;
    private final Column keyColumn;
    private final Column valueColumn;

    /** A column by its place. */
    private record Column(int index, String name, RowForm.Part part) {}

    CsvSource(Reader text, RowForm form, LineLimit most) {
        this.form = form;
        this.row = new PresentRow(form);
        this.most = most;
        this.parser = CsvFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(most.mostBytes())
                        .build())
                .enable(CsvReadFeature.WRAP_AS_ARRAY)
                .build()
                .createParser(ObjectReadContext.empty(), text);
        List<String> header = header();
        this.columns = header.size();
        this.keyColumn = column(header, form.key(), true);
        this.valueColumn = column(header, form.value(), false);
    }

    private List<String> header() {
        List<String> names = new ArrayList<>();
        try {
            parser.nextToken(); // the array of all rows
            while (names.isEmpty()) {
                if (!beginRow()) {
                    throw row.bad("there is no header; the first row names the columns, such as key,value");
                }
                while (parser.nextToken() == JsonToken.VALUE_STRING) {
                    if (names.size() == MOST_COLUMNS) {
                        throw row.bad("the header has more than " + MOST_COLUMNS + " columns; leave some out");
                    }
                    names.add(parser.getString());
                }
                if (names.size() == 1 && isBlank(names.getFirst())) {
                    names.clear();
                }
            }
        } catch (JacksonException e) {
            throw bad(e);
        }
        return names;
    }

    private Column column(List<String> header, String field, boolean isKey) {
        Map<String, RowForm.Part> parts = form.parts();
        List<Column> found = new ArrayList<>();
        for (int i = 0; i < header.size(); i++) {
            RowForm.Part part = parts.get(header.get(i));
            if (part != null && part.isKey() == isKey) {
                found.add(new Column(i, header.get(i), part));
            }
        }
        if (found.size() != 1) {
            throw row.bad("the header has " + (found.isEmpty() ? "no column " : found.size() + " of the columns ")
                    + RowForm.names(field) + "; it must have one of them, or name another one with "
                    + (isKey ? "--key" : "--value"));
        }
        return found.getFirst();
    }

    /** Goes to the start of the next row. Returns false if there is none. */
    private boolean beginRow() {
        if (parser.nextToken() != JsonToken.START_ARRAY) {
            return false;
        }
        row.begin(parser.currentLocation().getLineNr());
        return true;
    }

    private static boolean isBlank(String text) {
        return text.chars().allMatch(c -> c == ' ' || c == '\t');
    }

    @Override
    public boolean next() {
        try {
            while (beginRow()) {
                int fields = takeRow();
                if (fields > 0) {
                    requireAll(fields);
                    return true;
                }
            }
        } catch (JacksonException e) {
            throw bad(e);
        }
        return false;
    }

    /** Takes the two fields of a row. Returns how many fields there are, or 0 for a line of blanks. */
    private int takeRow() {
        if (parser.nextToken() != JsonToken.VALUE_STRING) {
            return 0;
        }
        String first = parser.getString();
        boolean isMore = parser.nextToken() == JsonToken.VALUE_STRING;
        if (!isMore && isBlank(first)) {
            return 0;
        }
        take(0, first);
        int fields = 1;
        for (; isMore; isMore = parser.nextToken() == JsonToken.VALUE_STRING) {
            if (fields == keyColumn.index() || fields == valueColumn.index()) {
                take(fields, parser.getString());
            }
            fields++;
        }
        return fields;
    }

    private void take(int index, String text) {
        if (index == keyColumn.index()) {
            row.take(keyColumn.part(), keyColumn.name(), text);
        } else if (index == valueColumn.index()) {
            row.take(valueColumn.part(), valueColumn.name(), text);
        }
    }

    private void requireAll(int fields) {
        if (fields != columns) {
            throw row.bad("the row has " + fields + " fields, and the header " + columns
                    + "; put a field with commas into quotes, and double the quotes in it");
        }
    }

    private BadRowException bad(JacksonException e) {
        if (e instanceof JacksonIOException unread) {
            throw new UncheckedIOException(unread.getCause());
        }
        if (e instanceof StreamConstraintsException) {
            return row.bad("a field has more than " + most.mostBytes() + " characters; " + most.remedy()
                    + ", if it is no quote that is not closed");
        }
        String message = e.getOriginalMessage();
        int end = message.indexOf('\n');
        return row.bad((end < 0 ? message : message.substring(0, end))
                + "; put a field with commas into quotes, and double the quotes in it");
    }

    @Override
    public byte[] key() {
        return row.key();
    }

    @Override
    public byte[] value() {
        return row.value();
    }

    @Override
    public long line() {
        return row.line();
    }
}
