package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An older copy of the catalog is refused, also where no table has a record in the log that would tell. */
final class OlderCatalogTest {

    private static final String CATALOG = "CATALOG";
    private static final byte[] VALUE = {1};

    private final SimStorage disk = new SimStorage();

    /** Changes that only the catalog knows of. */
    enum Change {
        DROP(store -> store.dropTable("d", "first")),
        TRUNCATE(store -> store.table("d", "first").truncate()),
        CREATE(store -> unlogged(store, "second").put("k", VALUE)),
        CREATE_DATABASE(store -> store.createDB("e")),
        CHECKPOINT(store -> {
            store.table("d", "first").put("k", new byte[] {2});
            store.checkpoint();
        });

        private final Consumer<KVStore> made;

        Change(Consumer<KVStore> made) {
            this.made = made;
        }
    }

    private static Table unlogged(KVStore store, String name) {
        Properties properties = new Properties();
        properties.setProperty("ENABLE_WAL", "false");
        return store.createTable("d", name, "MODEL", properties);
    }

    private KVStore open(boolean readOnly) {
        StepClock clock = new StepClock();
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(disk)
                        .withClock(clock)
                        .withBackground(new StepBackground(clock))
                        .withWalSegmentBytes(64 << 10)
                        .withMemoryBytes(64 << 20)
                        .withReadOnly(readOnly));
    }

    private byte[] catalogBefore(Change change) throws IOException {
        byte[] older;
        try (KVStore store = open(false)) {
            store.createDB("d");
            unlogged(store, "first").put("k", VALUE);
            store.checkpoint();
            older = disk.bytes(CATALOG);
            change.made.accept(store);
        }
        return older;
    }

    @ParameterizedTest
    @EnumSource
    void is_refused_after_the_store_was_closed(Change change) throws IOException {
        byte[] older = catalogBefore(change);
        byte[] newest = disk.bytes(CATALOG);
        disk.replace(CATALOG, older);
        List<String> files = disk.files();
        for (boolean readOnly : new boolean[] {true, false}) {
            CorruptionException refused = assertThrows(CorruptionException.class, () -> open(readOnly));
            assertEquals(CATALOG, refused.file());
            String message = String.valueOf(refused.getMessage());
            assertTrue(message.contains("an older catalog was put back. Restore the newest"), message);
        }
        assertEquals(files, disk.files(), "a refused store is as it was");
        disk.replace(CATALOG, newest);
        open(false).close();
    }

    @Test
    void is_refused_while_the_log_knows_of_the_newer_one() throws IOException {
        byte[] older;
        KVStore store = open(false);
        store.createDB("d");
        older = disk.bytes(CATALOG);
        unlogged(store, "first").put("k", VALUE);
        store.createTable("d", "second", "MODEL").put("k", VALUE); // its group ends with a mark
        SimStorage killed = disk.kill();
        killed.replace(CATALOG, older);
        SimStorage copy = killed.kill();
        assertThrows(
                CorruptionException.class,
                () -> new KVStore(
                        Path.of("unused"),
                        KVStoreOptions.defaults().withStorage(copy).withReadOnly(true)));
        store.close();
    }

    @Test
    void the_newest_is_taken_however_often_the_store_was_opened() throws IOException {
        catalogBefore(Change.CREATE);
        for (int i = 0; i < 3; i++) {
            open(true).close();
            try (KVStore store = open(false)) {
                assertArrayEquals(VALUE, store.table("d", "second").get("k"));
            }
        }
    }
}
