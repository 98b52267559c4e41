package io.kvstore.cli.tablefile;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.OutputFile;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.engine.TableFileFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;

/** Files that are to be written. */
final class Targets {

    private static final int MAGIC_BYTES = 8;

    private Targets() {}

    /**
     * The place of a table file that is to be built: behind links, if there are any. Refuses one where something else is, so
     * that nobody loses a file by a slip of the command line.
     */
    static Path ofTable(Path file, boolean isForced) throws IOException {
        OutputFile.requirePlace(file);
        if (!Files.exists(file)) {
            return file;
        }
        if (!Files.isRegularFile(file)) {
            throw new CommandFailure(ExitStatus.CONDITION_FAILED, file + " is there and is no file; give another name");
        }
        if (!isForced && Files.size(file) > 0 && !isTable(file)) {
            throw new CommandFailure(
                    ExitStatus.CONDITION_FAILED,
                    file + " is there and is no table file; give another name, or --force to replace it");
        }
        return file.toRealPath();
    }

    private static boolean isTable(Path file) throws IOException {
        byte[] first;
        try (InputStream in = Files.newInputStream(file)) {
            first = in.readNBytes(MAGIC_BYTES);
        }
        String magic = new String(first, StandardCharsets.ISO_8859_1);
        for (TableEngineProvider engine : ServiceLoader.load(TableEngineProvider.class)) {
            TableFileFormat format = engine.files();
            if (format != null && format.magic().equals(magic)) {
                return true;
            }
        }
        return false;
    }
}
