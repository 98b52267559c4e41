package io.kvstore.testkit;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Durability;
import io.kvstore.error.KVStoreException;
import io.kvstore.io.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A store at work, with threads of its own, that meets Errors and whose logger throws; then nothing is wrong any more. Every
 * thread comes back. The store goes on, and what was written becomes durable, or it says that it failed. It can be closed,
 * nothing stays open, and it opens again with all that was acknowledged.
 *
 * <p>Each writer owns keys, puts growing numbers, and reads its own writes.
 */
final class ErrorRun {

    private static final int KEYS = 8;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long RESUMES_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** A writer that is refused waits first, and then gives up: what becomes of the store is looked at all the same. */
    private static final int MOST_REFUSED = 6;

    private static final long STALL_TIMEOUT_MILLIS = 400;
    private static final String DATABASE = "d";

    private final StoreScenario scenario;
    private final ErrorPoints points;
    private final Tally tally;
    private final SimStorage disk = new SimStorage();
    private final Map<Long, Long> tried = new ConcurrentHashMap<>();
    private final Map<Long, Long> acked = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile @Nullable Throwable wrong;

    ErrorRun(StoreScenario scenario, ErrorPlan plan, Tally tally) {
        this.scenario = scenario;
        this.points = new ErrorPoints(plan);
        this.tally = tally;
    }

    /** How many places a run of that size reaches when nothing is thrown. */
    static long places(StoreScenario scenario, ErrorPlan plan, int writers, int rounds) {
        ErrorRun run = new ErrorRun(scenario, plan, new Tally());
        run.run(writers, rounds);
        return run.points.reached();
    }

    void run(int writers, int rounds) {
        HookedThreads background = new HookedThreads(points);
        try {
            work(open(HookedStorage.over(disk, points), background), writers, rounds);
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts", e);
        } finally {
            background.close();
        }
        if (disk.openResources() != 0) {
            throw new AssertionError(disk.openResources() + " files, mappings or locks are open after close");
        }
        checkAcked();
    }

    private void work(KVStore store, int writers, int rounds) throws InterruptedException {
        List<Table> tables = createTables(store);
        points.arm();
        for (int i = 0; i < writers; i++) {
            long number = i;
            start(() -> write(store, tables, number, rounds));
        }
        join("a writer");
        points.disarm();
        tally.add("error.thrown", points.thrown());
        checkGoesOn(store, tables, writers);
        start(() -> close(store));
        join("close");
    }

    private KVStore open(Storage storage, HookedThreads background) {
        return new KVStore(
                Path.of("unused"),
                scenario.options(storage, points, background).withStallTimeoutMillis(STALL_TIMEOUT_MILLIS));
    }

    private List<Table> createTables(KVStore store) {
        store.createDB(DATABASE);
        List<Table> tables = new ArrayList<>();
        for (Durability durability : Durability.values()) {
            tables.add(store.createTable(
                    DATABASE,
                    durability.name(),
                    scenario.engines().getFirst().name(),
                    StoreScenario.properties(scenario.engines().getFirst(), true, durability)));
        }
        return tables;
    }

    private void start(StoreThreads.Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                wrong = e;
            }
        });
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** Waits for all threads. */
    private void join(String who) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            if (thread.isAlive()) {
                AssertionError hang = new AssertionError(who + " waits for ever");
                hang.setStackTrace(thread.getStackTrace());
                throw hang;
            }
        }
        threads.clear();
        if (wrong != null) {
            throw new AssertionError(who + ": " + wrong, wrong);
        }
    }

    private void write(KVStore store, List<Table> tables, long writer, int rounds) {
        int refused = 0;
        for (long round = 1; round <= rounds && store.failure() == null && refused < MOST_REFUSED; round++) {
            long key = writer * KEYS + round % KEYS;
            try {
                if (round % 16 == 15) {
                    store.checkpoint();
                } else {
                    put(store, tables, key);
                    read(tables.get((int) (round % tables.size())), key);
                }
            } catch (KVStoreException e) {
                refused++;
                tally.count("error." + e.getClass().getSimpleName());
            } catch (OutOfMemoryError | StackOverflowError e) {
                tally.count("error.met by a caller");
            }
        }
    }

    private void put(KVStore store, List<Table> tables, long key) {
        long next = tried.merge(key, 1L, Long::sum);
        byte[] value = value(next);
        WriteBatch batch = new WriteBatch();
        tables.forEach(table -> batch.put(table, bytes(key), value));
        store.write(batch, next % 3 == 0 ? Durability.BUFFERED : null);
        acked.put(key, next);
    }

    private void read(Table table, long key) {
        long least = acked.getOrDefault(key, 0L);
        long most = tried.getOrDefault(key, 0L);
        long found = number(table.get(bytes(key)));
        require(found >= least && found <= most, "key " + key + " is " + found + ", not " + least + " to " + most);
    }

    private void checkGoesOn(KVStore store, List<Table> tables, int writers) throws InterruptedException {
        start(() -> {
            for (long writer = 0; writer < writers; writer++) {
                requireGoesOn(store, tables, writer * KEYS);
            }
            if (store.failure() == null) {
                long last = store.stats().log().lastLsn();
                require(becomes(() -> store.stats().log().durableLsn() >= last), "writes do not become durable");
            }
        });
        join("a writer afterwards");
        tally.count(store.failure() == null ? "store.goes on" : "store.failed");
    }

    /** What was refused while something was wrong is not refused for long afterwards, unless the store says that it failed. */
    private void requireGoesOn(KVStore store, List<Table> tables, long key) {
        Throwable refusal;
        long deadline = System.nanoTime() + RESUMES_NANOS;
        do {
            try {
                put(store, tables, key);
                store.checkpoint();
                return;
            } catch (KVStoreException e) {
                refusal = e;
            } catch (Error e) {
                refusal = e;
                break;
            }
        } while (store.failure() == null && System.nanoTime() < deadline);
        if (store.failure() == null) {
            throw new AssertionError("refused, though the store says nothing of a failure: " + refusal, refusal);
        }
    }

    private static boolean becomes(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
        }
        return condition.getAsBoolean();
    }

    private void close(KVStore store) {
        boolean failed = store.failure() != null;
        try {
            store.close();
        } catch (KVStoreException e) {
            require(failed, "close fails, though nothing is wrong any more: " + e);
            tally.count("store.told when it was closed");
        }
    }

    /** Whatever was acknowledged is there, and nothing that was not tried. */
    private void checkAcked() {
        HookedThreads background =
                new HookedThreads(new ErrorPoints(new ErrorPlan(Set.of(), 0, 0, ErrorPlan.Kind.OUT_OF_MEMORY)));
        try (KVStore again = open(disk, background)) {
            for (Durability durability : Durability.values()) {
                Table table = again.table(DATABASE, durability.name());
                tried.forEach((key, most) -> {
                    long least = acked.getOrDefault(key, 0L);
                    long found = number(table.get(bytes(key)));
                    require(
                            found >= least && found <= most,
                            "key " + key + " of " + durability + " is " + found + " after opening again, not " + least
                                    + " to " + most);
                });
            }
        } finally {
            background.close();
        }
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static byte[] value(long number) {
        return ByteBuffer.allocate(number % 4 == 0 ? 3_000 : 100)
                .putLong(number)
                .array();
    }

    private static long number(byte @Nullable [] value) {
        return value == null ? 0 : ByteBuffer.wrap(value).getLong();
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new AssertionError(message);
        }
    }
}
