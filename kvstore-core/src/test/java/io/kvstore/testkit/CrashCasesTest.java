package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Crashes that once lost something, or made a sound store look damaged, each as small as it could be made. */
final class CrashCasesTest {

    private static final StoreScenario.Engine MODEL = new StoreScenario.Engine("MODEL", Map.of());
    private static final StoreScenario SYNC = StoreScenario.of(Durability.SYNC, MODEL);
    private static final StoreScenario BUFFERED = StoreScenario.of(Durability.BUFFERED, MODEL);

    private final SimStorage disk = new SimStorage();

    private static Table newTable(KVStore store, String name) {
        if (store.databases().isEmpty()) {
            store.createDB("db");
        }
        return store.createTable("db", name, "MODEL");
    }

    /** Every storage that a kill before a storage operation of the work leaves. */
    private List<SimStorage> killsDuring(Runnable work) {
        List<SimStorage> kills = new ArrayList<>();
        disk.observe(() -> kills.add(disk.kill()));
        work.run();
        disk.observe(() -> {});
        return kills;
    }

    @Test
    void a_checkpoint_that_a_kill_left_in_memory_is_on_disk_before_the_log_is_freed_for_it() {
        StoreSession session = StoreSession.open(SYNC, disk);
        Table table = newTable(session.store(), "t");
        table.put("a", new byte[] {1});
        for (SimStorage killed : killsDuring(() -> session.store().checkpoint())) {
            StoreSession again = StoreSession.open(SYNC, killed);
            again.store().checkpoint();
            again.abandon();
            try (StoreSession last = StoreSession.open(SYNC, killed.crash(new CrashChoice.DropAll()))) {
                assertArrayEquals(new byte[] {1}, last.store().get("db", "t", "a"));
            }
            killed.powerOff();
        }
        session.close();
    }

    @Test
    void a_catalog_that_a_kill_left_in_memory_is_on_disk_before_directories_are_swept_for_it() {
        StoreSession session = StoreSession.open(SYNC, disk);
        Table table = newTable(session.store(), "t");
        for (SimStorage killed : killsDuring(table::truncate)) {
            List<SimStorage> crashes = new ArrayList<>();
            killed.observe(() -> crashes.add(killed.crash(new CrashChoice.DropAll())));
            StoreSession.open(SYNC, killed).abandon();
            killed.powerOff();
            for (SimStorage crashed : crashes) {
                try (StoreSession last = StoreSession.open(SYNC, crashed)) {
                    last.store().put("db", "t", "a", new byte[] {1});
                }
            }
        }
        session.close();
    }

    @Test
    void a_segment_with_nothing_but_a_dropped_table_is_durable_before_the_catalog_begins_with_it() {
        StoreSession session = StoreSession.open(BUFFERED, disk);
        Table dropped = newTable(session.store(), "dropped");
        newTable(session.store(), "kept").put("a", new byte[] {1});
        session.store().checkpoint();
        for (int i = 0; i < 3; i++) {
            dropped.put("big", new byte[40_000]);
        }
        session.store().dropTable("db", "dropped");
        session.store().checkpoint();
        session.abandon();
        try (StoreSession again = StoreSession.open(BUFFERED, disk.crash(new CrashChoice.DropAll()))) {
            assertArrayEquals(new byte[] {1}, again.store().get("db", "kept", "a"));
        }
        disk.powerOff();
    }

    @Test
    void unsynced_segments_of_a_mapped_log_may_lose_their_heads_in_any_order() {
        for (long seed = 0; seed < 60; seed++) {
            SimStorage own = new SimStorage();
            StoreSession session = StoreSession.open(BUFFERED, own);
            Table table = newTable(session.store(), "t");
            session.store().checkpoint();
            for (int i = 0; i < 3 + seed % 5; i++) {
                table.put("k" + i, new byte[30_000]);
            }
            session.abandon();
            try (StoreSession again = StoreSession.open(BUFFERED, own.crash(new CrashChoice.Random(seed, false)))) {
                long count = again.store().table("db", "t").count(KeyRange.all());
                for (int i = 0; i < 8; i++) {
                    byte[] value = again.store().get("db", "t", "k" + i);
                    if (i < count) {
                        assertEquals(30_000, value == null ? -1 : value.length, "seed " + seed);
                    } else {
                        assertNull(value, "seed " + seed);
                    }
                }
            }
            own.powerOff();
        }
    }
}
