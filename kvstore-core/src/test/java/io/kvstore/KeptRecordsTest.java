package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Durability;
import io.kvstore.engine.Findings;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A table that cannot be opened does not keep the log; what the log had of it is there when its files are whole again. */
final class KeptRecordsTest {

    private static final int RECORDS = 30;
    private static final Path UNUSED = Path.of("unused");

    private static KVStore open(SimStorage disk) {
        StepClock clock = new StepClock();
        return new KVStore(
                UNUSED,
                KVStoreOptions.defaults()
                        .withStorage(disk)
                        .withClock(clock)
                        .withBackground(new StepBackground(clock))
                        .withWalSegmentBytes(64 << 10)
                        .withCheckpointLogBytes(128 << 10)
                        .withMemoryBytes(64 << 20));
    }

    private static byte[] key(int i) {
        return ("k" + i).getBytes(StandardCharsets.US_ASCII);
    }

    /** A store that was killed with records of one table in the log only, and what the files of that table are. */
    private record Killed(SimStorage disk, String path, byte[] sound) {

        static Killed make() throws IOException {
            SimStorage disk = new SimStorage();
            KVStore store = open(disk);
            store.createDB("d");
            Table first = store.createTable("d", "broken", "MODEL");
            Table second = store.createTable("d", "other", "MODEL");
            first.put("old", new byte[] {1});
            store.checkpoint();
            for (int i = 0; i < RECORDS; i++) {
                WriteBatch both = new WriteBatch()
                        .put(first, key(i), new byte[] {(byte) i})
                        .put(second, key(i), new byte[9]);
                store.write(both);
                first.remove("old");
            }
            SimStorage killed = disk.kill();
            String path = killed.files().stream()
                    .filter(file -> file.startsWith("tables/0000000001/") && !file.endsWith("/LABEL"))
                    .findFirst()
                    .orElseThrow();
            return new Killed(killed, path, killed.bytes(path));
        }

        void damage() throws IOException {
            byte[] bytes = sound.clone();
            bytes[20] ^= 1;
            disk.replace(path, bytes);
        }

        void repair(SimStorage copy) throws IOException {
            copy.replace(path, sound);
        }
    }

    private static void fill(KVStore store, int rounds) {
        Table other = store.table("d", "other");
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 150; i++) {
                other.put(key(i), new byte[1_000], Durability.BUFFERED);
            }
            store.checkpoint();
        }
    }

    private static void assertWhole(SimStorage disk) {
        try (KVStore store = open(disk)) {
            Table table = store.table("d", "broken");
            assertNull(table.stats().failure());
            assertNull(table.get("old"));
            for (int i = 0; i < RECORDS; i++) {
                assertArrayEquals(new byte[] {(byte) i}, table.get(key(i)));
                assertNotNull(store.get("d", "other", key(i)));
            }
        }
    }

    /** The files of the table cannot be read, and the log was freed: what is kept beside it comes back all the same. */
    @Test
    void kept_records_are_salvaged() throws IOException {
        Killed killed = Killed.make();
        killed.damage();
        try (KVStore store = open(killed.disk)) {
            fill(store, 2);
            assertTrue(store.stats().keptBytes() > 0, "nothing is kept");
        }
        Findings losses = new Findings();
        Set<String> found = new HashSet<>();
        try (OfflineStore store = OfflineStore.open(killed.disk, "the disk", losses)) {
            store.damaged().replay((table, mutations, mayBeOlder) -> {
                if (table.name().equals("broken")) {
                    mutations.forEach(change -> found.add(new String(change.key(), StandardCharsets.US_ASCII)));
                }
            });
        }
        for (int i = 0; i < RECORDS; i++) {
            assertTrue(found.contains("k" + i), () -> found + " " + losses.kept());
        }
    }

    @Test
    void the_log_is_freed_and_the_records_come_back() throws IOException {
        Killed killed = Killed.make();
        killed.damage();
        for (int opening = 0; opening < 3; opening++) {
            try (KVStore store = open(killed.disk)) {
                assertNotNull(store.table("d", "broken").stats().failure());
                fill(store, 2);
                assertTrue(
                        store.stats().log().segments() <= 2, store.stats().log().toString());
                assertTrue(store.stats().keptBytes() > 0, "nothing is kept");
            }
        }
        killed.repair(killed.disk);
        assertWhole(killed.disk.kill());
        assertWhole(killed.disk);
        assertEquals(List.of(), killed.disk.list("kept"), "the table holds all now");
        assertWhole(killed.disk);
    }

    @Test
    void killed_anywhere_any_number_of_times() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        List<SimStorage> images = new ArrayList<>();
        for (int life = 0; life < 2; life++) {
            Killed killed = Killed.make();
            killed.damage();
            images.add(killed.disk);
            for (int crash = 0; crash < 12; crash++) {
                SimStorage disk = images.get(random.nextInt(images.size())).kill();
                int[] left = {random.nextInt(160)};
                disk.observe(() -> {
                    if (left[0]-- == 0) {
                        images.add(
                                random.nextBoolean()
                                        ? disk.kill()
                                        : disk.crash(new CrashChoice.Random(random.nextLong(), false)));
                    }
                });
                try (KVStore store = open(disk)) {
                    fill(store, 1);
                }
                disk.observe(() -> {});
            }
            for (SimStorage image : images) {
                killed.repair(image);
                assertWhole(image);
            }
            images.clear();
        }
    }

    @Test
    void what_is_damaged_or_missing_fails_the_table_only() throws IOException {
        Killed killed = Killed.make();
        killed.damage();
        try (KVStore store = open(killed.disk)) {
            fill(store, 2);
        }
        killed.repair(killed.disk);
        String kept = "kept/" + killed.disk.list("kept").getFirst();
        byte[] sound = killed.disk.bytes(kept);
        for (int at = 0; at < sound.length; at += 7) {
            byte[] bytes = sound.clone();
            bytes[at] ^= 4;
            if (sound[at] != 0) { // zeros pad frames
                SimStorage copy = killed.disk.kill();
                copy.replace(kept, bytes);
                assertFailed(copy);
            }
        }
        SimStorage without = killed.disk.kill();
        without.delete(kept);
        assertFailed(without);
    }

    private static void assertFailed(SimStorage disk) {
        try (KVStore store = open(disk)) {
            assertNotNull(store.table("d", "broken").stats().failure());
            assertNotNull(store.get("d", "other", key(1)));
        }
    }

    @Test
    void they_go_with_the_table() throws IOException {
        Killed killed = Killed.make();
        killed.damage();
        try (KVStore store = open(killed.disk)) {
            fill(store, 2);
            assertFalse(killed.disk.list("kept").isEmpty());
            store.dropTable("d", "broken");
            store.checkpoint();
            assertEquals(0, store.stats().keptBytes());
            assertEquals(List.of(), killed.disk.list("kept"));
        }
    }
}
