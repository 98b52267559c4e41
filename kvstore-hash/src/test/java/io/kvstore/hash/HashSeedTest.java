package io.kvstore.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.KeyHash;
import io.kvstore.data.KeyRange;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** The hashes of a table begin with a seed of its own, which stays. So nobody can choose keys whose hashes are alike. */
final class HashSeedTest {

    private static final int KEYS = 500;
    private static final int ALIKE_BITS = 12;

    private final SimStorage disk = new SimStorage();

    private KVStore open() {
        return new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(disk));
    }

    private static Table table(KVStore store, String name) {
        Properties unlogged = new Properties();
        unlogged.put("ENABLE_WAL", false);
        return store.createTable("db", name, "HASH", unlogged);
    }

    private static List<String> order(Table table) {
        List<String> keys = new ArrayList<>();
        try (Cursor cursor = table.scan(KeyRange.all().withoutValues())) {
            while (cursor.next()) {
                keys.add(HexFormat.of().formatHex(cursor.key()));
            }
        }
        return keys;
    }

    @Test
    void two_tables_have_different_orders_and_keep_them() {
        List<String> order;
        try (KVStore store = open()) {
            store.createDB("db");
            Table one = table(store, "one");
            Table other = table(store, "other");
            for (int i = 0; i < 100; i++) {
                one.put("key " + i, new byte[10]);
                other.put("key " + i, new byte[10]);
            }
            order = order(one);
            assertEquals(100, order.size());
            assertNotEquals(order, order(other));
        }
        try (KVStore store = open()) {
            assertEquals(order, order(store.table("db", "one")));
        }
    }

    /** Keys whose hashes without a seed begin alike, or with a seed that an attacker can guess, are keys like others here. */
    @Test
    void keys_that_were_chosen_have_different_hashes() {
        try (KVStore store = open()) {
            store.createDB("db");
            for (long seed : new long[] {0, 1, -1}) {
                Table table = table(store, "seed" + (seed + 1));
                KeyHash guessed = new KeyHash(seed);
                long wanted = 0;
                int found = 0;
                for (long i = 0; found < KEYS; i++) {
                    byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(i).array();
                    long begin = guessed.of(key) >>> (Long.SIZE - ALIKE_BITS);
                    wanted = found == 0 ? begin : wanted;
                    if (begin == wanted) {
                        table.put(key, key);
                        found++;
                    }
                }
                double spilled = Measures.of(table, "spilled_entries");
                assertTrue(spilled < KEYS / 5.0, spilled + " of " + KEYS + " keys are not where a search begins");
            }
        }
    }
}
