package io.kvstore.testkit;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Findings;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.NotFoundException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.error.TableDroppedException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writers, readers, scans, snapshots and changes of names at the same time. Each writer owns keys and puts growing numbers,
 * into both tables in one batch; so no reader ever sees a number go back, and no snapshot ever sees two numbers.
 */
final class StressRun {

    private static final int WRITERS = 4;
    private static final int KEYS = 40;
    private static final long MILLIS = Long.getLong("kv.stress.millis", Sweeps.count(600, 1_200));

    private final KVStore store;
    private final Table one;
    private final Table two;
    private final StoreScenario.Engine engine;
    private final Tally tally;
    private final StoreThreads threads = new StoreThreads();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final Map<Long, Long> acked = new ConcurrentHashMap<>();
    private final Map<Long, Long> tried = new ConcurrentHashMap<>();

    StressRun(KVStore store, Table one, Table two, StoreScenario.Engine engine, Tally tally) {
        this.store = store;
        this.one = one;
        this.two = two;
        this.engine = engine;
        this.tally = tally;
    }

    void start() {
        for (int writer = 0; writer < WRITERS; writer++) {
            int own = writer;
            threads.start(() -> untilClosed(() -> write(own)));
        }
        for (int reader = 0; reader < 2; reader++) {
            int seed = reader;
            threads.start(() -> read(seed));
        }
        threads.start(() -> untilClosed(this::scanSnapshot));
        threads.start(() -> untilClosed(this::walk));
        threads.start(() -> untilClosed(() -> changeNames("side-a")));
        threads.start(() -> untilClosed(() -> changeNames("side-b")));
        threads.start(() -> untilClosed(this::useSideTables));
        threads.start(() -> untilClosed(this::maintain));
    }

    /** Lets it run for a while, then closes the store in the middle of it. */
    void closeUnderLoad() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS);
        while (System.nanoTime() < deadline && !threads.anyFailed()) {
            LockSupport.parkNanos(5_000_000);
        }
        store.close();
        stop.set(true);
        threads.join();
        tally.add(
                "stress.acknowledged",
                acked.values().stream().mapToLong(Long::longValue).sum());
    }

    private void untilClosed(StoreThreads.Work work) throws Exception {
        try {
            while (!stop.get()) {
                work.run();
            }
        } catch (StoreClosedException e) {
            tally.count("stress.ended by close");
        }
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static long number(byte @Nullable [] value) {
        return value == null ? 0 : ByteBuffer.wrap(value).getLong();
    }

    private void write(int writer) {
        for (long i = 0; i < KEYS; i++) {
            long key = (long) writer * KEYS + i;
            long next = tried.merge(key, 1L, Long::sum);
            byte[] value = ByteBuffer.allocate(200).putLong(next).array();
            store.write(new WriteBatch().put(one, bytes(key), value).put(two, bytes(key), value));
            acked.put(key, next);
        }
    }

    private void read(int seed) throws Exception {
        Map<Long, Long> seen = new ConcurrentHashMap<>();
        SplittableRandom random = new SplittableRandom(seed);
        untilClosed(() -> {
            long key = random.nextInt(WRITERS * KEYS);
            Long least = acked.getOrDefault(key, 0L);
            long found = number(one.get(bytes(key)));
            require(found >= least, "key " + key + " was acknowledged with " + least + " and read as " + found);
            long before = seen.getOrDefault(key, 0L);
            require(found >= before, "key " + key + " went back from " + before + " to " + found);
            seen.put(key, found);
            tally.count("stress.reads");
        });
    }

    private void scanSnapshot() {
        try (Snapshot snapshot = store.snapshot();
                Cursor first = snapshot.scan(one, KeyRange.all());
                Cursor second = snapshot.scan(two, KeyRange.all())) {
            if (one.isOrdered()) {
                while (first.next()) {
                    require(second.next(), "a batch is there in part");
                    require(
                            number(first.key()) == number(second.key())
                                    && number(first.value()) == number(second.value()),
                            "a snapshot sees a batch in part");
                }
                require(!second.next(), "a batch is there in part");
            } else {
                require(numbers(first).equals(numbers(second)), "a snapshot sees a batch in part");
            }
            tally.count("stress.snapshots");
        }
    }

    private static Map<Long, Long> numbers(Cursor entries) {
        Map<Long, Long> numbers = new HashMap<>();
        while (entries.next()) {
            require(numbers.put(number(entries.key()), number(entries.value())) == null, "a key comes twice");
        }
        return numbers;
    }

    private void walk() {
        KeyRange all = KeyRange.all();
        try (Cursor cursor = one.scan(one.isOrdered() ? all.reverse() : all)) {
            Set<Long> passed = new HashSet<>();
            long before = Long.MAX_VALUE;
            while (cursor.next()) {
                long key = number(cursor.key());
                require(one.isOrdered() ? key < before : passed.add(key), "a scan is not in order");
                before = key;
            }
            tally.count("stress.scans");
        }
    }

    private void changeNames(String name) {
        try {
            Table side = store.createTable(
                    "db", name, engine.name(), StoreScenario.properties(engine, true, Durability.BUFFERED));
            side.put("b", new byte[100]);
            side.truncate();
            require(side.get("b") == null, "a truncated table is not empty");
            side.put("b", new byte[100]);
            store.dropTable("db", name);
            tally.count("stress.tables created, truncated and dropped");
        } catch (AlreadyExistsException | TableDroppedException e) {
            throw new AssertionError("nobody else changes " + name, e);
        }
    }

    private void useSideTables() {
        for (String name : new String[] {"side-a", "side-b"}) {
            try {
                Table side = store.table("db", name);
                side.put("a", new byte[50]);
                try (Cursor cursor = side.scan(KeyRange.all())) {
                    while (cursor.next()) {
                        require(cursor.value().length > 0, "a value is empty");
                    }
                }
                tally.count("stress.used a side table");
            } catch (NotFoundException | TableDroppedException e) {
                tally.count("stress.side table was gone");
            }
        }
    }

    private void maintain() {
        try {
            store.checkpoint();
            two.flush();
            one.optimize((done, total) -> !stop.get());
            Findings findings = store.verify();
            require(findings.total() == 0, "verify finds something: " + findings.kept());
            tally.count("stress.checkpoints");
        } catch (TableDroppedException e) {
            tally.count("stress.verified table was gone");
        }
    }

    /** After opening again: whatever was acknowledged is there, and nothing that was not tried. */
    void checkAcked(KVStore again) {
        Table first = again.table("db", "one");
        Table second = again.table("db", "two");
        tried.forEach((key, most) -> {
            long found = number(first.get(bytes(key)));
            require(
                    found >= acked.getOrDefault(key, 0L) && found <= most,
                    "key " + key + " is " + found + " after opening again");
            require(found == number(second.get(bytes(key))), "a batch is there in part after opening again");
        });
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new AssertionError(message);
        }
    }
}
