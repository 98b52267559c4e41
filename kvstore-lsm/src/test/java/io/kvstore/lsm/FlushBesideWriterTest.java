package io.kvstore.lsm;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.Mutation;
import io.kvstore.engine.Background;
import io.kvstore.engine.EngineStats;
import io.kvstore.io.Storage;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A flush that comes in the middle of an operation, or beside the flush of a full memtable. */
final class FlushBesideWriterTest {

    private static final long NO_STALL = 0;

    private static List<Mutation> put(int key) {
        return List.of(new Mutation.Put(new byte[] {(byte) key}, new byte[10]));
    }

    /** How long a writer waits for room has nothing to do with it. */
    @Test
    void it_waits_for_the_end_of_the_operation_where_writers_wait_for_nothing() throws IOException {
        SimStorage disk = new SimStorage();
        disk.createDirectory(LoneTable.DIRECTORY);
        disk.syncDirectory("");
        StepClock clock = new StepClock();
        StepBackground background = new StepBackground(clock);
        MemoryBudget memory = new MemoryBudget(16 << 20, 16 << 20);
        LsmOptions options = new LsmOptions(1 << 20, 16, 0.01, 24, 100, null, LsmOptions.usualSlackBytes(1 << 20));
        try (LsmEngine engine = LsmEngine.open(LoneTable.on(disk, memory, clock, background, NO_STALL), options)) {
            assertNull(engine.reserve(put(1)));
            engine.apply(1, put(1));
            List<Mutation> underWay = put(2);
            assertNull(engine.reserve(underWay));
            int[] rounds = new int[1];
            Runnable writer = () -> {
                if (rounds[0]++ == 0) {
                    engine.apply(2, underWay);
                }
            };
            try (Background.Ticket _ = background.every(5, writer)) {
                assertEquals(2, engine.checkpoint());
            }
        }
    }

    /** Stops the background before its first file and before its third one. */
    private static final class Stops {

        private static final long LONGEST_SECONDS = 20;

        private final AtomicInteger files = new AtomicInteger();
        private final CountDownLatch first = new CountDownLatch(1);
        private final CountDownLatch flushed = new CountDownLatch(1);
        private volatile boolean isInTime;

        Storage over(Storage disk) {
            return HookedStorage.over(disk, (name, path, proceed) -> {
                if (name.equals("create") && path.endsWith(".sst")) {
                    int number = files.incrementAndGet();
                    if (number == 1) {
                        assertTrue(first.await(LONGEST_SECONDS, TimeUnit.SECONDS));
                    } else if (number == 3) {
                        isInTime = flushed.await(LONGEST_SECONDS, TimeUnit.SECONDS);
                    }
                }
                return proceed.call();
            });
        }
    }

    private static double fullMemTables(Table table) {
        return requireNonNull(table.stats().engine()).measures().stream()
                .filter(one -> one.name().equals("immutable_memtables"))
                .mapToDouble(EngineStats.Measure::value)
                .sum();
    }

    /** Of a memtable that was filled afterwards. While writers fill one after the other there is always one more. */
    @Test
    void it_does_not_wait_for_the_flush_of_later_writes() throws Exception {
        Stops stops = new Stops();
        KVStoreOptions options =
                KVStoreOptions.defaults().withDurability(Durability.BUFFERED).withStorage(stops.over(new SimStorage()));
        Properties small = new Properties();
        small.put(LsmConfParamsEnum.MEM_CACHE_SIZE, 65_536);
        try (KVStore store = new KVStore(Path.of("unused"), options);
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "LSM", small);
            putUntil(table, 1);
            table.put(new byte[] {1}, new byte[1]);
            Future<?> flush = threads.submit(() -> {
                table.flush();
                stops.flushed.countDown();
            });
            for (int i = 0; i < 1_000 && fullMemTables(table) < 2; i++) {
                LockSupport.parkNanos(10_000_000);
            }
            putUntil(table, 3);
            stops.first.countDown();
            flush.get();
        }
        assertTrue(stops.isInTime, "it waited for more than was written before it");
    }

    /** Puts small values until there are so many full memtables. */
    private static void putUntil(Table table, int full) {
        for (int i = 0; i < 10_000 && fullMemTables(table) < full; i++) {
            table.put(ByteBuffer.allocate(Integer.BYTES).putInt(i).array(), new byte[100]);
        }
        assertEquals(full, fullMemTables(table));
    }
}
