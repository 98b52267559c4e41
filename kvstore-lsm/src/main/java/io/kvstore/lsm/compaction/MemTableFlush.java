package io.kvstore.lsm.compaction;

import io.kvstore.engine.TableContext;
import io.kvstore.lsm.memtable.MemTable;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.options.SeparatedValues;
import io.kvstore.lsm.version.DataFiles;
import io.kvstore.lsm.version.Levels;
import io.kvstore.lsm.version.VersionHistory;
import io.kvstore.lsm.version.VersionSet;
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

    private final TableContext context;
    private final LsmOptions options;
    private final DataFiles data;
    private final SeparatedValues apart;
    private final VersionSet files;
    private final VersionHistory versions;
    private final Damage damage;
    private final BooleanSupplier stopped;

    public MemTableFlush(TableParts parts, BooleanSupplier stopped) {
        this.context = parts.context();
        this.options = parts.options();
        this.data = parts.data();
        this.apart = parts.apart();
        this.files = parts.files();
        this.versions = parts.versions();
        this.damage = parts.damage();
        this.stopped = stopped;
    }

    /** Flushes one memtable. One caller at a time. Returns the bytes of the new files, or 0 if no entry had to be kept. */
    public long run() throws IOException {
        MemTable table = versions.pinOldestImmutable();
        try {
            return flush(table);
        } finally {
            table.release();
        }
    }

    private long flush(MemTable table) throws IOException {
        context.barrier().beforeCommitPoint(table.lastLsn()); // and before the open snapshots are read
        Levels levels = versions.pinLevels();
        boolean isPinned = true;
        try (OutputFiles output = new OutputFiles(
                data, apart.log(), options, 0, new OutputFiles.Moves(Set.of(), levels, apart.known(), damage))) {
            Retention retention = new Retention(context.snapshots().openLsns(), key -> levels.mayHoldFrom(0, key));
            output.addKept(table.cursor(false), retention, stopped);
            output.finish();
            isPinned = false;
            versions.unpin(levels); // to sync the values takes long, and other jobs may empty segments meanwhile
            output.keep(table);
            files.commit(versions, output.edit(List.of(), table.lastLsn()), true);
            return output.bytes();
        } finally {
            if (isPinned) {
                versions.unpin(levels);
            }
        }
    }
}
