package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Page buffers that could be larger than the memory of the store stay within it, and evict instead. */
final class BufferMemoryTest {

    private static final long MEMORY_BYTES = 8 << 20;
    private static final long BUFFER_BYTES = 64 << 20;
    private static final int TABLES = 2;
    private static final int ENTRIES = 8_000;
    private static final int VALUE_BYTES = 1_000;

    /** Of each table, what an operation may need at once. */
    private static final long SLACK_BYTES = TABLES * (256L << 10);

    private final SimStorage disk = new SimStorage();

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static long used(KVStore store) {
        return store.stats().memoryUsedBytes().entrySet().stream()
                .filter(use -> !use.getKey().isOnHeap())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private static List<Table> create(KVStore store) {
        store.createDB("db");
        Properties properties = new Properties();
        properties.put(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES, BUFFER_BYTES);
        properties.put("VALUE_THRESHOLD_BYTES", Integer.MAX_VALUE);
        properties.put("ENABLE_WAL", false);
        List<Table> tables = new ArrayList<>();
        for (int i = 0; i < TABLES; i++) {
            tables.add(store.createTable("db", "t" + i, "BPLUS", properties));
        }
        return tables;
    }

    @Test
    void page_buffers_together_stay_within_the_memory_of_the_store() {
        KVStoreOptions options = KVStoreOptions.defaults().withStorage(disk).withMemoryBytes(MEMORY_BYTES);
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            List<Table> tables = create(store);
            SplittableRandom random = new SplittableRandom(1);
            long most = 0;
            for (int i = 0; i < 2 * ENTRIES; i++) {
                byte[] key = key(i < ENTRIES ? i : random.nextInt(ENTRIES));
                for (Table table : tables) {
                    table.put(key, new byte[VALUE_BYTES]);
                }
                most = Math.max(most, used(store));
            }
            assertTrue(most <= MEMORY_BYTES + SLACK_BYTES, most + " bytes of " + MEMORY_BYTES);
            assertEquals(0, store.verify().total());
        }
    }

    /** Values that are moved need pages that are not in memory, one after the other: each may take another one's place. */
    @Test
    void moving_values_stays_within_the_memory_of_the_store() {
        StepClock clock = new StepClock();
        StepBackground background = new StepBackground(clock);
        KVStoreOptions options = KVStoreOptions.defaults()
                .withStorage(disk)
                .withClock(clock)
                .withBackground(background)
                .withMemoryBytes(MEMORY_BYTES);
        Properties properties = new Properties();
        properties.put(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES, MEMORY_BYTES + (1 << 20));
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "BPLUS", properties);
            for (int i = 0; i < 3 * ENTRIES; i++) {
                table.put(longKey(i), new byte[2 * VALUE_BYTES]);
            }
            background.runAll();
            store.checkpoint();
            for (int i = 0; i < 3 * ENTRIES; i += i % 5 == 3 ? 2 : 1) {
                table.remove(longKey(i));
            }
            background.runAll();
            double dead = Measures.of(table, "value_dead_bytes");
            assertTrue(dead < 2 * ENTRIES * VALUE_BYTES, dead + " bytes are dead");
            assertTrue(used(store) <= MEMORY_BYTES + SLACK_BYTES, used(store) + " bytes");
            assertEquals(0, store.verify().total());
        }
    }

    /** In no order, and so long that a leaf has few of them. */
    private static byte[] longKey(int number) {
        return ByteBuffer.allocate(500).putInt(number * 0x9E37_79B1).array();
    }
}
