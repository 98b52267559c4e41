package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineStats;
import io.kvstore.testkit.RedefinitionContract;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Other names and parameters for tables of the engine. */
final class LsmRedefinitionTest extends RedefinitionContract {

    @Override
    protected String engine() {
        return "LSM";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        properties.put("MEM_CACHE_SIZE", 1_000_000);
        properties.put("MAX_SSTABLES", 24);
        return properties;
    }

    @Override
    protected Map<String, String> online() {
        return Map.of("MEM_CACHE_SIZE", "65536", "MAX_SSTABLES", "3");
    }

    @Override
    protected Map<String, String> fixed() {
        return Map.of("SPARSE_INDEX_SIZE", "7", "BLOOM_FILTER_FALSE_POSITIVE_RATE", "0.5", "ENABLE_WAL", "false");
    }

    private static double measure(Table table, String name) {
        return Objects.requireNonNull(table.stats().engine()).measures().stream()
                .filter(measure -> measure.name().equals(name))
                .findFirst()
                .orElseThrow()
                .value();
    }

    /** Memtables that are full, and files of those that were. */
    private static double written(Table table) {
        return Objects.requireNonNull(table.stats().engine()).measures().stream()
                .filter(measure -> measure.name().matches("immutable_memtables|level[0-9]_files"))
                .mapToDouble(EngineStats.Measure::value)
                .sum();
    }

    private static void put(Table table, int from, int to) {
        for (int i = from; i < to; i++) {
            table.put("key " + i, new byte[200]);
        }
    }

    @Test
    void memtables_have_the_new_size_at_once() {
        try (KVStore store = KVStore.inMemory()) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "LSM");
            put(table, 0, 10_000);
            assertTrue(measure(table, "memtable_bytes") > 2 << 20, "all is in one memtable");
            Properties small = new Properties();
            small.put(LsmConfParamsEnum.MEM_CACHE_SIZE, 65_536);
            table.alter(small);
            put(table, 10_000, 10_001);
            assertTrue(written(table) > 0, "the memtable is full by the new size");
            put(table, 10_001, 20_000);
            table.flush();
            put(table, 20_000, 30_000);
            assertTrue(measure(table, "memtable_bytes") < 1 << 20, "full ones are written, and at most three wait");
            Properties large = new Properties();
            large.put(LsmConfParamsEnum.MEM_CACHE_SIZE, 64 << 20);
            table.alter(large);
            table.flush();
            put(table, 30_000, 40_000);
            assertTrue(measure(table, "memtable_bytes") > 2 << 20);
            assertEquals(40_000, table.count(KeyRange.all()));
            assertEquals(0, table.verify().total());
        }
    }
}
