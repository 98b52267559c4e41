package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.data.Clock;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Background;
import io.kvstore.error.OverloadedException;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store under many real threads, with the threads of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("races")
public abstract class ThreadContract {

    private static final long LAST_STEPS_MILLIS = 60_000;

    /** Nothing here is refused because a disk, or a busy machine, is slow. */
    private static final long PATIENCE_MILLIS = 60_000;

    private static final Logger QUIET = Logger.getLogger("io.kvstore");
    private static final int INTERRUPTS = Sweeps.count(200, 500);
    private static final int LOG_PUTS = 700;

    private final Tally tally = new Tally();

    /** The engine of the tables. */
    protected abstract StoreScenario.Engine engine();

    private KVStore open(Storage storage, Durability durability) {
        return open(storage, durability, null);
    }

    private KVStore open(Storage storage, Durability durability, @Nullable Background background) {
        QUIET.setLevel(Level.OFF);
        StoreScenario scenario = StoreScenario.of(durability, engine()).withSegments(256 << 10, 1 << 20);
        return new KVStore(
                Path.of("unused"),
                scenario.options(storage, Clock.system(), background).withStallTimeoutMillis(PATIENCE_MILLIS));
    }

    private Table newTable(KVStore store, String name, Durability level) {
        if (store.databases().isEmpty()) {
            store.createDB("db");
        }
        return store.createTable("db", name, engine().name(), StoreScenario.properties(engine(), true, level));
    }

    private static byte[] key(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static void closeAndCheck(KVStore store, Storage storage) throws InterruptedException {
        assertNull(store.failure());
        store.close();
        assertEquals(0, storage.openResources());
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("kvstore-worker")) {
                // Its pool has terminated, so it is at most in its last steps.
                thread.join(LAST_STEPS_MILLIS);
                assertFalse(thread.isAlive(), thread.getName() + " is still there");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void interrupts_on_real_files_hurt_nobody(Durability durability, @TempDir Path directory) throws Exception {
        interruptStorm(new RealStorage(directory), durability);
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void interrupts_on_a_simulated_disk_hurt_nobody(Durability durability) throws Exception {
        interruptStorm(new SimStorage(), durability);
    }

    /** Its channels close when a thread in them is interrupted. */
    @ParameterizedTest
    @EnumSource(Durability.class)
    void interrupts_on_another_file_system_hurt_nobody(Durability durability) throws Exception {
        try (FileSystem files = MemoryFileSystem.UNIX.make()) {
            interruptStorm(new RealStorage(files.getPath("store")), durability);
        }
    }

    private void interruptStorm(Storage storage, Durability durability) throws Exception {
        KVStore store = open(storage, durability);
        Table table = newTable(store, "t", durability);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong flags = new AtomicLong();
        ConcurrentHashMap<Integer, Long> acked = new ConcurrentHashMap<>();
        StoreThreads callers = new StoreThreads();
        for (int i = 0; i < 8; i++) {
            int caller = i;
            callers.start(() -> {
                for (long n = 0; !stop.get(); n++) {
                    table.put(key(caller), key(n));
                    acked.put(caller, n);
                    assertArrayEquals(key(n), table.get(key(caller)));
                    if (n % 50 == 0) {
                        assertTrue(table.count(KeyRange.all()) > 0);
                    }
                    if (n % 200 == caller) {
                        table.flush();
                    }
                    if (Thread.interrupted()) {
                        flags.incrementAndGet();
                    }
                    if (n % 7 == 0) {
                        Thread.currentThread().interrupt();
                        table.put(key(100 + caller), key(n));
                        assertTrue(Thread.interrupted(), "an interrupt was swallowed");
                    }
                }
            });
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < INTERRUPTS && !callers.anyFailed(); i++) {
            callers.all().get(random.nextInt(callers.all().size())).interrupt();
            tally.count("interrupts." + storage.getClass().getSimpleName());
            LockSupport.parkNanos(random.nextInt(3_000_000));
        }
        stop.set(true);
        callers.join();
        assertTrue(flags.get() > 0, "no interrupt was seen");
        closeAndCheck(store, storage);
        try (KVStore again = open(storage, durability)) {
            acked.forEach((caller, n) ->
                    assertArrayEquals(key(n), again.table("db", "t").get(key(caller))));
        }
    }

    @Test
    void an_interrupted_waiter_does_not_spin() throws Exception {
        CountDownLatch inSync = new CountDownLatch(1);
        AtomicBoolean slow = new AtomicBoolean();
        SimStorage disk = new SimStorage();
        Storage slowDisk = HookedStorage.over(disk, (name, path, proceed) -> {
            if (slow.get() && name.equals("sync") && path.startsWith("wal/")) {
                inSync.countDown();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
            }
            return proceed.call();
        });
        KVStore store = open(slowDisk, Durability.SYNC);
        Table table = newTable(store, "t", Durability.SYNC);
        slow.set(true);
        StoreThreads threads = new StoreThreads();
        threads.start(() -> table.put(key(1), key(1)));
        inSync.await();
        AtomicLong cpuNanos = new AtomicLong();
        StoreThreads.Work waiter = () -> {
            Thread.currentThread().interrupt();
            var bean = ManagementFactory.getThreadMXBean();
            long before = bean.getCurrentThreadCpuTime();
            table.put(key(2), key(2));
            cpuNanos.set(bean.getCurrentThreadCpuTime() - before);
            assertTrue(Thread.interrupted());
        };
        StoreThreads platform = new StoreThreads();
        platform.start(waiter);
        platform.join();
        threads.join();
        slow.set(false);
        assertTrue(
                cpuNanos.get() < 100_000_000, "the waiter used " + cpuNanos.get() / 1_000_000 + " ms of a processor");
        closeAndCheck(store, disk);
    }

    @Test
    void sixty_four_threads_count_exactly_with_compare_and_set() throws Exception {
        SimStorage disk = new SimStorage();
        KVStore store = open(disk, Durability.BUFFERED);
        Table table = newTable(store, "t", Durability.BUFFERED);
        table.put(key(0), key(0));
        StoreThreads threads = new StoreThreads();
        int each = 25;
        for (int i = 0; i < 64; i++) {
            threads.start(() -> {
                for (int n = 0; n < each; ) {
                    byte[] now = table.get(key(0));
                    long value = now == null ? -1 : ByteBuffer.wrap(now).getLong();
                    if (now != null && table.replace(key(0), now, key(value + 1))) {
                        n++;
                    } else {
                        tally.count("compare and set.lost a race");
                    }
                }
            });
        }
        threads.join();
        assertArrayEquals(key(64L * each), table.get(key(0)));
        tally.add("compare and set.won", 64L * each);
        closeAndCheck(store, disk);
    }

    /** Or else the log would grow as long as somebody optimizes a table. */
    @Test
    void a_checkpoint_does_not_wait_for_a_long_job() throws Exception {
        SimStorage disk = new SimStorage();
        KVStore store = open(disk, Durability.BUFFERED);
        Table table = newTable(store, "t", Durability.BUFFERED);
        table.put(key(1), key(1));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        StoreThreads threads = new StoreThreads();
        threads.start(() -> table.optimize((done, total) -> {
            begun.countDown();
            awaitQuietly(end);
            return true;
        }));
        begun.await();
        StoreThreads others = new StoreThreads();
        others.start(() -> {
            table.put(key(2), key(2));
            table.flush();
            table.put(key(3), key(3));
            store.checkpoint();
        });
        try {
            others.join();
        } finally {
            end.countDown();
        }
        threads.join();
        closeAndCheck(store, disk);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts it", e);
        }
    }

    @Test
    void concurrent_writers_share_syncs() throws Exception {
        SimStorage disk = new SimStorage();
        Storage slow = HookedStorage.over(disk, (name, path, proceed) -> {
            if (name.equals("sync")) {
                LockSupport.parkNanos(1_000_000);
            }
            return proceed.call();
        });
        KVStore store = open(slow, Durability.SYNC);
        Table table = newTable(store, "t", Durability.SYNC);
        long syncsBefore = store.stats().log().syncs();
        StoreThreads threads = new StoreThreads();
        for (int i = 0; i < 32; i++) {
            int writer = i;
            threads.start(() -> {
                for (int n = 0; n < 40; n++) {
                    table.put(key(writer * 1_000L + n), key(n));
                }
            });
        }
        threads.join();
        long syncs = store.stats().log().syncs() - syncsBefore;
        tally.add("group commit.writes", 32 * 40);
        tally.add("group commit.syncs", syncs);
        assertTrue(syncs * 4 < 32 * 40, syncs + " syncs for " + 32 * 40 + " writes");
        closeAndCheck(store, disk);
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void everything_at_once_on_a_simulated_disk(Durability durability) throws Exception {
        everythingAtOnce(new SimStorage(), durability, null);
    }

    @Test
    void everything_at_once_on_real_files(@TempDir Path directory) throws Exception {
        everythingAtOnce(new RealStorage(directory), Durability.BUFFERED, null);
    }

    @Test
    void everything_at_once_on_another_file_system() throws Exception {
        try (FileSystem files = MemoryFileSystem.WINDOWS.make()) {
            everythingAtOnce(new RealStorage(files.getPath("store")), Durability.BUFFERED, null);
        }
    }

    @Test
    void everything_at_once_with_one_worker_of_each_class(@TempDir Path directory) throws Exception {
        OneWorkerBackground background = new OneWorkerBackground();
        everythingAtOnce(new RealStorage(directory), Durability.BUFFERED, background);
        background.close();
        assertEquals(List.of(), background.failures());
    }

    private void everythingAtOnce(Storage storage, Durability durability, @Nullable Background background)
            throws Exception {
        KVStore store = open(storage, durability, background);
        Table one = newTable(store, "one", durability);
        Table two = newTable(store, "two", Durability.BUFFERED);
        StressRun run = new StressRun(store, one, two, engine(), tally);
        run.start();
        run.closeUnderLoad();
        assertEquals(0, storage.openResources());
        try (KVStore again = open(storage, durability, background)) {
            run.checkAcked(again);
            assertEquals(0, again.verify().total());
            for (String name : again.tables("db")) {
                again.dropTable("db", name);
            }
            awaitNoMemory(again);
        }
        assertEquals(0, storage.openResources());
    }

    /** Sampled at storage operations of any thread, while tables are written, verified and optimized. */
    @ParameterizedTest
    @EnumSource(Durability.class)
    void the_log_is_never_longer_than_it_may_be(Durability durability) throws Exception {
        SimStorage disk = new SimStorage();
        LogBytes log = new LogBytes(disk);
        try (KVStore store = open(disk, durability)) {
            Table one = newTable(store, "one", Durability.BUFFERED);
            Table two = newTable(store, "two", Durability.BUFFERED);
            log.sample();
            StoreThreads writers = new StoreThreads();
            for (int i = 0; i < 4; i++) {
                int writer = i;
                writers.start(() -> fillLog(writer, writer % 2 == 0 ? one : two));
            }
            writers.start(() -> {
                for (int i = 0; i < 4; i++) {
                    assertEquals(0, one.verify().total());
                    two.optimize((done, all) -> true);
                }
            });
            writers.join();
            assertNull(store.failure());
            long limit = store.stats().log().limitBytes();
            assertTrue(log.most() <= limit, "the log had " + log.most() + " bytes; it may have " + limit);
            assertTrue(store.stats().log().recordBytes() > 2 * limit, "too little was written");
            tally.add("log.waits for room", store.stats().logWaits());
        }
    }

    private void fillLog(int writer, Table table) {
        SplittableRandom random = new SplittableRandom(writer);
        for (int i = 0; i < LOG_PUTS; i++) {
            try {
                table.put(key(writer * 1_000L + random.nextInt(200)), new byte[random.nextInt(4_000)]);
            } catch (OverloadedException e) {
                tally.count("log.refused");
            }
        }
    }

    private static void awaitNoMemory(KVStore store) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (used(store) != 0 && System.nanoTime() < deadline) {
            LockSupport.parkNanos(10_000_000);
        }
        assertEquals(
                0, used(store), "memory of dropped tables: " + store.stats().memoryUsedBytes());
    }

    private static long used(KVStore store) {
        return store.stats().memoryUsedBytes().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    @AfterAll
    void report(TestReporter reporter) {
        tally.report(reporter, "Threads, " + getClass().getSimpleName());
    }
}
