package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.BackupInfo;
import io.kvstore.Backups;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.engine.Progress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup copies the files first that the tables need no more, and keeps each file until it was copied. */
final class BackupOrderTest {

    private static final int ENTRIES = 6_000;
    private static final int VALUE_BYTES = 1_000;
    private static final List<String> TABLES = List.of("first", "second");

    @TempDir
    private Path directory;

    private static void fill(Table table, int round) {
        SplittableRandom random = new SplittableRandom(round);
        byte[] value = new byte[VALUE_BYTES];
        for (int i = 0; i < ENTRIES; i++) {
            random.nextBytes(value);
            table.put("key" + i, value.clone());
        }
        table.flush();
    }

    private static void check(KVStore store, int round) {
        for (String name : TABLES) {
            SplittableRandom random = new SplittableRandom(round);
            byte[] value = new byte[VALUE_BYTES];
            for (int i = 0; i < ENTRIES; i++) {
                random.nextBytes(value);
                assertEquals(0, Arrays.compare(value, store.get("d", name, "key" + i)), name + " " + i);
            }
        }
        assertEquals(0, store.verify().total());
    }

    /** What the store said at one step of the backup. */
    private record Step(long leftBytes, long pinnedBytes) {}

    @Test
    void what_the_tables_gave_up_is_copied_first_and_goes() {
        Path repository = directory.resolve("repository");
        BackupInfo made;
        try (KVStore store = new KVStore(directory.resolve("store"), KVStoreOptions.defaults())) {
            store.createDB("d");
            List<Table> tables = new ArrayList<>();
            Properties properties = new Properties();
            properties.put("MEM_CACHE_SIZE", 1 << 20); // many files, whose values are in segments
            for (String name : TABLES) {
                tables.add(store.createTable("d", name, "LSM", properties));
            }
            tables.forEach(table -> fill(table, 1));
            List<Step> steps = new ArrayList<>();
            made = store.backup(repository, (done, total) -> {
                if (steps.isEmpty()) {
                    fill(tables.getLast(), 2);
                    tables.getLast().optimize(Progress.NONE);
                }
                steps.add(new Step(total - done, store.stats().holds().pinnedBytes()));
                return true;
            });
            assertNotNull(made);
            long tableBytes = (long) ENTRIES * VALUE_BYTES;
            assertTrue(steps.getFirst().pinnedBytes() > tableBytes / 2, "the test gives nothing up: " + steps);
            Step free = steps.stream()
                    .filter(step -> step.pinnedBytes() == 0)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("something stays to the end: " + steps));
            assertTrue(free.leftBytes() > tableBytes / 2, "the other table comes first: " + free + " of " + steps);
        }
        Path restored = directory.resolve("restored");
        Backups.restore(repository, made.id(), restored);
        try (KVStore store = new KVStore(restored, KVStoreOptions.defaults())) {
            check(store, 1);
        }
    }
}
