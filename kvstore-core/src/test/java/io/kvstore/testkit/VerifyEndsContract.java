package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.StorageCheck;
import io.kvstore.Table;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.error.StoreClosedException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Closing a store does not wait until a check of all of its bytes is done. */
public abstract class VerifyEndsContract {

    private static final int ENTRIES = 4_000;

    /** A step has no more entries than this, but for those of the model, whose check is one. */
    private static final int MOST_OF_STEP = 400;

    private static final int ROUNDS = 4;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private Path directory;

    /** Of the table that is checked. {@code SEALED} means that one of the model becomes one. */
    protected abstract String engine();

    /** Parameters of the table. */
    protected abstract Properties properties();

    private KVStore open() {
        return new KVStore(directory, KVStoreOptions.defaults().withMemoryBytes(64 << 20));
    }

    @BeforeEach
    void fill(@TempDir Path temp) {
        directory = temp.resolve("store");
        try (KVStore store = open()) {
            store.createDB("d");
            boolean isSealed = engine().equals("SEALED");
            Table table = isSealed
                    ? store.createTable("d", "t", "MODEL")
                    : store.createTable("d", "t", engine(), properties());
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = round; i < ENTRIES; i += ROUNDS) {
                    table.put(key(i), new byte[i % 3 == 0 ? 900 : 60]);
                }
                store.checkpoint();
            }
            if (isSealed) {
                table.seal(TableFileSettings.USUAL.withSortMemoryBytes(1 << 20), Progress.NONE);
            }
        }
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    @Test
    void a_whole_check_has_many_steps_and_finds_nothing() {
        AtomicLong steps = new AtomicLong();
        Findings findings = new Findings();
        try (KVStore store = open()) {
            StorageCheck.run(store, findings.endedBy(steps::incrementAndGet));
        }
        assertEquals(List.of(), findings.kept());
        assertTrue(steps.get() >= ENTRIES / MOST_OF_STEP, steps + " steps");
    }

    @Test
    void closing_the_store_ends_the_check() throws InterruptedException {
        AtomicLong steps = new AtomicLong();
        try (KVStore store = open()) {
            StorageCheck.run(store, new Findings().endedBy(steps::incrementAndGet));
        }
        for (int part = 0; part < 8; part++) {
            closeAt(1 + part * (steps.get() - 1) / 7);
        }
        try (KVStore store = open()) {
            assertEquals(List.of(), store.verify().kept());
            assertEquals(List.of(), store.table("d", "t").verify().kept());
        }
    }

    /** @param step counted from 1 */
    private void closeAt(long step) throws InterruptedException {
        KVStore store = open();
        AtomicReference<Throwable> failed = new AtomicReference<>();
        Thread closer = new Thread(() -> {
            try {
                store.close();
            } catch (Throwable e) {
                failed.set(e);
            }
        });
        AtomicLong steps = new AtomicLong();
        Findings findings = new Findings();
        Findings watched = findings.endedBy(() -> {
            if (steps.incrementAndGet() == step) {
                closer.start();
                ClosingStore.awaitRefusal(store);
            }
        });
        try {
            StoreClosedException ended =
                    assertThrows(StoreClosedException.class, () -> StorageCheck.run(store, watched), "step " + step);
            assertEquals("the store was closed while verifying t", ended.getMessage());
            assertEquals(step, steps.get());
            assertEquals(List.of(), findings.kept());
            closer.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
            assertNull(failed.get());
        } finally {
            store.close();
        }
    }
}
