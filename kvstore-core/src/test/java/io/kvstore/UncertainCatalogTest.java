package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.data.KeyRange;
import io.kvstore.io.Storage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.SimStorage;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A catalog that got its name, though the step failed, lists tables whose files are there. */
final class UncertainCatalogTest {

    private final SimStorage disk = new SimStorage();
    private volatile boolean isFailing;

    /** A failure for which no exception can be made that tells of it, as where there is no memory for one. */
    private static final class Untellable extends Error {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("for the test");
        }
    }

    private static KVStore open(Storage storage) {
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults().withStorage(storage).withMemoryBytes(32 << 20));
    }

    private KVStore openFailing() {
        return open(HookedStorage.over(disk, (name, path, rest) -> {
            Object result = rest.call();
            if (isFailing && name.equals("rename") && path.startsWith("CATALOG")) {
                throw new Untellable();
            }
            return result;
        }));
    }

    private void assertUsable(int entries) {
        isFailing = false;
        try (KVStore store = open(disk)) {
            Table table = store.table("db", "t");
            assertNull(table.stats().failure());
            assertEquals(entries, table.count(KeyRange.all()));
            table.put("a", new byte[1]);
            assertEquals(1, table.count(KeyRange.all()));
        }
    }

    @Test
    void a_table_that_is_created() {
        try (KVStore store = openFailing()) {
            store.createDB("db");
            isFailing = true;
            assertThrows(OutOfMemoryError.class, () -> store.createTable("db", "t", "MODEL"));
        }
        assertUsable(0);
    }

    @Test
    void a_table_that_is_truncated() {
        try (KVStore store = openFailing()) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "MODEL");
            table.put("b", new byte[1]);
            isFailing = true;
            assertThrows(OutOfMemoryError.class, table::truncate);
        }
        assertUsable(0);
    }
}
