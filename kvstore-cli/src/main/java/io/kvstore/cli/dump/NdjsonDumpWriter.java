package io.kvstore.cli.dump;

import io.kvstore.cli.console.OutputFile;
import io.kvstore.cli.rows.EntryFields;
import io.kvstore.cli.rows.NdjsonWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Writes a dump as a new directory: a file of NDJSON for each table, as an export has it, and a file of definitions. It has its
 * name when it is whole. For use by one thread.
 */
public final class NdjsonDumpWriter implements DumpTarget, AutoCloseable {

    private static final int NO_TABLE = -1;

    private final Path directory;
    private final Path unfinished;
    private final Contents contents;
    private final long[] counts;
    private int table = NO_TABLE;
    private @Nullable OutputFile file;
    private @Nullable NdjsonWriter writer;

    /** Begins a dump. The directory must not be there, or be empty. */
    public NdjsonDumpWriter(Path directory, Contents contents) throws IOException {
        OutputFile.requirePlace(directory);
        this.directory = NdjsonDirectory.named(directory);
        this.contents = contents;
        this.counts = new long[contents.tables().size()];
        this.unfinished = NdjsonDirectory.begin(this.directory);
    }

    @Override
    public void beginTable(int number) throws IOException {
        endTable();
        table = number;
        Path name = NdjsonDirectory.fileOf(unfinished, contents.tables().get(number));
        Files.createDirectories(name.resolveSibling("."));
        OutputFile begun = new OutputFile(name);
        file = begun;
        writer = new NdjsonWriter(begun.out(), null);
    }

    @Override
    public void entry(byte[] key, byte[] value) throws IOException {
        if (writer == null) {
            throw new IllegalStateException("no table was begun");
        }
        writer.write(key, value);
        counts[table]++;
    }

    private void endTable() throws IOException {
        try (OutputFile present = file) {
            if (present != null && writer != null) {
                writer.end(counts[table]);
                present.finish();
            }
        }
        file = null;
        writer = null;
    }

    @Override
    public void end() throws IOException {
        endTable();
        try (OutputFile definitions = new OutputFile(unfinished.resolve(NdjsonDirectory.DEFINITIONS))) {
            definitions.out().write(definitions().getBytes(StandardCharsets.UTF_8));
            definitions.finish();
        }
        NdjsonDirectory.finish(unfinished, directory);
    }

    private String definitions() {
        StringBuilder lines = new StringBuilder();
        for (String database : contents.databases()) {
            EntryFields line = new EntryFields();
            line.text("database", database);
            lines.append(line.end()).append('\n');
        }
        int number = 0;
        for (TableDefinition definition : contents.tables()) {
            EntryFields line = new EntryFields();
            line.text("database", definition.database());
            line.text("table", definition.table());
            line.text("engine", definition.engine());
            line.flag("ordered", definition.ordered());
            line.texts("options", definition.options());
            line.number("entries", counts[number++]);
            lines.append(line.end()).append('\n');
        }
        EntryFields line = new EntryFields();
        line.flag("end", true);
        line.number("count", counts.length);
        return lines.append(line.end()).append('\n').toString();
    }

    /** Deletes a directory that is not whole. */
    @Override
    public void close() throws IOException {
        try (OutputFile _ = file) {
            writer = null;
        }
        NdjsonDirectory.delete(unfinished);
    }
}
