package io.kvstore.testkit;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Durability;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.Shortage;
import io.kvstore.error.StoreFailedException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What {@link FullHeapContract} has done in a process of its own with a small heap: threads write, and another one takes all
 * of the heap, holds it for a while and lets go, again and again. Then every thread comes back. The store goes on, and what was
 * written becomes durable, or it says that it failed. It can be closed, and opens again with all that was acknowledged.
 *
 * <p>Each writer owns keys and puts growing numbers. What it notes is in arrays that are there before, because it could find no
 * memory for that.
 */
final class FullHeapProcess {

    private static final int WRITERS = 6;
    private static final int KEYS = 16;
    private static final int SESSIONS = 3;
    private static final long PRESSURE_NANOS = TimeUnit.MILLISECONDS.toNanos(800);
    private static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
    private static final long RETURN_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int[] PIECES = {256 << 10, 16 << 10, 512, 16};
    private static final int MOST_PIECES = 1 << 18;
    private static final String DATABASE = "d";

    private final KVStoreOptions options;
    private final Path directory;
    private final AtomicLongArray tried = new AtomicLongArray(WRITERS * KEYS);
    private final AtomicLongArray acked = new AtomicLongArray(WRITERS * KEYS);
    private final AtomicLongArray rounds = new AtomicLongArray(WRITERS);
    private volatile boolean stopped;
    private volatile @Nullable Throwable wrong;
    private volatile @Nullable Throwable refusal;

    private FullHeapProcess(Path directory, Durability durability) {
        this.directory = directory;
        this.options = KVStoreOptions.defaults()
                .withDurability(durability)
                .withMemoryBytes(16 << 20)
                .withWalSegmentBytes(256 << 10)
                .withCheckpointLogBytes(1 << 20)
                .withSyncIntervalMillis(50)
                .withStallTimeoutMillis(2_000);
    }

    /** Arguments: the directory, the durability, the engine, and names and values of its parameters in turn. */
    public static void main(String[] arguments) {
        Properties properties = new Properties();
        for (int i = 3; i < arguments.length; i += 2) {
            properties.setProperty(arguments[i], arguments[i + 1]);
        }
        new FullHeapProcess(Path.of(arguments[0]), Durability.valueOf(arguments[1])).run(arguments[2], properties);
    }

    private void run(String engine, Properties properties) {
        try (KVStore store = new KVStore(directory, options)) {
            store.createDB(DATABASE);
            for (Durability durability : Durability.values()) {
                Properties own = new Properties();
                own.putAll(properties);
                own.setProperty("DURABILITY", durability.name());
                store.createTable(DATABASE, durability.name(), engine, own);
            }
        }
        for (int session = 0; session < SESSIONS; session++) {
            work(new KVStore(directory, options));
            checkAcked();
        }
    }

    private void work(KVStore store) {
        List<Table> tables = new ArrayList<>();
        for (Durability durability : Durability.values()) {
            tables.add(store.table(DATABASE, durability.name()));
        }
        stopped = false;
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            int number = i;
            writers.add(start(() -> write(store, tables, number)));
        }
        // all is done once before, so that no class is missing later
        awaitRounds("the first rounds", store, 2 * KEYS);
        tables.forEach(Table::flush);
        store.checkpoint();
        pressHeap();
        awaitRounds("a writer", store, 2);
        stopped = true;
        await("the end of a writer", RETURN_NANOS, () -> writers.stream().noneMatch(Thread::isAlive));
        requireGoesOn(store, tables);
        close(store);
    }

    /** Until each writer has made so many rounds more, or the store has failed. */
    private void awaitRounds(String what, KVStore store, int more) {
        long[] least = new long[WRITERS];
        for (int i = 0; i < WRITERS; i++) {
            least[i] = rounds.get(i) + more;
        }
        await(what, RETURN_NANOS, () -> store.failure() != null || haveMade(least));
    }

    private boolean haveMade(long[] least) {
        for (int i = 0; i < WRITERS; i++) {
            if (rounds.get(i) < least[i]) {
                return false;
            }
        }
        return true;
    }

    private Thread start(Runnable work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                wrong = e;
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void write(KVStore store, List<Table> tables, int writer) {
        // what is caught below is loaded before there is no memory for it
        boolean failed = Shortage.isCauseOf(new StoreFailedException("none", null));
        while (!stopped && !failed) {
            int key = writer * KEYS + (int) (rounds.get(writer) % KEYS);
            try {
                put(store, tables, key);
                read(tables.get(key % tables.size()), key);
            } catch (StoreFailedException e) {
                failed = true;
            } catch (KVStoreException e) {
                refusal = e; // what it means has to show in the store
            } catch (RuntimeException | Error e) {
                if (!Shortage.isCauseOf(e)) {
                    throw e;
                }
            }
            rounds.incrementAndGet(writer);
        }
    }

    private void put(KVStore store, List<Table> tables, int key) {
        long next = tried.incrementAndGet(key);
        byte[] value = value(next);
        WriteBatch batch = new WriteBatch();
        tables.forEach(table -> batch.put(table, bytes(key), value));
        store.write(batch, next % 3 == 0 ? Durability.BUFFERED : null);
        acked.set(key, next);
    }

    private void read(Table table, int key) {
        require(table, key, number(table.get(bytes(key))));
    }

    private void require(Table table, int key, long found) {
        if (found < acked.get(key) || found > tried.get(key)) {
            throw new AssertionError("key " + key + " of " + table.name() + " is " + found + ", not " + acked.get(key)
                    + " to " + tried.get(key));
        }
    }

    /** Takes all of the heap, down to the smallest pieces, holds it and lets go. */
    private static void pressHeap() {
        Object[] kept = new Object[MOST_PIECES];
        long end = System.nanoTime() + PRESSURE_NANOS;
        while (System.nanoTime() < end) {
            int count = 0;
            for (int bytes : PIECES) {
                count = fill(kept, count, bytes);
            }
            park(HOLD_NANOS);
            Arrays.fill(kept, null);
            park(PAUSE_NANOS);
        }
    }

    private static int fill(Object[] kept, int from, int bytes) {
        int count = from;
        try {
            while (count < kept.length) {
                kept[count] = new byte[bytes];
                count++;
            }
        } catch (OutOfMemoryError e) {
            return count; // there is no more of that size
        }
        return count;
    }

    private static void park(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void requireGoesOn(KVStore store, List<Table> tables) {
        Thread last = start(() -> {
            boolean done = false;
            while (!done && store.failure() == null) {
                try {
                    put(store, tables, 0);
                    store.checkpoint();
                    done = true;
                } catch (KVStoreException e) {
                    refusal = e;
                }
            }
        });
        await("a write afterwards", RETURN_NANOS, () -> !last.isAlive());
        if (store.failure() == null) {
            long lsn = store.stats().log().lastLsn();
            await(
                    "that writes become durable",
                    RETURN_NANOS,
                    () -> store.failure() != null || store.stats().log().durableLsn() >= lsn);
        }
    }

    private void close(KVStore store) {
        boolean failed = store.failure() != null;
        Thread closer = start(() -> {
            try {
                store.close();
            } catch (KVStoreException e) {
                if (!failed) {
                    throw e;
                }
            }
        });
        await("close", CLOSE_NANOS, () -> !closer.isAlive());
    }

    /** Whatever was acknowledged is there, and nothing that was not tried. */
    private void checkAcked() {
        try (KVStore again = new KVStore(directory, options)) {
            for (Durability durability : Durability.values()) {
                Table table = again.table(DATABASE, durability.name());
                for (int key = 0; key < WRITERS * KEYS; key++) {
                    read(table, key);
                }
            }
        }
    }

    /** Fails if a thread has found something wrong, or if it takes too long, with what all threads do. */
    private void await(String what, long nanos, BooleanSupplier condition) {
        long deadline = System.nanoTime() + nanos;
        while (!condition.getAsBoolean() && wrong == null && System.nanoTime() < deadline) {
            park(TimeUnit.MILLISECONDS.toNanos(1));
        }
        Throwable found = wrong;
        if (found != null) {
            throw new AssertionError("waiting for " + what + ": " + found, found);
        }
        if (!condition.getAsBoolean()) {
            throw new AssertionError("waited in vain for " + what + "; refused: " + refusal + "\n" + threads());
        }
    }

    private static String threads() {
        StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            text.append(thread.getName()).append(' ').append(thread.getState()).append('\n');
            for (StackTraceElement frame : frames) {
                text.append("    ").append(frame).append('\n');
            }
        });
        return text.toString();
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
}
