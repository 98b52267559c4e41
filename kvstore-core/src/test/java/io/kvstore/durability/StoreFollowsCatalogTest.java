package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.catalog.TableInfo;
import io.kvstore.data.TableProperties;
import io.kvstore.error.StoreFailedException;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A store fails visibly if it cannot follow a change of its catalog. The next opening goes by the catalog. */
final class StoreFollowsCatalogTest {

    private static final int STALL_MILLIS = 1_000;

    private final SimStorage disk = new SimStorage();
    private final AtomicBoolean isFailing = new AtomicBoolean();

    private static TableProperties withLimit(TableInfo info, int bytes) {
        Map<String, String> changed = new HashMap<>(info.properties().asMap());
        changed.put("MAX_VALUE_BYTES", Integer.toString(bytes));
        return new TableProperties(changed);
    }

    private OpenStore open() throws IOException {
        return WatchedEngine.open(disk, STALL_MILLIS, (method, _) -> {
            if (method.equals("adopt") && isFailing.get()) {
                throw new OutOfMemoryError("for the test");
            }
        });
    }

    private OpenTable again(OpenStore store, String name) {
        OpenTable table = store.find("db", name);
        assertNotNull(table);
        assertNull(table.failure());
        return table;
    }

    @Test
    void parameters_that_the_engine_does_not_take() throws IOException {
        OpenStore store = open();
        OpenTable table = WatchedEngine.table(store);
        isFailing.set(true);
        OutOfMemoryError met = assertThrows(
                OutOfMemoryError.class,
                () -> store.schema().redefinition().alter(table, info -> withLimit(info, 4_096)));
        assertSame(met, store.health().cause());
        assertThrows(StoreFailedException.class, () -> store.schema().createDatabase("other"));
        isFailing.set(false);
        store.close();
        try (OpenStore reopened = open()) {
            assertEquals(4_096, again(reopened, "t").maxValueBytes());
        }
    }

    private static final class FullMap extends HashMap<String, OpenTable> {

        private static final long serialVersionUID = 1L;

        @Override
        public OpenTable put(String name, OpenTable table) {
            throw new OutOfMemoryError("for the test");
        }
    }

    @Test
    void a_table_that_nobody_could_find() throws IOException {
        AtomicInteger closed = new AtomicInteger();
        OpenStore store = WatchedEngine.open(disk, STALL_MILLIS, (method, _) -> {
            if (method.equals("close")) {
                closed.incrementAndGet();
            }
        });
        TableInfo wanted = WatchedEngine.table(store).info().withName("u");
        OutOfMemoryError met =
                assertThrows(OutOfMemoryError.class, () -> store.schema().create(new FullMap(), wanted));
        assertSame(met, store.health().cause());
        assertNull(store.find("db", "u"));
        store.close();
        assertEquals(2, closed.get());
        assertEquals(0, disk.openResources());
        try (OpenStore reopened = open()) {
            assertEquals(List.of("t", "u"), reopened.schema().tables("db"));
            again(reopened, "u");
        }
    }

    @Test
    void a_label_is_no_reason_to_fail() throws IOException {
        OpenStore store = WatchedEngine.open(
                HookedStorage.over(disk, (name, path, rest) -> {
                    if (isFailing.get() && path.contains("LABEL")) {
                        throw new StackOverflowError("for the test");
                    }
                    return rest.call();
                }),
                STALL_MILLIS,
                (_, _) -> {});
        OpenTable table = WatchedEngine.table(store);
        isFailing.set(true);
        assertSame(table, store.schema().redefinition().rename("db", "t", "u"));
        store.schema().redefinition().alter(table, info -> withLimit(info, 4_096));
        assertNull(store.health().cause());
        assertSame(table, store.find("db", "u"));
        isFailing.set(false);
        store.close();
        try (OpenStore reopened = open()) {
            assertEquals(4_096, again(reopened, "u").maxValueBytes());
        }
    }
}
