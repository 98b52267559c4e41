package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The changes of all tables of a store, which wait on the heap, have a bound together. */
final class ChangeLayersMemoryTest {

    private static final int MEMORY_BYTES = 8 << 20;
    private static final int MOST_BYTES = MEMORY_BYTES / 4;

    /** What one write may take more than there is: an array of changes grows to twice its size and what is added. */
    private static final int GROWTH_BYTES = 256 << 10;

    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private final KVStore store = new KVStore(
            Path.of("unused"),
            KVStoreOptions.defaults()
                    .withStorage(new SimStorage())
                    .withClock(clock)
                    .withBackground(background)
                    .withMemoryBytes(MEMORY_BYTES));

    @AfterEach
    void close() {
        store.close();
    }

    private List<Table> tables(int count) {
        store.createDB("db");
        Properties properties = new Properties();
        properties.put("ENABLE_WAL", false);
        List<Table> tables = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tables.add(store.createTable("db", "t" + i, "BPLUS", properties));
        }
        return tables;
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(12)
                .putInt(number * 0x9E3779B1)
                .putLong(number)
                .array();
    }

    private static byte[] value(int number) {
        return ByteBuffer.allocate(100).putInt(number).array();
    }

    private long changesBytes() {
        return Objects.requireNonNull(store.stats().memoryUsedBytes().get(MemoryBudget.Use.CHANGES));
    }

    @Test
    void many_tables_that_are_written_share_what_there_is() {
        List<Table> tables = tables(30);
        long most = 0;
        long begin = clock.nanoTime();
        for (int i = 0; i < 3_000; i++) {
            for (Table table : tables) {
                table.put(key(i), value(i));
            }
            most = Math.max(most, changesBytes());
        }
        assertTrue(clock.nanoTime() - begin < 1_000_000_000, "writers waited until tables rested");
        assertTrue(most <= MOST_BYTES + GROWTH_BYTES, most + " bytes of changes wait");
        assertTrue(most > MOST_BYTES / 4, "nothing waits: " + most);
        for (int i = 0; i < 3_000; i += 100) {
            assertArrayEquals(value(i), tables.get(i % 30).get(key(i)));
        }
        assertEquals(0, store.verify().total());
    }

    /** Of tables that share the memory, one that is not written any more gives its part to those that are. */
    @Test
    void who_has_most_and_rests_gives_first() {
        List<Table> tables = tables(6);
        for (int i = 0; i < 2_000; i++) {
            tables.getFirst().put(key(i), value(i));
        }
        assertTrue(Measures.of(tables.getFirst(), "waiting_changes") > 0);
        for (int i = 0; i < 40_000; i++) {
            tables.get(1 + i % 5).put(key(i), value(i));
        }
        assertEquals(0, Measures.of(tables.getFirst(), "waiting_changes"));
        assertEquals(0, store.verify().total());
    }

    @Test
    void tables_at_rest_have_nothing_that_waits() {
        List<Table> tables = tables(5);
        for (int i = 0; i < 500; i++) {
            for (Table table : tables) {
                table.put(key(i), value(i));
            }
        }
        assertTrue(changesBytes() > 0);
        for (int i = 0; i < 4; i++) {
            background.tick(1_100);
        }
        assertEquals(0, changesBytes());
        assertEquals(0, store.verify().total());
    }

    /** What takes more than there is for all is alone. */
    @Test
    void one_operation_may_be_larger_than_what_there_is() {
        Table table = tables(1).getFirst();
        for (int round = 0; round < 3; round++) {
            WriteBatch batch = new WriteBatch();
            for (int i = 0; i < 40_000; i++) {
                batch.put(table, key(i), value(i + round));
            }
            store.write(batch);
        }
        for (int i = 0; i < 40_000; i += 1_000) {
            assertArrayEquals(value(i + 2), table.get(key(i)));
        }
        assertEquals(0, store.verify().total());
    }
}
