package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.testkit.RedefinitionContract;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Other names and parameters for tables of the engine. */
final class BPlusRedefinitionTest extends RedefinitionContract {

    @Override
    protected String engine() {
        return "BPLUS";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        properties.put("BTREE_PAGE_BUFFER_SIZE_BYTES", 4_000_000);
        return properties;
    }

    @Override
    protected Map<String, String> online() {
        return Map.of("BTREE_PAGE_BUFFER_SIZE_BYTES", "65536");
    }

    @Override
    protected Map<String, String> fixed() {
        return Map.of("BTREE_ORDER", "7", "ENABLE_WAL", "false");
    }

    private static double units(Table table) {
        return Objects.requireNonNull(table.stats().engine()).measures().stream()
                .filter(measure -> measure.name().equals("resident_units"))
                .findFirst()
                .orElseThrow()
                .value();
    }

    private static void get(Table table, int entries) {
        for (int i = 0; i < entries; i++) {
            assertNotNull(table.get("key " + i));
        }
    }

    private static Properties buffer(int units) {
        Properties properties = new Properties();
        properties.put(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES, units * 4_096);
        return properties;
    }

    @Test
    void pages_beyond_a_smaller_buffer_go_and_a_larger_one_takes_more() {
        int entries = 20_000;
        try (KVStore store = KVStore.inMemory()) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "BPLUS", buffer(2_000));
            for (int i = 0; i < entries; i++) {
                table.put("key " + i, new byte[100]);
            }
            table.flush();
            get(table, entries);
            double all = units(table);
            assertTrue(all > 500, all + " units");
            table.alter(buffer(32));
            table.put("key 0", new byte[100]); // makes room before it writes
            get(table, entries);
            assertTrue(units(table) <= 32, units(table) + " units");
            table.alter(buffer(2_000));
            get(table, entries);
            assertTrue(units(table) > all / 2, units(table) + " units");
            assertEquals(0, table.verify().total());
        }
    }
}
