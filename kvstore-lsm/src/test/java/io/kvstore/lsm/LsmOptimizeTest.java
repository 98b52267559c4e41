package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.error.StoreClosedException;
import io.kvstore.testkit.SimStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of an optimize that has work left. */
final class LsmOptimizeTest {

    private static final byte[] KEY = {1};

    private static KVStore open() {
        return new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(new SimStorage()));
    }

    /** A table with files that are to be merged. */
    private static Table table(KVStore store) {
        store.createDB("db");
        Table table = store.createTable("db", "t", "LSM");
        for (int file = 0; file < 2; file++) {
            for (int i = 0; i < 100; i++) {
                table.put(ByteBuffer.allocate(Integer.BYTES).putInt(i).array(), new byte[100]);
            }
            table.flush();
        }
        return table;
    }

    /** At its first call, or at its last one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_its_progress_throws_is_no_failure_of_the_store(boolean atTheEnd) {
        CancellationException thrown = new CancellationException("no more");
        try (KVStore store = open()) {
            Table table = table(store);
            CancellationException caught = assertThrows(
                    CancellationException.class,
                    () -> table.optimize((done, total) -> {
                        if (!atTheEnd || done == total) {
                            throw thrown;
                        }
                        return true;
                    }));
            assertSame(thrown, caught);
            assertNull(store.failure());
            table.put(KEY, KEY);
            table.optimize((done, total) -> true);
        }
    }

    @Test
    void it_ends_when_the_table_is_truncated() {
        try (KVStore store = open()) {
            Table table = table(store);
            int[] looks = new int[1];
            table.optimize((done, total) -> {
                if (looks[0]++ == 0) {
                    table.truncate();
                }
                return true;
            });
            assertEquals(1, looks[0]);
        }
    }

    /** Its call is under way until then, and closing waits for that. */
    @Test
    @SuppressWarnings("try") // to close in the middle is what is tested
    void it_ends_when_the_store_is_closed() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newSingleThreadExecutor();
                KVStore store = open()) {
            Table table = table(store);
            Future<?> optimize = threads.submit(() -> table.optimize((done, total) -> {
                begun.countDown();
                awaitClosing(table);
                return true;
            }));
            assertTrue(begun.await(60, TimeUnit.SECONDS));
            store.close();
            ExecutionException failure = assertThrows(ExecutionException.class, optimize::get);
            assertInstanceOf(StoreClosedException.class, failure.getCause());
        }
    }

    private static void awaitClosing(Table table) {
        for (int i = 0; i < 10_000; i++) {
            try {
                assertNull(table.get(KEY));
            } catch (StoreClosedException e) {
                return;
            }
            LockSupport.parkNanos(1_000_000);
        }
        throw new AssertionError("nobody closes the store");
    }
}
