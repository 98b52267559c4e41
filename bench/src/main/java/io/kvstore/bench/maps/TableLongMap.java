package io.kvstore.bench.maps;

import io.kvstore.KVStore;
import io.kvstore.StoreStats;
import io.kvstore.Table;
import io.kvstore.views.Codecs;
import io.kvstore.views.TableMap;
import java.util.Map;

/** A table of a store in memory. */
final class TableLongMap implements LongMap {

    private final KVStore store = KVStore.inMemory();
    private final TableMap<Long, Long> map;

    /** @param engine the engine of the table */
    TableLongMap(String engine) {
        store.createDB("bench");
        Table table = store.createTable("bench", "entries", engine);
        map = TableMap.of(table, Codecs.LONG, Codecs.LONG);
    }

    @Override
    public Map<Long, Long> map() {
        return map;
    }

    @Override
    public void set(Map<Long, Long> own, Long key, Long value) {
        map.set(key, value);
    }

    @Override
    public long ownBytes() {
        StoreStats stats = store.stats();
        return stats.memoryStorageUsedBytes()
                + stats.memoryUsedBytes().values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
    }

    @Override
    public void close() {
        store.close();
    }
}
