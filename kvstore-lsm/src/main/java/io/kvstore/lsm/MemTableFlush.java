package io.kvstore.lsm;

import io.kvstore.engine.TableContext;
import io.kvstore.lsm.sstable.EntryCursor;
import io.kvstore.lsm.sstable.SsTableWriter;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Writes the oldest full memtable to a file of level 0 and makes the file count.
 *
 * <p>Order: the file and its name are synced; the log is made durable up to the memtable's last operation; then the manifest
 * names the file; then readers see it in place of the memtable. So no file ever counts that holds an operation whose log
 * record a power loss could take back.
 */
final class MemTableFlush {

    private final TableContext context;
    private final FileSet files;
    private final Versions versions;
    private final BooleanSupplier stopped;

    MemTableFlush(TableContext context, FileSet files, Versions versions, BooleanSupplier stopped) {
        this.context = context;
        this.files = files;
        this.versions = versions;
        this.stopped = stopped;
    }

    /** Flushes one memtable; one caller at a time. Returns the bytes of the file, 0 if nothing needed one. */
    long run() throws IOException {
        Version version = versions.pin();
        try {
            MemTable table = version.oldestImmutable();
            List<FileSet.Edit.Placed> added = write(version, table);
            boolean ready = false;
            try {
                context.barrier().beforeCommitPoint(table.lastLsn());
                ready = true;
            } finally {
                if (!ready) {
                    added.forEach(one -> one.file().markObsolete());
                    added.forEach(one -> one.file().discard());
                }
            }
            files.commit(versions, new FileSet.Edit(added, List.of(), List.of(), table.lastLsn()), true);
            return added.isEmpty() ? 0 : added.getFirst().file().info().bytes();
        } finally {
            version.release();
        }
    }

    private List<FileSet.Edit.Placed> write(Version version, MemTable table) throws IOException {
        Retention retention = new Retention(context.snapshots().openLsns(), key -> version.mayHoldFrom(0, key));
        try (FileSet.Output output = files.create()) {
            SsTableWriter writer = output.writer();
            EntryCursor entries = table.cursor(false);
            for (boolean more = entries.seek(null, true); more; more = entries.advance()) {
                StoppedException.check(stopped);
                if (retention.keeps(entries)) {
                    writer.add(entries);
                }
            }
            return writer.isEmpty() ? List.of() : List.of(new FileSet.Edit.Placed(0, output.finish()));
        }
    }
}
