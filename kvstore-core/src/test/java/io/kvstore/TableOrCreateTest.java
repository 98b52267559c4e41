package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Condition;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Merge;
import io.kvstore.data.Mutation;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.NotFoundException;
import io.kvstore.testkit.SimStorage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A program that runs twice makes its database and tables once, and its objects say what they are. */
final class TableOrCreateTest {

    private static final int DROPS = 1_000;
    private static final int MOST_ROUNDS = 100_000_000;

    private final KVStore store =
            new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(new SimStorage()));

    @AfterEach
    void close() {
        store.close();
    }

    private static Properties properties(Object... namesAndValues) {
        Properties properties = new Properties();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            properties.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return properties;
    }

    @Test
    void a_database_is_created_once() {
        assertTrue(store.createDatabaseIfAbsent("db"));
        assertFalse(store.createDatabaseIfAbsent("db"));
        assertThrows(InvalidRequestException.class, () -> store.createDatabaseIfAbsent("no name"));
        assertEquals(List.of("db"), store.databases());
    }

    @Test
    void a_table_is_created_once() {
        store.createDB("db");
        Table made = store.tableOrCreate("db", "t", "model", properties("MAX_VALUE_BYTES", 10));
        made.put("k", new byte[10]);
        assertEquals(made.id(), store.tableOrCreate("db", "t", "MODEL").id());
        assertEquals(
                made.id(),
                store.tableOrCreate("db", "t", "model", properties(TableConfParamsEnum.MAX_VALUE_BYTES, "10"))
                        .id());
        assertThrows(NotFoundException.class, () -> store.tableOrCreate("none", "t", "model"));
    }

    @Test
    void another_definition_is_refused() {
        store.createDB("db");
        store.tableOrCreate("db", "t", "model", properties("MAX_VALUE_BYTES", 10));
        AlreadyExistsException other = assertThrows(
                AlreadyExistsException.class,
                () -> store.tableOrCreate("db", "t", "model", properties("MAX_VALUE_BYTES", 11)));
        assertTrue(String.valueOf(other.getMessage()).contains("MAX_VALUE_BYTES=10"), other.getMessage());
        assertThrows(
                InvalidRequestException.class,
                () -> store.tableOrCreate("db", "t", "model", properties("UNKNOWN", 11)));
        assertThrows(InvalidRequestException.class, () -> store.tableOrCreate("db", "t", "other"));
        assertEquals(10, store.table("db", "t").maxValueBytes());
    }

    @Test
    void threads_that_create_it_at_once_have_the_same() throws Exception {
        store.createDB("db");
        for (int round = 0; round < 20; round++) {
            String name = "t" + round;
            List<Future<Integer>> ids = new ArrayList<>();
            try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
                for (int i = 0; i < 4; i++) {
                    ids.add(pool.submit(
                            () -> store.tableOrCreate("db", name, "model").id()));
                }
            }
            for (Future<Integer> id : ids) {
                assertEquals(store.table("db", name).id(), id.get());
            }
        }
    }

    @Test
    void a_table_that_is_dropped_meanwhile_is_created() throws Exception {
        store.createDB("db");
        AtomicBoolean isOver = new AtomicBoolean();
        try (ExecutorService pool = Executors.newSingleThreadExecutor()) {
            Future<Integer> looking = pool.submit(() -> {
                int looks = 0;
                while (!isOver.get()) {
                    looks += store.tableOrCreate("db", "t", "model").name().length();
                }
                return looks;
            });
            int dropped = 0;
            for (int round = 0; round < MOST_ROUNDS && dropped < DROPS && !looking.isDone(); round++) {
                try {
                    store.dropTable("db", "t");
                    dropped++;
                } catch (NotFoundException e) {
                    Thread.onSpinWait(); // it is being created
                }
            }
            isOver.set(true);
            assertTrue(looking.get() > 0, "nobody looked");
            assertEquals(DROPS, dropped);
        }
    }

    @Test
    void objects_of_the_api_say_what_they_are() {
        store.createDB("db");
        Table table = store.createTable("db", "t", "model");
        byte[] key = Keys.bytes("k");
        assertEquals("Table[db/t, MODEL]", table.toString());
        assertEquals(
                "WriteBatch[changes=1, checks=1]",
                new WriteBatch()
                        .put(table, key, key)
                        .check(table, new Condition.Absent(key))
                        .toString());
        try (Snapshot snapshot = store.snapshot()) {
            assertEquals("Snapshot[lsn " + snapshot.lsn() + "]", snapshot.toString());
        }
        assertEquals("KeyRange[first .. last]", KeyRange.all().toString());
        assertEquals(
                "KeyRange(\"k\" .. \"z\"), reversed, keys only, limit 5",
                KeyRange.between(key, Keys.bytes("z"))
                        .from(key, false)
                        .reverse()
                        .withoutValues()
                        .limit(5)
                        .toString());
        assertEquals("Put[\"k\", 3 bytes]", new Mutation.Put(key, new byte[3]).toString());
        assertEquals("Remove[\"k\"]", new Mutation.Remove(key).toString());
        assertEquals("Add[\"k\", -1]", new Merge.Add(key, -1).toString());
        assertEquals("Append[\"k\", 3 bytes]", new Merge.Append(key, new byte[3]).toString());
        assertEquals("Patch[\"k\", 3 bytes at 7]", new Merge.Patch(key, 7, new byte[3]).toString());
        assertEquals("Absent[\"k\"]", new Condition.Absent(key).toString());
        assertEquals("Exists[\"k\"]", new Condition.Exists(key).toString());
        assertEquals("ValueIs[\"k\", \"v\"]", new Condition.ValueIs(key, Keys.bytes("v")).toString());
        assertEquals("TagIs[\"k\", ff]", new Condition.TagIs(key, 255).toString());
    }
}
