package io.kvstore.lsm;

import io.kvstore.engine.MemoryBudget;
import io.kvstore.io.Storage;
import io.kvstore.lsm.sstable.SsTable;
import io.kvstore.lsm.sstable.SsTableInfo;
import java.io.IOException;

/** An SSTable that versions share, with the memory of its index and filter. */
final class TableFile extends SharedFile {

    private final SsTable table;
    private final MemoryBudget budget;

    TableFile(SsTable table, Storage storage, MemoryBudget budget) {
        super(storage);
        this.table = table;
        this.budget = budget;
        budget.take(MemoryBudget.Use.BLOCK_CACHE, table.memoryBytes());
    }

    SsTable table() {
        return table;
    }

    SsTableInfo info() {
        return table.info();
    }

    @Override
    String path() {
        return table.path();
    }

    @Override
    void close() throws IOException {
        budget.release(MemoryBudget.Use.BLOCK_CACHE, table.memoryBytes());
        table.close();
    }
}
