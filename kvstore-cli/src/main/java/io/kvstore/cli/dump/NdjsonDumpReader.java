package io.kvstore.cli.dump;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.rows.BadRowException;
import io.kvstore.cli.rows.LineLimit;
import io.kvstore.cli.rows.RowForm;
import io.kvstore.cli.rows.RowFormat;
import io.kvstore.cli.rows.RowSource;
import io.kvstore.cli.rows.TooLongException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads a dump that is a directory of NDJSON. For use by one thread. */
public final class NdjsonDumpReader implements DumpSource {

    private static final int NO_TABLE = -1;

    /** The most bytes of a line for each byte of a value: a control character is an escape of six. */
    private static final int ESCAPED_BYTES = 6;

    /** The most bytes of a line beside the value. */
    private static final int MOST_KEY_LINE_BYTES = 1 << 20;

    private final Path directory;
    private final Contents contents;
    private final List<Long> counts = new ArrayList<>();
    private int table = NO_TABLE;
    private @Nullable InputStream in;
    private @Nullable RowSource rows;
    private long entries;
    private LineLimit most = new LineLimit(
            LineLimit.GREATEST_BYTES, "no longer one is read; leave the table out, or make a binary dump");

    /** Reads the definitions. */
    public NdjsonDumpReader(Path directory) throws IOException {
        this.directory = directory;
        Path file = directory.resolve(NdjsonDirectory.DEFINITIONS);
        if (!Files.exists(file)) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    directory + " has no " + NdjsonDirectory.DEFINITIONS + "; give a directory that 'kvstore dump"
                            + " --format ndjson' has made, or the file of a dump");
        }
        if (Files.size(file) > DumpFormat.MOST_DEFINITION_BYTES) {
            throw new CommandFailure(ExitStatus.ERROR, file + " has more than 256M, which no definitions have");
        }
        this.contents = read(file);
    }

    private Contents read(Path file) throws IOException {
        JsonMapper mapper = new JsonMapper();
        List<String> databases = new ArrayList<>();
        List<TableDefinition> tables = new ArrayList<>();
        int number = 0;
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                JsonNode fields = mapper.readTree(line);
                if (fields.path("end").asBoolean(false)) {
                    if (fields.path("count").asInt(NO_TABLE) != tables.size() || lines.readLine() != null) {
                        throw bad(file, number, "the number of tables before it is another, or something follows");
                    }
                    return new Contents(databases, tables);
                }
                if (fields.path("table").isString()) {
                    tables.add(definition(fields));
                    counts.add(fields.path("entries").asLong(NO_TABLE));
                } else {
                    databases.add(fields.path("database").stringValue());
                }
            }
        } catch (JacksonException e) {
            throw bad(file, number, "this is no definition of a database or a table");
        } catch (CharacterCodingException e) {
            throw bad(file, number + 1, "this line, or one that follows, is not UTF-8");
        }
        throw bad(file, number, "the definitions were cut off here");
    }

    private static TableDefinition definition(JsonNode fields) {
        SortedMap<String, String> options = new TreeMap<>();
        for (String name : fields.path("options").propertyNames()) {
            options.put(name, fields.path("options").path(name).stringValue());
        }
        return new TableDefinition(
                fields.path("database").stringValue(),
                fields.path("table").stringValue(),
                fields.path("engine").stringValue(),
                fields.path("ordered").booleanValue(),
                options);
    }

    private static CommandFailure bad(Path file, long line, String message) {
        return bad(file + ", line " + line, message);
    }

    private static CommandFailure bad(String place, String message) {
        return failure(place, message + "; copy the dump again, or make another one");
    }

    private static CommandFailure failure(String place, String message) {
        return new CommandFailure(ExitStatus.ERROR, place + ": " + message);
    }

    @Override
    public Contents contents() {
        return contents;
    }

    @Override
    public void setMostValueBytes(long bytes) {
        long lineBytes = MOST_KEY_LINE_BYTES + ESCAPED_BYTES * Math.min(bytes, LineLimit.GREATEST_BYTES);
        if (lineBytes < LineLimit.GREATEST_BYTES) { // else the target is not what bounds a line
            most = new LineLimit(
                    (int) lineBytes,
                    "the target takes values of at most " + bytes + " bytes; raise its limit, or leave the table out");
        }
    }

    @Override
    public boolean next() throws IOException {
        while (true) {
            if (rows != null && next(rows)) {
                entries++;
                return true;
            }
            endTable();
            if (table + 1 == contents.tables().size()) {
                return false;
            }
            table++;
            in = Files.newInputStream(file());
            entries = 0;
            rows = open(in);
        }
    }

    private Path file() {
        return NdjsonDirectory.fileOf(directory, contents.tables().get(table));
    }

    private RowSource open(InputStream text) throws IOException {
        try {
            return RowSource.of(RowFormat.NDJSON, text, RowForm.OF_ENTRIES, most);
        } catch (TooLongException e) {
            throw failure(
                    file() + ", line " + e.line(), String.valueOf(e.getMessage())); // another copy has the line, too
        } catch (BadRowException e) {
            throw bad(file(), e.line(), String.valueOf(e.getMessage()));
        }
    }

    private boolean next(RowSource source) throws IOException {
        try {
            return source.next();
        } catch (TooLongException e) {
            throw failure(
                    file() + ", line " + e.line(), String.valueOf(e.getMessage())); // another copy has the line, too
        } catch (BadRowException e) {
            throw bad(file(), e.line(), String.valueOf(e.getMessage()));
        }
    }

    private void endTable() throws IOException {
        if (rows != null && entries != counts.get(table)) {
            throw bad(
                    file().toString(), "there are " + entries + " entries, and " + counts.get(table) + " were written");
        }
        rows = null;
        close();
    }

    @Override
    public int table() {
        return table;
    }

    @Override
    public byte[] key() {
        return present().key();
    }

    @Override
    public byte[] value() {
        return present().value();
    }

    private RowSource present() {
        if (rows == null) {
            throw new IllegalStateException("there is no entry");
        }
        return rows;
    }

    @Override
    public void close() throws IOException {
        try (InputStream _ = in) {
            in = null;
        }
    }
}
