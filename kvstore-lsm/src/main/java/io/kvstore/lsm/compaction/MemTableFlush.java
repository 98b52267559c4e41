package io.kvstore.lsm.compaction;

import io.kvstore.lsm.memtable.MemTable;
import io.kvstore.lsm.version.Levels;
import io.kvstore.lsm.version.OpenViews;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Writes the oldest full memtable to an SSTable of level 0 and makes the SSTable count.
 *
 * <p>The order of steps:
 *
 * <ol>
 *   <li>The log is made durable up to the memtable's last operation.
 *   <li>The open snapshots are read.
 *   <li>The SSTable, the value segments that it points into, and their names are synced.
 *   <li>The manifest names the files.
 *   <li>Readers see the files in place of the memtable.
 * </ol>
 *
 * <p>So no file ever counts that holds an operation whose log record a power loss could take back. A view of the durable
 * operations that was opened after the second step sees all of the memtable.
 */
public final class MemTableFlush {

    private final TableParts parts;
    private final BooleanSupplier stopped;

    public MemTableFlush(TableParts parts, BooleanSupplier stopped) {
        this.parts = parts;
        this.stopped = stopped;
    }

    /** Flushes one memtable. One caller at a time. Returns the bytes of the new files, or 0 if no entry had to be kept. */
    public long run() throws IOException {
        MemTable table = parts.versions().pinOldestImmutable();
        try {
            return flush(table);
        } finally {
            table.release();
        }
    }

    private long flush(MemTable table) throws IOException {
        parts.context().barrier().beforeCommitPoint(table.lastLsn()); // and before the open snapshots are read
        Levels levels = parts.versions().pinLevels();
        boolean isPinned = true;
        try (OutputFiles output = new OutputFiles(parts, 0, levels, Set.of())) {
            Retention retention =
                    new Retention(OpenViews.lsns(parts.context().snapshots()), key -> levels.mayHoldFrom(0, key));
            output.addKept(table.cursor(false), retention, stopped);
            output.finish();
            isPinned = false;
            parts.versions()
                    .unpin(levels); // to sync the values takes long, and other jobs may empty segments meanwhile
            output.keep(table);
            parts.files().commit(parts.versions(), output.edit(List.of(), table.lastLsn()), true);
            return output.bytes();
        } finally {
            if (isPinned) {
                parts.versions().unpin(levels);
            }
        }
    }
}
