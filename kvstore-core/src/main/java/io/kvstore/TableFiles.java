package io.kvstore;

import io.kvstore.durability.OpenTable;
import io.kvstore.durability.PinnedView;
import io.kvstore.durability.Replacement;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.ForeignFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Gives a table files and gets its file. Such a table takes no writes: a file has all of its entries, and another file takes
 * the place of the first. Safe for use by several threads.
 */
public final class TableFiles {

    private final KVStore store;
    private final OpenTable table;

    /** @throws InvalidRequestException if the table takes no files */
    TableFiles(KVStore store, OpenTable table) {
        if (!table.takesFiles()) {
            throw new InvalidRequestException("table " + table.name() + " is a " + table.engineName()
                    + " table, which takes entries and no files; create a SEALED table for files");
        }
        this.store = store;
        this.table = table;
    }

    /** As {@link #swap(Path, String)}, whatever the table had before. */
    public TableFileInfo swap(Path file) {
        return swap(file, null);
    }

    /**
     * Gives the table the entries of a file in place of all that it has. All bytes of the file are checked before. Readers do
     * not wait and do not fail: each call sees all of the old file or all of the new one, and snapshots and cursors keep the
     * old one. The store has a link to the file or a copy of it. So the file may be renamed or deleted afterwards, but its
     * bytes must not be changed: build another file, which never changes an old one.
     *
     * @param expectedId the id of the file that the table has until now, empty for no file; null if it does not matter
     * @return the facts that the file states about itself
     * @throws io.kvstore.error.CorruptionException if the file is damaged, is cut off, or is no file for this table
     * @throws io.kvstore.error.ConditionFailedException if the table has another file than expected
     * @throws InvalidRequestException if there is no such file, or a value is longer than the table takes
     */
    public TableFileInfo swap(Path file, @Nullable String expectedId) {
        try (Replacement replacement = store.parts().schema().replacement(table, 0)) {
            replacement.adopt(new ForeignFile(file));
            return replacement.swapIn(expectedId);
        }
    }

    /**
     * Begins to give the table a file piece by piece, such as from a network. Close the result in any case.
     *
     * @param bytes the length of the file if it is known, 0 if it is not
     * @throws io.kvstore.error.DiskFullException if the disk has no room for a file of that length
     */
    public TableFileUpload upload(long bytes) {
        return new TableFileUpload(store.parts().schema().replacement(table, bytes));
    }

    /** As {@link #fill(Cursor, TableFileSettings, Progress)}, with 16 MiB to sort in. */
    public TableFileInfo fill(Cursor entries) {
        return fill(entries, Sealing.SETTINGS, Progress.NONE);
    }

    /**
     * Gives the table all entries that a cursor has still to give, in place of all that it has: those of another table, or of a
     * {@link Snapshot} of one, in this or another store. The file is built in the store's directory. Until it is complete,
     * readers see what the table had, as with {@link #swap(Path)}.
     *
     * @param entries is not closed
     * @param settings how the file is built; keys of a {@code HASH} table do not ascend, so they are sorted
     * @param progress is told how many entries are in the file, of all that were read, and 0 while they are read; if it stops
     *     the work, nothing has changed
     * @throws InvalidRequestException if the settings refuse a key, or a value is longer than the table takes
     * @throws io.kvstore.error.DiskFullException if the disk has no room for the file
     */
    public TableFileInfo fill(Cursor entries, TableFileSettings settings, Progress progress) {
        try (Replacement replacement = store.parts().schema().replacement(table, 0)) {
            Sealing.build(replacement, entries, settings, progress);
            return replacement.swapIn(null);
        }
    }

    /** The facts about the file that the table has now; null if it has none. */
    public @Nullable TableFileInfo info() {
        try (PinnedView view = store.parts().reads().view(table)) {
            return view.fileInfo(table);
        }
    }

    /** The file that the table has now, to be copied elsewhere; null if it has none. Close it. */
    public @Nullable TableFileCopy copy() {
        PinnedView view = store.parts().reads().view(table);
        try {
            TableFileInfo info = view.fileInfo(table);
            if (info != null) {
                return new TableFileCopy(view, table, info);
            }
        } catch (Throwable e) {
            view.close();
            throw e;
        }
        view.close();
        return null;
    }
}
