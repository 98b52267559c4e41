package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Progress;
import io.kvstore.error.OverloadedException;
import io.kvstore.io.Storage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.Subdirectory;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writers fill the log while a backup or a copy copies it. No writer waits for that, so the copy of the log is given up. */
final class LostLogTest {

    private static final String NAME = "made";
    private static final int ENTRIES = 600;
    private static final int MOST_HOLDS = 3;

    private final SimStorage disk = new SimStorage();
    private final SimStorage target = new SimStorage();
    private KVStore store;
    private int round;
    private int filled;

    @BeforeEach
    void create() {
        store = BackupSeam.open(disk);
        store.createDB("d");
        store.createTable("d", "t", "MODEL");
        write();
    }

    @AfterEach
    void close() {
        store.close();
        assertEquals(0, disk.openResources());
        assertEquals(0, target.openResources());
    }

    /** More than the log may have. */
    private void write() {
        round++;
        SplittableRandom random = new SplittableRandom(round);
        for (int i = 0; i < ENTRIES; i++) {
            byte[] value = new byte[1_000 + random.nextInt(1_000)];
            random.nextBytes(value);
            store.put("d", "t", "key" + i, value);
        }
    }

    /** Fails unless a store has the values of a round. */
    private static void check(Storage storage, int round) {
        try (KVStore made = BackupSeam.open(storage)) {
            SplittableRandom random = new SplittableRandom(round);
            for (int i = 0; i < ENTRIES; i++) {
                byte[] value = new byte[1_000 + random.nextInt(1_000)];
                random.nextBytes(value);
                assertArrayEquals(value, made.get("d", "t", "key" + i), "round " + round + ", key" + i);
            }
            assertEquals(0, made.verify().total());
        }
    }

    /** The target. The log of the store fills while its copy is made, the first times that a copy is begun. */
    private Storage targetOfTimes(int times) {
        return HookedStorage.over(target, (name, path, rest) -> {
            if (name.equals("create") && path.endsWith(".wal.tmp") && filled < times) {
                filled++;
                write();
            }
            return rest.call();
        });
    }

    @Test
    void a_backup_begins_again() throws IOException {
        Storage repository = targetOfTimes(MOST_HOLDS - 1);
        BackupInfo made = BackupSeam.backup(store, repository, Progress.NONE);
        assertNotNull(made);
        assertEquals(MOST_HOLDS - 1, filled);
        SimStorage restored = new SimStorage();
        assertTrue(BackupSeam.restore(repository, made.id(), restored, NAME));
        check(Subdirectory.of(restored, NAME), round);
    }

    @Test
    void a_copy_begins_again() throws IOException {
        BackupSeam.copy(store, targetOfTimes(MOST_HOLDS - 1), NAME);
        assertEquals(MOST_HOLDS - 1, filled);
        check(Subdirectory.of(target, NAME), round);
    }

    @Test
    void a_backup_whose_log_is_lost_each_time_fails_and_leaves_nothing() {
        BackupSeam.backup(store, target, Progress.NONE);
        List<String> before = target.files();
        OverloadedException e = assertThrows(
                OverloadedException.class, () -> BackupSeam.backup(store, targetOfTimes(MOST_HOLDS), Progress.NONE));
        assertTrue(String.valueOf(e.getMessage()).contains("checkpointLogBytes"), e.getMessage());
        assertEquals(MOST_HOLDS, filled);
        assertEquals(before, target.files());
        assertEquals(0, store.parts().holds().count());
    }

    @Test
    void a_copy_whose_log_is_lost_each_time_fails_and_leaves_nothing() {
        assertThrows(OverloadedException.class, () -> BackupSeam.copy(store, targetOfTimes(MOST_HOLDS), NAME));
        assertEquals(MOST_HOLDS, filled);
        assertEquals(List.of(), target.files());
        assertEquals(0, store.parts().holds().count());
    }
}
