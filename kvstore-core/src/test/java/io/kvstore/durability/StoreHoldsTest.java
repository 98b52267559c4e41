package io.kvstore.durability;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.backup.NewDirectory;
import io.kvstore.backup.StoreCopy;
import io.kvstore.data.Durability;
import io.kvstore.data.Mutation;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.OverloadedException;
import io.kvstore.testkit.ModelEngineProvider;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.testkit.Subdirectory;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What comes between two tables that are held is in the copy, too, or in neither. */
final class StoreHoldsTest {

    private static final String COPY = "copy";
    private static final int VALUES = 80;
    private static final int VALUE_BYTES = 2_000;

    private final SimStorage disk = new SimStorage();
    private final StepClock clock = new StepClock();
    private int holds;

    /** Done before each hold of a table, with its number. */
    @FunctionalInterface
    private interface Meanwhile {
        void before(int hold) throws IOException;
    }

    private KVStoreOptions options(SimStorage storage) {
        return KVStoreOptions.defaults()
                .withStorage(storage)
                .withClock(clock)
                .withBackground(new StepBackground(clock))
                .withWalSegmentBytes(64 << 10)
                .withMemoryBytes(64 << 20);
    }

    private void create() {
        try (KVStore store = new KVStore(Path.of("unused"), options(disk))) {
            store.createDB("db");
            store.createTable("db", "first", "MODEL");
            store.createTable("db", "second", "MODEL");
        }
    }

    private OpenStore open(Meanwhile meanwhile) throws IOException {
        TableEngineProvider inner = new ModelEngineProvider();
        TableEngineProvider watched = proxy(TableEngineProvider.class, inner, meanwhile);
        return Recovery.open(new StoreSetup(
                disk,
                Map.of("MODEL", watched),
                Durability.SYNC,
                1_000,
                1 << 20,
                1_000,
                false,
                64 << 20,
                0,
                64 << 10,
                1 << 20,
                60_000,
                clock,
                new StepBackground(clock),
                null,
                () -> {}));
    }

    private <T> T proxy(Class<T> type, T inner, Meanwhile meanwhile) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
                    if (method.getName().equals("hold")) {
                        meanwhile.before(++holds);
                    }
                    try {
                        Object result = method.invoke(inner, arguments);
                        return result instanceof TableEngine engine
                                ? proxy(TableEngine.class, engine, meanwhile)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw requireNonNull(e.getCause());
                    }
                }));
    }

    private static byte[] key(int i) {
        return ("key" + i).getBytes(StandardCharsets.US_ASCII);
    }

    private static void fill(OpenStore store, String table) {
        OpenTable open = requireNonNull(store.find("db", table));
        for (int i = 0; i < VALUES; i++) {
            byte[] value = new byte[VALUE_BYTES];
            value[0] = (byte) i;
            store.pipeline().commit(open, new Mutation.Put(key(i), value), Durability.BUFFERED);
        }
    }

    private KVStore copyOf(OpenStore store) throws IOException {
        SimStorage target = new SimStorage();
        try (StoreHold hold = store.hold();
                NewDirectory directory = new NewDirectory(target, COPY)) {
            StoreCopy.run(hold, directory);
            directory.publish();
        }
        return new KVStore(Path.of("unused"), options(Subdirectory.of(target, COPY)));
    }

    /** Values are written between two holds, and a checkpoint would free the log of them. */
    @Test
    void the_log_keeps_what_a_held_table_lacks() throws IOException {
        create();
        OpenStore[] store = new OpenStore[1];
        store[0] = open(hold -> {
            if (hold == 2) {
                fill(store[0], "first");
                store[0].checkpoint();
                fill(store[0], "second");
                store[0].checkpoint();
            }
        });
        try (KVStore copy = copyOf(store[0])) {
            for (String table : copy.tables("db")) {
                for (int i = 0; i < VALUES; i++) {
                    byte[] value = new byte[VALUE_BYTES];
                    value[0] = (byte) i;
                    assertArrayEquals(value, copy.get("db", table, key(i)), table + " " + i);
                }
            }
        }
        assertEquals(0, store[0].holds().count());
        store[0].close();
        assertEquals(0, disk.openResources());
    }

    /** The tables change with each look at them, until they may not. */
    @Test
    void tables_that_change_all_the_time() throws IOException {
        create();
        OpenStore[] store = new OpenStore[1];
        store[0] = open(hold -> {
            if (hold == 2 || hold == 3) {
                fill(store[0], "first");
                store[0].schema().truncate(requireNonNull(store[0].find("db", "first")));
                fill(store[0], "second");
            }
        });
        try (KVStore copy = copyOf(store[0])) {
            assertTrue(holds >= 4, holds + " holds");
            assertEquals(null, copy.get("db", "first", key(1)));
            assertTrue(copy.get("db", "second", key(1)) != null);
            assertEquals(0, copy.verify().total());
        }
        assertEquals(0, store[0].holds().count());
        store[0].close();
        assertEquals(0, disk.openResources());
    }

    /** Writers do not wait for a hold of the log that has no room for their records: that copy fails, and the next works. */
    @Test
    void a_full_log_breaks_its_holds() throws IOException {
        create();
        OpenStore[] store = new OpenStore[1];
        store[0] = open(hold -> {
            for (int i = 0; hold == 2 && i < 20; i++) {
                fill(store[0], "first");
            }
        });
        assertThrows(OverloadedException.class, () -> copyOf(store[0]));
        assertEquals(0, store[0].holds().count());
        try (KVStore copy = copyOf(store[0])) {
            assertTrue(copy.get("db", "first", key(1)) != null);
            assertEquals(0, copy.verify().total());
        }
        store[0].close();
        assertEquals(0, disk.openResources());
    }
}
