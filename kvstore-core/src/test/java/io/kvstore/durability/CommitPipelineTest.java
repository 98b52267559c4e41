package io.kvstore.durability;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.Mutation;
import io.kvstore.testkit.ModelEngineProvider;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CommitPipelineTest {

    private static final Mutation PUT = new Mutation.Put(new byte[] {1}, new byte[] {2});

    private final SimStorage disk = new SimStorage();
    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);

    private void createTable() {
        KVStoreOptions options = KVStoreOptions.defaults()
                .withStorage(disk)
                .withClock(clock)
                .withBackground(background)
                .withWalSegmentBytes(64 << 10);
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("db");
            store.createTable("db", "t", "MODEL");
        }
    }

    private OpenStore open() throws IOException {
        return Recovery.open(new StoreSetup(
                disk,
                Map.of("MODEL", new ModelEngineProvider()),
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
                background,
                null,
                () -> {}));
    }

    /** A thread that may wait for the disk before it writes again does not keep those that wait for the lock from it. */
    @Test
    void only_a_write_that_was_applied_and_waits_for_no_disk_goes_on() throws IOException {
        createTable();
        try (OpenStore store = open()) {
            OpenTable table = requireNonNull(store.find("db", "t"));
            TableLock lock = table.lock();
            store.pipeline().commit(table, PUT, Durability.BUFFERED);
            assertNotEquals(TableLock.LEFT, lock.freeSince());
            store.pipeline().commit(table, PUT, Durability.SYNC);
            assertEquals(TableLock.LEFT, lock.freeSince());
            store.pipeline().commit(table, PUT, Durability.BUFFERED);
            assertNotEquals(TableLock.LEFT, lock.freeSince());
            Operation refused = new Operation(
                    List.of(new Operation.TableWrite.Fixed(table, List.of(PUT))),
                    List.of(new Operation.Check(table, new Condition.Absent(PUT.key()))));
            long before = lock.freeSince();
            assertFalse(store.pipeline().commit(refused, Durability.BUFFERED).isApplied());
            assertEquals(before, lock.freeSince(), "a write that is refused at once does not take the lock");
        }
        assertEquals(0, disk.openResources());
    }
}
