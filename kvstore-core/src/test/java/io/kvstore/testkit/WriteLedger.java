package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.KeyRange;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;

/** All that was written to tables, by lsn. So it tells what each of them has at any lsn. Safe for use by several threads. */
final class WriteLedger {

    /** The changes of each table, by its name in the ledger. A change without a value is a removal. */
    private final ConcurrentSkipListMap<Long, Map<String, Map<Bytes, Optional<Bytes>>>> operations =
            new ConcurrentSkipListMap<>();

    /** Applies one random batch to tables, given by their names in the ledger, and notes it. Returns its lsn. */
    long write(KVStore store, Map<String, Table> tables, SplittableRandom random, int keys) {
        WriteBatch batch = new WriteBatch();
        Map<String, Map<Bytes, Optional<Bytes>>> changes = new HashMap<>();
        tables.forEach((name, table) -> {
            for (int i = random.nextInt(4); i >= 0; i--) {
                byte[] key = ("key" + random.nextInt(keys)).getBytes(StandardCharsets.US_ASCII);
                Map<Bytes, Optional<Bytes>> ofTable = changes.computeIfAbsent(name, any -> new HashMap<>());
                if (random.nextInt(6) == 0) {
                    batch.remove(table, key);
                    ofTable.put(new Bytes(key), Optional.empty());
                } else {
                    byte[] value = new byte[random.nextInt(20) == 0 ? random.nextInt(5_000) : random.nextInt(700)];
                    random.nextBytes(value);
                    batch.put(table, key, value);
                    ofTable.put(new Bytes(key), Optional.of(new Bytes(value)));
                }
            }
        });
        long lsn = store.write(batch);
        operations.put(lsn, changes);
        return lsn;
    }

    private Map<Bytes, Bytes> at(String name, long lsn) {
        Map<Bytes, Bytes> state = new HashMap<>();
        for (Map<String, Map<Bytes, Optional<Bytes>>> changes :
                operations.headMap(lsn, true).values()) {
            changes.getOrDefault(name, Map.of()).forEach((key, value) -> {
                if (value.isPresent()) {
                    state.put(key, value.get());
                } else {
                    state.remove(key);
                }
            });
        }
        return state;
    }

    /** Fails unless a table has exactly what was written to it under a name up to an lsn. */
    void check(Table table, String name, long lsn) {
        assertEquals(at(name, lsn), contents(table), () -> name + " at lsn " + lsn);
    }

    /** Whether a table has what was written under a name up to an lsn. */
    boolean agrees(Table table, String name, long lsn) {
        return at(name, lsn).equals(contents(table));
    }

    private static Map<Bytes, Bytes> contents(Table table) {
        Map<Bytes, Bytes> found = new HashMap<>();
        try (Cursor cursor = table.scan(KeyRange.all())) {
            while (cursor.next()) {
                found.put(new Bytes(cursor.key()), new Bytes(cursor.value()));
            }
        }
        return found;
    }
}
