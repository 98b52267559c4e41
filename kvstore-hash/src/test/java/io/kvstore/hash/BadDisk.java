package io.kvstore.hash;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvstore.engine.TableContext;
import io.kvstore.io.StorageFile;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.ReplacedPart;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** A disk that does not give all bytes of the files of a table. A file in the directory of the table lists the places. */
final class BadDisk {

    private static final String LIST = "bad-sectors";
    private static final int SECTOR_BYTES = 4_096;
    private static final long WHOLE = -1;
    private static final long INTERRUPTED = -2;

    private record Bad(String path, long offset) {}

    private BadDisk() {}

    /** Makes the 4 KiB around a byte of a file unreadable. */
    static void lose(Path file, long offset) throws IOException {
        list(file, offset / SECTOR_BYTES * SECTOR_BYTES);
    }

    /** Makes reads of a file end as those of a thread that is interrupted do, where an interrupt closes the file. */
    static void interrupt(Path file) throws IOException {
        list(file, INTERRUPTED);
    }

    /** Makes a file one that cannot be opened. */
    static void close(Path file) throws IOException {
        list(file, WHOLE);
    }

    private static void list(Path file, long offset) throws IOException {
        Files.writeString(
                file.resolveSibling(LIST),
                file.getFileName() + " " + offset + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** The context of a table, with its bad places if it has any. */
    static TableContext under(TableContext context) throws IOException {
        String list = context.directory() + "/" + LIST;
        if (!context.storage().exists(list)) {
            return context;
        }
        List<Bad> bad = new ArrayList<>();
        try (StorageFile file = context.storage().openReadOnly(list)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.readFully(bytes, 0);
            for (String line : new String(bytes.array(), UTF_8).lines().toList()) {
                String[] words = line.split(" ", -1);
                bad.add(new Bad(context.directory() + "/" + words[0], Long.parseLong(words[1])));
            }
        }
        return ReplacedPart.of(context, HookedStorage.over(context.storage(), (name, path, proceed) -> {
            for (Bad place : bad) {
                if (place.path.equals(path)) {
                    refuse(name, place, proceed);
                }
            }
            return proceed.call();
        }));
    }

    private static void refuse(String call, Bad place, HookedStorage.Proceed asked) throws IOException {
        boolean isRefused = switch (call) {
            case "open", "openReadOnly", "size" -> place.offset == WHOLE;
            case "mapReadOnly" -> true;
            default ->
                place.offset == INTERRUPTED
                        ? asked.reads(0, Long.MAX_VALUE)
                        : asked.reads(place.offset, place.offset + SECTOR_BYTES);
        };
        if (isRefused && place.offset == INTERRUPTED) {
            throw new ClosedByInterruptException();
        }
        if (isRefused) {
            throw new IOException(place.path + ": Input/output error at " + place.offset);
        }
    }
}
