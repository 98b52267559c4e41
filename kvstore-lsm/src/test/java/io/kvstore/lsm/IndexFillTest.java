package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.Mutation;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.ReadView;
import io.kvstore.io.Storage;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.InterruptedThread;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the index of long values learns of what was put before the table was opened. */
final class IndexFillTest {

    private static final int KEYS = 20_000;

    /**
     * A fifth of what the smallest index has room for. Which keys share a bucket depends on the secret of the opening. Of
     * 1,000 keys, which take half of the room, more than ten were not known in 86 of 300 openings.
     */
    private static final int FEW_KEYS = 400;

    private static final int VALUE_BYTES = 300;

    @TempDir
    private Path directory;

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(int number, int version) {
        return ByteBuffer.allocate(VALUE_BYTES).putInt(number).putInt(version).array();
    }

    private static Properties properties(int memCacheBytes) {
        Properties properties = new Properties();
        properties.put(LsmConfParamsEnum.MEM_CACHE_SIZE, memCacheBytes);
        return properties;
    }

    private static double indexEntries(Table table) {
        return measure(table, "hash_index_entries");
    }

    private static double measure(Table table, String name) {
        return Objects.requireNonNull(table.stats().engine()).measures().stream()
                .filter(one -> one.name().equals(name))
                .mapToDouble(EngineStats.Measure::value)
                .sum();
    }

    @Test
    void gets_that_have_to_search_fill_the_index_of_a_table_that_was_opened() {
        SimStorage disk = new SimStorage();
        StepClock clock = new StepClock();
        KVStoreOptions options = KVStoreOptions.defaults().withStorage(disk).withClock(clock);
        try (KVStore store = new KVStore(Path.of("unused"), options.withBackground(new StepBackground(clock)))) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "LSM", properties(1 << 20));
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i), value(i, 0));
            }
        }
        StepBackground background = new StepBackground(clock);
        try (KVStore store = new KVStore(Path.of("unused"), options.withBackground(background))) {
            Table table = store.table("db", "t");
            assertEquals(0, indexEntries(table));
            for (int i = 0; i < KEYS; i++) {
                assertArrayEquals(value(i, 0), table.get(key(i)));
            }
            background.runAll();
            double known = indexEntries(table);
            assertTrue(known > 0.95 * KEYS && known <= KEYS, known + " of " + KEYS);
            for (int i = 0; i < KEYS; i++) {
                assertArrayEquals(value(i, 0), table.get(key(i)));
            }
            background.runAll();
            assertEquals(known, indexEntries(table), "it is not worth a second walk");
        }
    }

    @Test
    void who_only_puts_pays_for_no_index() {
        StepClock clock = new StepClock();
        StepBackground background = new StepBackground(clock);
        KVStoreOptions options =
                KVStoreOptions.defaults().withStorage(new SimStorage()).withClock(clock);
        try (KVStore store = new KVStore(Path.of("unused"), options.withBackground(background))) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "LSM", properties(1 << 20));
            for (int i = 0; i < FEW_KEYS; i++) {
                table.put(key(i), value(i, 0));
                background.runAll();
                assertEquals(0, measure(table, "hash_index_bytes"), i + " puts");
            }
            for (int i = 0; i < FEW_KEYS; i++) {
                background.runAll();
                assertEquals(0, measure(table, "hash_index_bytes"), i + " gets");
                table.get(key(i));
            }
            for (int i = 0; i < 64; i++) { // looked at now and then only
                table.get(key(i));
            }
            background.runAll();
            assertTrue(measure(table, "hash_index_bytes") > 0, "it was not made");
            double known = indexEntries(table);
            assertTrue(known > 0.97 * FEW_KEYS && known <= FEW_KEYS, known + " of " + FEW_KEYS);
            for (int i = 0; i < 100; i++) {
                table.put(key(FEW_KEYS + i), value(FEW_KEYS + i, 0));
                table.put(key(i), value(i, 1));
            }
            double more = indexEntries(table);
            assertTrue(more > known + 75 && more <= known + 100, more + " after " + known); // some wait
            for (int i = 0; i < FEW_KEYS + 100; i++) {
                assertArrayEquals(value(i, i < 100 ? 1 : 0), table.get(key(i)));
            }
        }
    }

    @Test
    void gets_of_what_was_put_before_the_index_grew_fill_it() {
        StepClock clock = new StepClock();
        StepBackground background = new StepBackground(clock);
        KVStoreOptions options =
                KVStoreOptions.defaults().withStorage(new SimStorage()).withClock(clock);
        try (KVStore store = new KVStore(Path.of("unused"), options.withBackground(background))) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "LSM", properties(1 << 20));
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i), value(i, 0));
                table.get(key(i / 2));
                background.runAll();
            }
            double before = indexEntries(table);
            assertTrue(before > 0.5 * KEYS && before < 0.95 * KEYS, before + " of " + KEYS);
            for (int i = 0; i < KEYS; i++) {
                int number = i % 1_000;
                assertArrayEquals(value(number, 0), table.get(key(number)));
            }
            background.runAll();
            assertTrue(indexEntries(table) > 0.96 * KEYS, indexEntries(table) + " of " + KEYS);
        }
    }

    /** Both what is in a memtable by then and what is in a file already. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_is_removed_while_it_is_about_to_be_told_is_not_told(boolean isFlushed) throws IOException {
        Deque<Runnable> atReads = new ArrayDeque<>();
        Storage storage = watched(() -> {
            if (!atReads.isEmpty()) {
                atReads.remove().run();
            }
        });
        StepClock clock = new StepClock();
        LsmOptions options = new LsmOptions(1 << 20, 1, 0.01, 24, 100, null, LsmOptions.usualSlackBytes(1 << 20));
        List<Mutation> puts = new ArrayList<>();
        List<Mutation> removals = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            puts.add(new Mutation.Put(key(i), value(i, 0)));
            if (i % 10 == 0) { // few, so that their segment stays: the value of a removed key could be read
                removals.add(new Mutation.Remove(key(i)));
            }
        }
        StepBackground first = new StepBackground(clock);
        try (LsmEngine engine =
                LsmEngine.open(LoneTable.on(storage, new MemoryBudget(16 << 20, 16 << 20), clock, first), options)) {
            apply(engine, 1, puts);
            engine.flush();
        }
        StepBackground background = new StepBackground(clock);
        try (LsmEngine engine = LsmEngine.open(
                LoneTable.on(storage, new MemoryBudget(16 << 20, 16 << 20), clock, background), options)) {
            for (int i = 0; i < 17_000; i++) {
                assertArrayEquals(value(i % 2_000, 0), engine.get(key(i % 2_000), ReadView.LATEST_UNWAITED));
            }
            atReads.add(() -> {}); // the first blocks
            atReads.add(() -> {
                apply(engine, 2, removals);
                if (isFlushed) {
                    assertDoesNotThrow(engine::flush);
                }
            });
            background.runAll();
            assertEquals(0, atReads.size(), "nothing was read");
            for (int i = 0; i < 2_000; i++) {
                assertArrayEquals(i % 10 == 0 ? null : value(i, 0), engine.get(key(i), ReadView.LATEST_UNWAITED));
            }
        }
    }

    /** An operation takes long when its writer waits, for room or for the lock of another table. */
    @Test
    void an_interrupted_thread_makes_pauses_while_an_operation_is_under_way() throws IOException, InterruptedException {
        StepClock clock = new StepClock();
        StepBackground background = new StepBackground(clock);
        LsmOptions options = new LsmOptions(1 << 20, 1, 0.01, 24, 100, null, LsmOptions.usualSlackBytes(1 << 20));
        List<Mutation> puts = new ArrayList<>();
        for (int i = 0; i < FEW_KEYS; i++) {
            puts.add(new Mutation.Put(key(i), value(i, 0)));
        }
        try (LsmEngine engine = LsmEngine.open(
                LoneTable.on(watched(() -> {}), new MemoryBudget(16 << 20, 16 << 20), clock, background), options)) {
            apply(engine, 1, puts);
            background.runAll();
            for (int i = 0; i < 2 * FEW_KEYS; i++) {
                assertNotNull(engine.get(key(i % FEW_KEYS), ReadView.LATEST_UNWAITED));
            }
            List<Mutation> next = List.of(new Mutation.Put(key(FEW_KEYS), value(FEW_KEYS, 0)));
            assertNull(engine.reserve(next));
            InterruptedThread filling = InterruptedThread.start(background::runAll);
            try {
                assertTrue(filling.hasPaused(3), "it looks all the time");
            } finally {
                engine.apply(2, next);
            }
            filling.end();
            assertEquals(List.of(), background.failures());
        }
    }

    /** A disk with the directory of a table, which runs something before each read of an SSTable. */
    private static Storage watched(Runnable atRead) throws IOException {
        SimStorage disk = new SimStorage();
        disk.createDirectory(LoneTable.DIRECTORY);
        disk.syncDirectory("");
        return HookedStorage.over(disk, (name, path, proceed) -> {
            if (path.endsWith(".sst") && name.equals("mapReadOnly")) {
                throw new IOException("so that every read of an SSTable comes here");
            }
            if (path.endsWith(".sst") && name.startsWith("read")) {
                atRead.run();
            }
            return proceed.call();
        });
    }

    /** Flushes a memtable after some reads, of which a walk over all entries takes more than twice as many. */
    private static final class Flushes implements Runnable {

        private static final int EVERY_READS = 20;
        private static final int MOST = 18;

        private @Nullable LsmEngine engine;
        private int reads;
        private int count;

        @Override
        public void run() {
            LsmEngine flushed = engine;
            if (flushed != null && ++reads % EVERY_READS == 0 && count < MOST) {
                count++;
                apply(flushed, 1 + count, List.of(new Mutation.Put(new byte[1], new byte[1])));
                assertDoesNotThrow(flushed::flush);
            }
        }
    }

    /** To walk from one to the next takes longer than a memtable lives. */
    @Test
    void rare_long_values_are_told_while_memtables_come_and_go() throws IOException {
        int rare = 9_000;
        List<Mutation> puts = new ArrayList<>();
        for (int i = 0; i < 5 * rare; i++) {
            puts.add(new Mutation.Put(key(i), new byte[i % rare == 0 ? 1_500 : 200]));
        }
        Flushes flushes = new Flushes();
        Storage storage = watched(flushes);
        StepClock clock = new StepClock();
        long bytes = 64 << 20;
        LsmOptions options = new LsmOptions(bytes, 1_024, 0.01, 24, 1_000, null, LsmOptions.usualSlackBytes(bytes));
        MemoryBudget memory = new MemoryBudget(4 * bytes, 16 << 20);
        try (LsmEngine engine =
                LsmEngine.open(LoneTable.on(storage, memory, clock, new StepBackground(clock)), options)) {
            apply(engine, 1, puts);
            engine.flush();
        }
        StepBackground background = new StepBackground(clock);
        try (LsmEngine engine = LsmEngine.open(LoneTable.on(storage, memory, clock, background), options)) {
            background.runAll();
            for (int i = 0; i < 11_000; i++) {
                assertNotNull(engine.get(key(i % 5 * rare), ReadView.LATEST_UNWAITED));
            }
            assertEquals(1, background.queued(), "nothing is to be filled");
            flushes.engine = engine;
            assertTrue(background.runNext());
            flushes.engine = null;
            assertTrue(flushes.count > 0 && flushes.count < Flushes.MOST, flushes.count + " flushes before its end");
            double known = engine.stats().measures().stream()
                    .filter(one -> one.name().equals("hash_index_entries"))
                    .mapToDouble(EngineStats.Measure::value)
                    .sum();
            assertEquals(5, known);
        }
    }

    private static void apply(LsmEngine engine, long lsn, List<Mutation> mutations) {
        assertNull(engine.reserve(mutations));
        engine.apply(lsn, mutations);
    }

    /** A reader is never told of a value that was replaced or removed before it asked. */
    @Test
    void it_is_filled_beside_a_writer() throws Exception {
        KVStoreOptions options = KVStoreOptions.defaults().withDurability(Durability.BUFFERED);
        Changes changes = new Changes();
        for (int round = 0; round < 12; round++) {
            try (KVStore store = new KVStore(directory, options);
                    ExecutorService threads = Executors.newFixedThreadPool(2)) {
                if (round == 0) {
                    store.createDB("db");
                    store.createTable("db", "t", "LSM", properties(256 << 10));
                }
                Table table = store.table("db", "t");
                int seed = round;
                AtomicBoolean stop = new AtomicBoolean();
                Future<?> writer = threads.submit(() -> changes.write(table, seed, stop));
                Future<?> reader = threads.submit(() -> changes.read(table, seed));
                try {
                    reader.get();
                } finally {
                    stop.set(true);
                }
                writer.get();
                assertTrue(indexEntries(table) > 0, "the index was not used");
            }
        }
    }

    /** Versions of each key: the one that was begun and the one that is done; a removal is negative. */
    private static final class Changes {

        private static final int CHANGED_KEYS = 3_000;
        private static final int READS = 60_000;

        private final AtomicIntegerArray begun = new AtomicIntegerArray(CHANGED_KEYS);
        private final AtomicIntegerArray done = new AtomicIntegerArray(CHANGED_KEYS);

        void write(Table table, int seed, AtomicBoolean stop) {
            SplittableRandom random = new SplittableRandom(seed);
            while (!stop.get()) {
                int number = random.nextInt(CHANGED_KEYS);
                int version = Math.abs(done.get(number)) + 1;
                if (random.nextInt(4) == 0) {
                    begun.set(number, -version);
                    table.remove(key(number));
                    done.set(number, -version);
                } else {
                    begun.set(number, version);
                    table.put(key(number), value(number, version));
                    done.set(number, version);
                }
            }
        }

        void read(Table table, int seed) {
            SplittableRandom random = new SplittableRandom(-seed);
            for (int i = 0; i < READS; i++) {
                int number = random.nextInt(CHANGED_KEYS);
                int before = done.get(number);
                byte[] value = table.get(key(number));
                int after = begun.get(number);
                if (value == null) {
                    assertTrue(before <= 0 || after != before, "version " + before + " is lost");
                } else {
                    int version = ByteBuffer.wrap(value).getInt(Integer.BYTES);
                    assertEquals(number, ByteBuffer.wrap(value).getInt());
                    assertTrue(
                            before < 0 ? version > -before : version >= before,
                            "version " + version + " after " + before);
                }
            }
        }
    }
}
