package io.kvstore.lsm;

import io.kvstore.engine.MemoryBudget;
import io.kvstore.io.Storage;
import io.kvstore.lsm.sstable.SsTable;
import io.kvstore.lsm.sstable.SsTableInfo;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/** An open SSTable, counted by the versions that have it. The last one closes it, and deletes it if it is obsolete. */
final class TableFile {

    private static final System.Logger LOG = System.getLogger(TableFile.class.getName());

    private final SsTable table;
    private final Storage storage;
    private final MemoryBudget budget;
    private final AtomicInteger holders = new AtomicInteger();
    private volatile boolean obsolete;

    TableFile(SsTable table, Storage storage, MemoryBudget budget) {
        this.table = table;
        this.storage = storage;
        this.budget = budget;
        budget.take(MemoryBudget.Use.BLOCK_CACHE, table.memoryBytes());
    }

    SsTable table() {
        return table;
    }

    SsTableInfo info() {
        return table.info();
    }

    /** The manifest no longer refers to the file, durably. */
    void markObsolete() {
        obsolete = true;
    }

    void retain() {
        holders.incrementAndGet();
    }

    void release() {
        if (holders.decrementAndGet() == 0) {
            discard();
        }
    }

    /** Closes a file that no version has. */
    void discard() {
        budget.release(MemoryBudget.Use.BLOCK_CACHE, table.memoryBytes());
        try {
            table.close();
            if (obsolete) {
                storage.delete(table.path());
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, table.path() + " stays until the table is opened again: " + e);
        }
    }
}
