package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.TableDroppedException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Views that are opened beside writers see whole operations, all that were acknowledged, and no moment twice. */
public abstract class ViewsBesideWritersContract {

    private static final int ROUNDS = Sweeps.count(1_000, 3_000);
    private static final int KEYS = 40;

    protected abstract TableEngineProvider provider();

    /** Properties with which a table moves its entries to files early. */
    protected abstract Properties small();

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static byte[] value(long number) {
        return ByteBuffer.allocate(300).putLong(number).array(); // long enough to be kept apart
    }

    /** The numbers that a table's values have, in the order of keys. */
    private static List<Long> numbers(Cursor cursor) {
        List<Long> numbers = new ArrayList<>();
        try (cursor) {
            while (cursor.next()) {
                numbers.add(ByteBuffer.wrap(cursor.value()).getLong());
            }
        }
        return numbers;
    }

    private static List<Long> scan(Table table) {
        return numbers(table.scan(KeyRange.all()));
    }

    private KVStore open(Durability durability) {
        KVStoreOptions options =
                KVStoreOptions.defaults().withStorage(new SimStorage()).withDurability(durability);
        KVStore store = new KVStore(Path.of("unused"), options);
        store.createDB("db");
        return store;
    }

    /** Runs readers until the writer has ended. */
    private static void beside(Callable<?> writer, List<Runnable> reads) throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        try (ExecutorService pool = Executors.newFixedThreadPool(reads.size() + 1)) {
            List<Future<?>> readers = new ArrayList<>();
            for (Runnable read : reads) {
                readers.add(pool.submit(() -> {
                    while (!ends.get()) {
                        read.run();
                    }
                }));
            }
            Future<?> writing = pool.submit(writer);
            try {
                writing.get();
            } finally {
                ends.set(true);
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
        }
    }

    private void looksSeeWholeOperations(Durability durability, int rounds) throws Exception {
        try (KVStore store = open(durability)) {
            Table table = store.createTable("db", "t", provider().name(), small());
            AtomicLong acknowledged = new AtomicLong(-1);
            Runnable look = () -> {
                long before = acknowledged.get();
                List<Long> seen = scan(table);
                long first = seen.isEmpty() ? -1 : seen.getFirst();
                assertTrue(first >= before, first + " was seen after " + before + " was acknowledged");
                assertEquals(seen.isEmpty() ? 0 : KEYS, seen.size());
                assertTrue(seen.stream().allMatch(one -> one == first), () -> "half an operation: " + seen);
                long count = table.count(KeyRange.all());
                assertTrue(count == KEYS || (count == 0 && seen.isEmpty()), () -> count + " entries");
            };
            Callable<?> writer = () -> {
                for (int i = 0; i < rounds; i++) {
                    WriteBatch batch = new WriteBatch();
                    for (int k = 0; k < KEYS; k++) {
                        batch.put(table, key(k), value(i));
                    }
                    store.write(batch);
                    acknowledged.set(i);
                }
                return rounds;
            };
            beside(writer, List.of(look, look));
        }
    }

    @Test
    void looks_see_whole_operations_and_all_that_were_acknowledged() throws Exception {
        looksSeeWholeOperations(Durability.BUFFERED, ROUNDS);
    }

    @Test
    void looks_see_whole_operations_in_a_table_that_syncs() throws Exception {
        looksSeeWholeOperations(Durability.SYNC, ROUNDS / 3);
    }

    /** An operation on two tables that was seen in one of them is seen in the other one from then on. */
    @Test
    void an_operation_on_two_tables_is_seen_in_both() throws Exception {
        try (KVStore store = open(Durability.BUFFERED)) {
            Table one = store.createTable("db", "one", provider().name(), small());
            Table two = store.createTable("db", "two", provider().name(), small());
            Callable<?> writer = () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    WriteBatch batch = new WriteBatch();
                    for (int k = 0; k < KEYS; k++) {
                        batch.put(one, key(k), value(i));
                        batch.put(two, key(k), value(i));
                    }
                    store.write(batch);
                }
                return ROUNDS;
            };
            List<Runnable> reads = List.of(
                    () -> inTurn(one, two),
                    () -> inTurn(two, one),
                    () -> getThenScan(one, two),
                    () -> getThenScan(two, one),
                    () -> atOnce(store, one, two));
            beside(writer, reads);
        }
    }

    private static void inTurn(Table first, Table second) {
        List<Long> earlier = scan(first);
        List<Long> later = scan(second);
        if (!earlier.isEmpty()) {
            assertTrue(later.getFirst() >= earlier.getFirst(), () -> later + " was seen after " + earlier);
        }
    }

    private static void getThenScan(Table first, Table second) {
        byte[] got = first.get(key(0));
        if (got != null) {
            long earlier = ByteBuffer.wrap(got).getLong();
            List<Long> later = scan(second);
            assertTrue(later.getFirst() >= earlier, () -> later + " was seen after a get of " + earlier);
        }
    }

    private static void atOnce(KVStore store, Table one, Table two) {
        try (Snapshot snapshot = store.snapshot()) {
            assertEquals(numbers(snapshot.scan(one, KeyRange.all())), numbers(snapshot.scan(two, KeyRange.all())));
        }
    }

    /** A view of a table that is emptied or dropped meanwhile shows all of it or nothing. */
    @Test
    void a_table_that_goes_is_seen_whole_or_not_at_all() throws Exception {
        try (KVStore store = open(Durability.BUFFERED)) {
            Table table = store.createTable("db", "t", provider().name(), small());
            Runnable look = () -> {
                try {
                    int seen = scan(table).size();
                    assertTrue(seen == 0 || seen == KEYS, () -> "only " + seen);
                } catch (TableDroppedException e) {
                    Thread.onSpinWait();
                }
            };
            Callable<?> writer = () -> {
                for (int i = 0; i < 60; i++) {
                    WriteBatch batch = new WriteBatch();
                    for (int k = 0; k < KEYS; k++) {
                        batch.put(table, key(k), value(i));
                    }
                    store.write(batch);
                    table.truncate();
                }
                store.dropTable("db", "t");
                return 0;
            };
            beside(writer, List.of(look, look));
            assertEquals(0, store.stats().openSnapshots());
        }
    }
}
