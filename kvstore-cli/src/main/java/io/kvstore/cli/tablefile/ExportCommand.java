package io.kvstore.cli.tablefile;

import io.kvstore.Cursor;
import io.kvstore.TableFile;
import io.kvstore.cli.arguments.RowOutput;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.OutputFile;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.console.Quiet;
import io.kvstore.cli.rows.CsvWriter;
import io.kvstore.cli.rows.Encoding;
import io.kvstore.cli.rows.EntryWriter;
import io.kvstore.cli.rows.NdjsonWriter;
import io.kvstore.cli.rows.NotTextException;
import io.kvstore.cli.rows.TextLook;
import io.kvstore.data.KeyRange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Writes the entries of a table file as text, which {@code kvstore build} and the HTTP API read. */
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Writes the entries of a table file as text, in the order of keys. 'kvstore build' makes the same"
                + " entries of it, and the HTTP API imports it.")
final class ExportCommand implements Callable<Integer> {

    private final Console console;

    @Mixin
    private final GivenFile file = new GivenFile();

    @Mixin
    private final RowOutput output = new RowOutput();

    @Mixin
    private final GivenRange range = new GivenRange();

    @Mixin
    private final Quiet quiet = new Quiet();

    ExportCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        KeyRange wanted = range.range();
        Path out = output.file();
        try (TableFile opened = file.open()) {
            if (out == null) {
                write(opened, wanted, console.out(), new ProgressLine(console, true));
            } else {
                writeFile(opened, wanted, out);
            }
        } catch (NotTextException e) {
            throw new CommandFailure(ExitStatus.ERROR, file.path() + ": " + e.getMessage());
        }
        return ExitStatus.OK;
    }

    private void writeFile(TableFile opened, KeyRange wanted, Path target) throws IOException {
        OutputFile.requirePlace(target);
        if (Files.exists(target) && Files.isSameFile(target, file.path())) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "the text would take the place of " + target + "; give another name to -o");
        }
        try (OutputFile text = new OutputFile(target);
                ProgressLine progress = quiet.progress(console)) {
            long entries = write(opened, wanted, text.out(), progress);
            text.finish();
            progress.end(target + ": " + Figures.count(entries, "entry") + ", " + Figures.seconds(progress.nanos())
                    + ", " + Figures.rate(entries, "entry", progress.nanos()));
        }
    }

    private long write(TableFile opened, KeyRange wanted, OutputStream target, ProgressLine progress)
            throws IOException {
        EntryWriter writer = writer(opened, wanted, target, progress);
        progress.begin("exporting", "entry");
        double all = Math.max(opened.count(wanted), 1);
        long written = 0;
        try (Cursor cursor = opened.scan(wanted)) {
            while (cursor.next()) {
                writer.write(cursor.key(), cursor.value());
                written++;
                progress.at(written, written / all);
            }
        }
        writer.end(written);
        return written;
    }

    private EntryWriter writer(TableFile opened, KeyRange wanted, OutputStream target, ProgressLine progress)
            throws IOException {
        Encoding given = output.encoding();
        return switch (output.format()) {
            case NDJSON -> new NdjsonWriter(target, given);
            case CSV ->
                given != null
                        ? new CsvWriter(target, given, given)
                        : look(opened, wanted, progress).writer(target);
        };
    }

    private static TextLook look(TableFile opened, KeyRange wanted, ProgressLine progress) {
        progress.begin("looking for entries that are no text", "entry");
        double all = Math.max(opened.count(wanted), 1);
        TextLook look = new TextLook();
        try (Cursor cursor = opened.scan(wanted)) {
            for (long read = 0; look.isOpen() && cursor.next(); read++) {
                look.see(cursor.key(), cursor.value());
                progress.at(read, read / all);
            }
        }
        return look;
    }
}
