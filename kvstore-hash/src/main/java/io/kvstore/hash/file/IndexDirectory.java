package io.kvstore.hash.file;

import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.NumberedName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The index files in the directory of a table. A file gets its name when it has a durable commit, and the one before goes when
 * that name is durable. So each file of that name has a commit, and the one with the greatest number counts.
 */
final class IndexDirectory {

    private static final NumberedName NAME = new NumberedName(8, ".idx");
    private static final NumberedName UNNAMED = new NumberedName(8, ".idx" + AtomicFile.TEMPORARY);
    private static final int FIRST = 1;

    /** There is no index file, and no other file either. */
    static final long NONE = -1;

    private IndexDirectory() {}

    static String path(TableContext context, long number) {
        return context.directory() + "/" + NAME.of(number);
    }

    /** Where a file is until it has a commit. */
    static String unnamedPath(TableContext context, long number) {
        return context.directory() + "/" + UNNAMED.of(number);
    }

    /** The number of the newest index file. */
    static long newest(TableContext context) throws IOException {
        List<String> others = new ArrayList<>();
        for (String name : context.storage().list(context.directory())) {
            if (UNNAMED.numberIn(name) < 0) {
                others.add(name);
            }
        }
        long newest = newestOrNone(context);
        if (newest == NONE && !others.isEmpty()) {
            throw new CorruptionException(path(context, FIRST), -1, "is missing beside " + others);
        }
        return newest;
    }

    /** As {@link #newest}, or {@link #NONE} also beside other files. */
    static long newestOrNone(TableContext context) throws IOException {
        long newest = NONE;
        for (String name : context.storage().list(context.directory())) {
            newest = Math.max(newest, NAME.numberIn(name));
        }
        return newest;
    }

    /** Makes the file of a new table; the file is durable on return. A crash leaves no file of that name, or all of it. */
    static long create(TableContext context) throws IOException {
        String path = path(context, FIRST);
        long fileSeed = OpenFile.fileSeed(context, FIRST);
        byte[] head = IndexFormat.head(context.fileTag(), FIRST, context.seed());
        ByteBuffer commit = new BlockWriter(fileSeed).commit(path, IndexFormat.FIRST_BLOCK, IndexCommit.EMPTY);
        byte[] mark = new IndexMark(IndexCommit.EMPTY.sequence(), IndexFormat.FIRST_BLOCK).toBytes(fileSeed);
        ByteBuffer bytes = ByteBuffer.allocate(head.length + mark.length + commit.remaining());
        bytes.put(head).put(mark).put(commit);
        AtomicFile.write(context.storage(), path, bytes.flip());
        return FIRST;
    }

    /** Deletes all index files but one. Those that cannot be deleted stay until the next opening. */
    static void deleteOthers(TableContext context, long number) throws IOException {
        for (String name : context.storage().list(context.directory())) {
            long found = Math.max(NAME.numberIn(name), UNNAMED.numberIn(name));
            if (found >= 0 && !name.equals(NAME.of(number))) {
                delete(context, context.directory() + "/" + name);
            }
        }
    }

    static void delete(TableContext context, String path) {
        try {
            context.storage().delete(path);
        } catch (Throwable e) {
            Notices.warning(IndexDirectory.class, path, "it is of no use and stays until the table is opened again", e);
        }
    }
}
