package io.kvstore.hash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.KeyRange;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.Sweeps;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A view beside the writer that replaces what the view shows: a place is in the history before its entry changes. */
@Tag("races")
final class HashHistoryRaceTest {

    private static final int ROUNDS = Sweeps.count(2_500, 6_000);

    /** The keys of a round are replaced at once, and each is in an instant between the entry and the history. */
    private final ReentrantReadWriteLock open = new ReentrantReadWriteLock();

    private final AtomicReference<@Nullable Shown> shown = new AtomicReference<>();

    private record Shown(Snapshot snapshot, int round) {}

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    /** Up to 16 changes are settled later, more at once. */
    @ParameterizedTest
    @ValueSource(ints = {16, 17, 40})
    void a_view_never_misses_what_is_replaced_under_it(int keys) {
        KVStoreOptions options = KVStoreOptions.defaults().withStorage(new SimStorage());
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("db");
            Properties unlogged = new Properties();
            unlogged.put("ENABLE_WAL", false);
            Table table = store.createTable("db", "t", "HASH", unlogged);
            write(store, table, keys, 0);
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> replace(store, table, keys));
            while (!writer.isDone()) {
                read(table, keys);
            }
            writer.join();
        }
    }

    private static void write(KVStore store, Table table, int keys, int round) {
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < keys; i++) {
            batch.put(table, key(i), key(round));
        }
        store.write(batch);
        table.count(KeyRange.all()); // brings the changes into the index
    }

    private void replace(KVStore store, Table table, int keys) {
        for (int round = 1; round <= ROUNDS; round++) {
            try (Snapshot snapshot = store.snapshot()) {
                shown.set(new Shown(snapshot, round - 1));
                write(store, table, keys, round);
                hide();
            }
        }
    }

    /** Waits for a reader of the snapshot, which is closed then. */
    private void hide() {
        open.writeLock().lock();
        try {
            shown.set(null);
        } finally {
            open.writeLock().unlock();
        }
    }

    private void read(Table table, int keys) {
        open.readLock().lock();
        try {
            Shown now = shown.get();
            for (int i = 0; now != null && i < keys; i++) {
                assertArrayEquals(key(now.round), now.snapshot.get(table, key(i)));
            }
        } finally {
            open.readLock().unlock();
        }
    }
}
