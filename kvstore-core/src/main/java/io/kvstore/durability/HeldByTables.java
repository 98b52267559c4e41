package io.kvstore.durability;

import io.kvstore.catalog.CatalogState;
import io.kvstore.catalog.TableInfo;
import io.kvstore.wal.Held;

/** The lsns up to which the tables' files, or the records kept beside the log, hold everything, as the catalog knows them. */
record HeldByTables(CatalogState catalog) implements Held {

    @Override
    public long byTable(int tableId) {
        TableInfo table = catalog.tables().get(tableId);
        return table == null ? Long.MAX_VALUE : Math.max(catalog.completeLsn(), table.heldLsn());
    }

    @Override
    public long byAll() {
        long least = catalog.tables().values().stream()
                .filter(table -> table.properties().flag("ENABLE_WAL"))
                .mapToLong(TableInfo::heldLsn)
                .min()
                .orElse(0);
        return Math.max(catalog.completeLsn(), least);
    }
}
