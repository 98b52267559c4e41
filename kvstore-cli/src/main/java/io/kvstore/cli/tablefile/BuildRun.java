package io.kvstore.cli.tablefile;

import io.kvstore.TableFileBuilder;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Failures;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.Input;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.rows.BadRowException;
import io.kvstore.cli.rows.RowSource;
import io.kvstore.data.KeyOrder;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.error.InvalidRequestException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One build of a table file from text.
 *
 * @param target the file to be, as it was named
 * @param text that is read
 * @param builder of the file
 * @param progress is told
 */
record BuildRun(Path target, Input text, TableFileBuilder builder, ProgressLine progress) {

    /** Opens the rows, whose first ones may be refused already. */
    @FunctionalInterface
    interface Opening {
        RowSource open() throws IOException;
    }

    /** Reads all rows and gives the file its name. Returns what is to be said of it. */
    String build(Opening opening, boolean isSorted) throws IOException {
        TableFileInfo info;
        try {
            read(opening.open(), isSorted);
            progress.begin("sorting", "entry");
            info = builder.finish((done, total) -> {
                progress.at(done, (double) done / Math.max(total, 1));
                return true;
            });
        } catch (BadRowException e) {
            throw failed("line " + e.line() + ": " + e.getMessage());
        } catch (InvalidRequestException e) {
            throw failed(String.valueOf(e.getMessage()));
        } catch (UncheckedIOException e) {
            throw failed("the rows cannot be read: " + Failures.message(e));
        }
        long again = builder.entries() - info.entries();
        return target + ": " + Figures.count(info.entries(), "entry") + ", "
                + Figures.count(info.fileBytes(), "byte") + ", " + Figures.seconds(progress.nanos()) + ", "
                + Figures.rate(builder.entries(), "row", progress.nanos())
                + (again == 0 ? "" : "; of " + Figures.count(again, "row") + " the key came again later");
    }

    private void read(RowSource rows, boolean isSorted) throws IOException {
        progress.begin("reading", "row");
        byte[] last = null;
        while (next(rows)) {
            byte[] key = rows.key();
            if (isSorted) {
                requireAbove(last, key, rows.line());
                last = key;
            }
            builder.put(key, rows.value());
            progress.at(builder.entries(), text.part());
        }
    }

    /** A failure to read is told with the name of the input; a failure to write has the name of the file. */
    private static boolean next(RowSource rows) {
        try {
            return rows.next();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void requireAbove(byte @Nullable [] last, byte[] key, long line) {
        if (last != null && KeyOrder.compare(key, last) <= 0) {
            boolean isSame = KeyOrder.compare(key, last) == 0;
            throw failed("line " + line + ": the key " + KeyOrder.display(key)
                    + (isSame ? " is that of the row before" : " is below the one before it, " + KeyOrder.display(last))
                    + "; with --sorted keys must ascend: sort the rows by the bytes of their keys,"
                    + " or leave --sorted out");
        }
    }

    private CommandFailure failed(String message) {
        return new CommandFailure(
                ExitStatus.ERROR,
                text.name() + ", " + message
                        + (Files.exists(target) ? " (" + target + " stays as it was)" : " (no file was made)"));
    }
}
