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
 * Writes the oldest full memtable to a file of level 0 and makes the file count.
 *
 * <p>Order: the log is made durable up to the memtable's last operation; it is asked which snapshots are open; the SSTable, the
 * value segments that it points into and their names are synced; then the manifest names the files; then readers see them in
 * place of the memtable. So no file ever counts that holds an operation whose log record a power loss could take back; and a
 * view of what is durable, if it was not asked for, sees all of the memtable.
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

    /** Flushes one memtable; one caller at a time. Returns the bytes of its files, 0 if nothing needed one. */
    public long run() throws IOException {
        MemTable table = versions.pinOldestImmutable();
        try {
            return flush(table);
        } finally {
            table.release();
        }
    }

    private long flush(MemTable table) throws IOException {
        context.barrier().beforeCommitPoint(table.lastLsn()); // and before it is asked who sees what
        Levels levels = versions.pinLevels();
        boolean isPinned = true;
        try (OutputFiles output =
                new OutputFiles(data, options, 0, new OutputFiles.Moves(Set.of(), levels, apart.known(), damage))) {
            Retention retention = new Retention(context.snapshots().openLsns(), key -> levels.mayHoldFrom(0, key));
            output.addKept(table.cursor(false), retention, stopped);
            output.finish();
            isPinned = false;
            versions.unpin(levels); // to sync the values takes long, and other jobs may empty segments meanwhile
            output.borrow(table, apart.growing());
            files.commit(versions, output.edit(List.of(), table.lastLsn()), true);
            return output.bytes();
        } finally {
            if (isPinned) {
                versions.unpin(levels);
            }
        }
    }
}
