package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.io.NotOpenedException;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A cursor that met an Error in the middle of a step passes no entry over: it does not go on. */
final class TornCursorTest {

    private static final int ENTRIES = 400;

    private final SimStorage disk = new SimStorage();

    /** So many reads of files until one finds no memory. */
    private int readsLeft = Integer.MAX_VALUE;

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "%05d", number).getBytes(StandardCharsets.US_ASCII);
    }

    private @Nullable Object hooked(String name, HookedStorage.Proceed rest) throws Throwable {
        if (name.equals("mapReadOnly")) {
            throw new NotOpenedException("not now", new IOException("not now"));
        }
        if (name.startsWith("read") && --readsLeft == 0) {
            throw new OutOfMemoryError("injected");
        }
        return rest.call();
    }

    @Test
    void no_entry_is_passed_over() {
        KVStoreOptions options = KVStoreOptions.defaults()
                .withStorage(HookedStorage.over(disk, (name, path, rest) -> hooked(name, rest)))
                .withMemoryBytes(16 << 20);
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("d");
            Properties properties = new Properties();
            properties.putAll(LsmScenarios.ONE_ENTRY_BLOCKS.parameters());
            Table table = store.createTable("d", "t", "LSM", properties);
            for (int i = 0; i < ENTRIES; i++) {
                table.put(key(i), new byte[1_000]);
            }
            table.flush();
            int met = 0;
            for (int reads = 1; reads < 40; reads++) {
                readsLeft = reads;
                met += walk(table) ? 1 : 0;
            }
            assertTrue(met > 0, "no Error was met in the middle of a walk");
        }
        assertEquals(0, disk.openResources());
    }

    /** Whether an Error was met. */
    private static boolean walk(Table table) {
        try (Cursor cursor = table.scan(KeyRange.all())) {
            int next = 0;
            try {
                while (cursor.next()) {
                    assertArrayEquals(key(next), cursor.key());
                    next++;
                }
            } catch (OutOfMemoryError e) {
                assertThrows(IllegalStateException.class, () -> {
                    while (cursor.next()) {
                        cursor.key();
                    }
                });
                return true;
            }
            assertEquals(ENTRIES, next);
            return false;
        }
    }
}
