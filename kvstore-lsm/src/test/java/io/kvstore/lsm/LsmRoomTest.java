package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.Background;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.Epochs;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.Waiter;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory and disk that several tables share, debt that grows too large, and tables that may not write. */
final class LsmRoomTest {

    private static final DurabilityBarrier NO_LOG = new DurabilityBarrier() {
        @Override
        public void beforeAnswer(long lsn) {
            // everything is durable
        }

        @Override
        public boolean isPassed(long lsn) {
            return true;
        }

        @Override
        public void beforeCommitPoint(long lsn) {
            // everything is durable
        }
    };

    private static final long MOST_BYTES = (1 << 20) * 11 / 10;

    private final SimStorage disk = new SimStorage();
    private final MemoryBudget memory = new MemoryBudget(1 << 20);
    private final Epochs epochs = new Epochs();
    private final StepClock clock = new StepClock();
    private final StepBackground steps = new StepBackground(clock);
    private @Nullable Throwable failure;

    /** Runs once in the middle of the next job that asks which snapshots are open. */
    private @Nullable Runnable inJob;

    private TableEngine open(int table, Map<String, ?> given, Background background, boolean readOnly)
            throws IOException {
        LsmEngineProvider provider = new LsmEngineProvider();
        disk.createDirectory("t" + table);
        return provider.open(new TableContext(
                disk,
                "t" + table,
                table,
                table,
                EngineHarness.properties(provider, given),
                NO_LOG,
                cause -> failure = cause,
                this::openLsns,
                epochs,
                memory,
                background,
                clock,
                1_000,
                readOnly,
                5));
    }

    private long[] openLsns() {
        Runnable once = inJob;
        inJob = null;
        if (once != null) {
            once.run();
        }
        return new long[0];
    }

    private static void put(TableEngine table, long lsn, int key, int valueBytes) throws IOException {
        List<Mutation> mutations = List.of(new Mutation.Put(key(key), new byte[valueBytes]));
        table.admit(valueBytes);
        for (TableEngine.Load load = table.reserve(mutations); load != null; load = table.reserve(mutations)) {
            load.run();
        }
        table.apply(lsn, mutations);
    }

    private static void unchecked(TableEngine.Load work) {
        try {
            work.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    /** Each table's memtable may have 64 MiB; together they have 1 MiB. */
    @Test
    void tables_share_one_budget_and_each_of_them_goes_on() throws IOException {
        TableEngine[] tables = new TableEngine[3];
        for (int i = 0; i < tables.length; i++) {
            tables[i] = open(i, Map.of("MEM_CACHE_SIZE", 1 << 20, "VALUE_THRESHOLD_BYTES", 1_001), steps, false);
        }
        for (int i = 0; i < 3_000; i++) {
            put(tables[i % 3], i + 1, i, 1_000);
            assertTrue(memory.usedBytes() <= MOST_BYTES, memory.usedByUse().toString());
        }
        for (TableEngine table : tables) {
            assertEquals(1_000, table.count(KeyRange.all(), ReadView.LATEST));
            assertTrue(table.durableLsn() > 0);
            table.close();
        }
        epochs.reclaim();
        assertEquals(0, memory.usedBytes());
        assertEquals(0, disk.openResources());
        assertEquals(null, failure);
    }

    /** Each of them has more to keep than its share, and most of the memory belongs to those that rest. Values may be apart. */
    @ParameterizedTest
    @ValueSource(ints = {1_001, 100})
    void many_tables_that_rest_give_their_memory_back(int valueThresholdBytes) throws IOException {
        TableEngine[] tables = new TableEngine[400];
        for (int i = 0; i < tables.length; i++) {
            tables[i] = open(i, Map.of("VALUE_THRESHOLD_BYTES", valueThresholdBytes), steps, false);
        }
        long lsn = 0;
        for (int round = 0; round < 2; round++) {
            for (TableEngine table : tables) {
                for (int i = 0; i < 6; i++) {
                    put(table, ++lsn, i, 1_000);
                    assertTrue(
                            memory.usedBytes() <= MOST_BYTES, memory.usedByUse().toString());
                }
            }
        }
        for (TableEngine table : tables) {
            assertEquals(6, table.count(KeyRange.all(), ReadView.LATEST));
            table.close();
        }
        epochs.reclaim();
        assertEquals(0, memory.usedBytes());
        assertEquals(0, disk.openResources());
    }

    /** What others have written once and do not need is flushed once, and a busy table has memory for as much as before. */
    @Test
    void busy_table_has_the_memory_of_those_that_rest() throws IOException {
        TableEngine[] resting = new TableEngine[4];
        long lsn = 0;
        for (int i = 0; i < resting.length; i++) {
            resting[i] = open(i, Map.of("VALUE_THRESHOLD_BYTES", 1_001), steps, false);
            for (int key = 0; key < 160; key++) {
                put(resting[i], ++lsn, key, 1_000);
            }
        }
        TableEngine busy = open(9, Map.of("VALUE_THRESHOLD_BYTES", 1_001), steps, false);
        for (int i = 0; i < 4_000; i++) {
            put(busy, ++lsn, i % 100, 1_000);
            assertTrue(memory.usedBytes() <= MOST_BYTES, memory.usedByUse().toString());
        }
        assertTrue(flushes(busy) <= 10, flushes(busy) + " flushes of 4 MB in turn with others of 640 KB");
        for (TableEngine table : resting) {
            assertEquals(1, flushes(table));
            table.close();
        }
        busy.close();
        epochs.reclaim();
        assertEquals(0, memory.usedBytes());
    }

    private static long flushes(TableEngine table) {
        return table.stats().measures().stream()
                .filter(measure -> measure.name().equals("flushes"))
                .mapToLong(measure -> (long) measure.value())
                .sum();
    }

    @Test
    void value_larger_than_the_whole_budget_is_taken_when_nothing_else_is_held() throws IOException {
        TableEngine table = open(1, Map.of("MEM_CACHE_SIZE", 65_536), steps, false);
        for (int i = 0; i < 4; i++) {
            put(table, 2 * i + 1, i, 100);
            put(table, 2 * i + 2, i + 10, 3 << 20);
        }
        steps.runAll();
        byte[] value = table.get(key(11), ReadView.LATEST);
        assertNotNull(value);
        assertEquals(3 << 20, value.length);
        table.close();
        assertEquals(0, memory.usedBytes());
    }

    /** Replay of a log that is larger than any memtable stays in memory, and nothing is written. */
    @Test
    void read_only_table_replays_into_memory_and_writes_nothing() throws IOException {
        TableEngine writer = open(1, Map.of("MEM_CACHE_SIZE", 65_536), steps, false);
        for (int i = 0; i < 500; i++) {
            put(writer, i + 1, i, 300);
        }
        long durable = writer.checkpoint();
        writer.close();
        long operations = disk.operations();
        TableEngine table = open(1, Map.of("MEM_CACHE_SIZE", 65_536), steps, true);
        for (int i = 0; i < 6_000; i++) {
            put(table, durable + i + 1, i, 300);
        }
        assertEquals(6_000, table.count(KeyRange.all(), ReadView.LATEST));
        assertArrayEquals(new byte[300], table.get(key(5_999), ReadView.LATEST));
        assertEquals(durable, table.checkpoint());
        table.optimize((done, total) -> true);
        table.close();
        TableEngine empty = open(2, Map.of(), steps, true);
        assertEquals(0, empty.durableLsn());
        empty.close();
        assertEquals(operations + 1, disk.operations(), "only the test itself made a directory");
        assertEquals(0, memory.usedBytes());
        assertEquals(0, disk.openResources());
    }

    /** A background that never gets to its work, for want of threads perhaps: writers do it. */
    @Test
    void writers_flush_what_nobody_else_does() throws IOException {
        Background lazy = with(new StepBackground(clock), steps.waiter());
        Map<String, ?> given = Map.of("MEM_CACHE_SIZE", 65_536, "MAX_SSTABLES", 1_000, "VALUE_THRESHOLD_BYTES", 1_001);
        TableEngine table = open(1, given, lazy, false);
        for (int i = 0; i < 2_000; i++) {
            put(table, i + 1, i, 1_000);
        }
        assertEquals(2_000, table.count(KeyRange.all(), ReadView.LATEST));
        table.close();
        assertEquals(0, memory.usedBytes());
    }

    /** A flush that takes long: writers wait, for as long as they were told, and are refused. */
    @Test
    void writers_are_refused_when_flushes_do_not_keep_up() throws IOException {
        int kept = writesUntilRefusal(1, 1_001);
        assertTrue(kept > 130 && kept < 300, kept + " writes with their values fit beside a memtable that is flushed");
        int apart = writesUntilRefusal(2, 1_000);
        int most = (7 << 17) / 1_024 + (64 << 10) / 1_024;
        assertTrue(
                apart > 780 && apart < most,
                apart + " writes with values apart fit into 7/8 of the memory and an array");
    }

    /** Pages of other tables have taken so much that memtables may take nothing; still each writer has its turn. */
    @Test
    void writer_that_waits_for_memory_goes_on_when_another_one_was_sooner() throws IOException {
        int[] rounds = {0};
        TableEngine[] table = new TableEngine[1];
        Waiter flushed = new Waiter() {
            @Override
            public boolean await(BooleanSupplier condition, long timeoutMillis) {
                steps.runAll();
                if (++rounds[0] == 1) {
                    unchecked(() -> put(table[0], 2, 2, 100));
                }
                return steps.waiter().await(condition, timeoutMillis);
            }

            @Override
            public void signal() {
                steps.waiter().signal();
            }
        };
        table[0] =
                open(1, Map.of("MEM_CACHE_SIZE", 65_536, "VALUE_THRESHOLD_BYTES", 30_000), with(steps, flushed), false);
        put(table[0], 1, 1, 100);
        memory.take(MemoryBudget.Use.PAGE_BUFFER, memory.totalBytes() - memory.usedBytes());
        put(table[0], 3, 3, 20_000);
        assertTrue(rounds[0] > 1, "it did not wait");
        assertEquals(3, table[0].count(KeyRange.all(), ReadView.LATEST));
        table[0].close();
    }

    /** Whenever a compaction has made room in level 0, others flush so that it is full again before the writer looks. */
    @Test
    void writer_that_waited_goes_on_when_there_was_room_though_a_flush_has_taken_it() throws IOException {
        TableEngine[] table = new TableEngine[1];
        boolean[] isWriting = {false};
        int[] rounds = {0};
        Waiter overtaken = new Waiter() {
            @Override
            public boolean await(BooleanSupplier condition, long timeoutMillis) {
                boolean isOfWriter = isWriting[0];
                isWriting[0] = false;
                boolean holds = steps.waiter().await(condition, timeoutMillis);
                if (isOfWriter) {
                    assertTrue(holds);
                    rounds[0]++;
                    unchecked(() -> fillLevel0(table[0], 10 * rounds[0]));
                    assertFalse(condition.getAsBoolean());
                    isWriting[0] = true;
                }
                return holds;
            }

            @Override
            public void signal() {
                steps.waiter().signal();
            }
        };
        table[0] = open(1, Map.of("MEM_CACHE_SIZE", 65_536, "MAX_SSTABLES", 3), with(steps, overtaken), false);
        fillLevel0(table[0], 0);
        isWriting[0] = true;
        table[0].admit(100);
        isWriting[0] = false;
        assertEquals(1, rounds[0], "it waits once");
        table[0].close();
    }

    /** Writers wait while level 0 has three files. */
    private static void fillLevel0(TableEngine table, int from) throws IOException {
        for (int i = from; i < from + 3; i++) {
            put(table, i + 1, i, 100);
            table.flush();
        }
    }

    /** Another background, which runs tasks somewhere else or waits in another way. */
    private Background with(StepBackground tasks, Waiter waiter) {
        return new Background() {
            @Override
            public void execute(Runnable task) {
                tasks.execute(task);
            }

            @Override
            public Ticket every(long periodMillis, Runnable task) {
                return steps.every(periodMillis, task);
            }

            @Override
            public Waiter waiter() {
                return waiter;
            }

            @Override
            public void close() {
                tasks.close();
            }
        };
    }

    private int writesUntilRefusal(int number, int valueThresholdBytes) throws IOException {
        StepBackground stuck = new StepBackground(clock);
        Background lazy = with(stuck, steps.waiter());
        Map<String, ?> given = Map.of("MEM_CACHE_SIZE", 65_536, "VALUE_THRESHOLD_BYTES", valueThresholdBytes);
        TableEngine table = open(number, given, lazy, false);
        long before = clock.nanoTime();
        put(table, 1, 0, 1_000);
        int[] written = {1};
        String[] refusal = {""};
        inJob = () -> refusal[0] = String.valueOf(assertThrows(OverloadedException.class, () -> {
                    while (true) {
                        put(table, written[0] + 1, written[0], 1_000);
                        written[0]++;
                    }
                })
                .getMessage());
        table.flush();
        assertTrue(refusal[0].contains("stallTimeoutMillis"), refusal[0]);
        assertTrue(clock.nanoTime() - before >= 1_000_000_000L, "it did not wait");
        stuck.runAll();
        put(table, written[0] + 1, written[0], 1_000);
        assertEquals(written[0] + 1, table.count(KeyRange.all(), ReadView.LATEST));
        table.close();
        assertEquals(0, memory.usedBytes());
        return written[0];
    }

    /** Cursors that stay open keep what they walk on, whatever is flushed, merged and deleted beside them. */
    @Test
    void files_and_memory_go_when_the_last_cursor_is_closed() throws IOException {
        TableEngine table = open(1, Map.of("MEM_CACHE_SIZE", 65_536), steps, false);
        for (int i = 0; i < 600; i++) {
            put(table, i + 1, i, 200);
        }
        table.flush();
        int files;
        try (EngineCursor cursor = table.scan(KeyRange.all(), ReadView.LATEST)) {
            assertTrue(cursor.next());
            for (int i = 0; i < 600; i++) {
                put(table, 601 + i, i, 100);
            }
            table.optimize((done, total) -> true);
            files = disk.list("t1").size();
            int seen = 1;
            while (cursor.next()) {
                assertEquals(200, cursor.value().length);
                seen++;
            }
            assertEquals(600, seen);
        }
        assertTrue(disk.list("t1").size() < files, "files stay after the last cursor");
        long held = table.stats().measures().stream()
                .filter(measure -> measure.name().endsWith("_files"))
                .mapToLong(measure -> (long) measure.value())
                .sum();
        assertEquals(held + 1, disk.list("t1").size());
        assertEquals(held, disk.openResources());
        table.close();
    }

    /** A compaction may take seconds; writers that wait for the memory of a flushed memtable need not wait for its end. */
    @Test
    void memory_of_a_flushed_memtable_comes_back_while_a_compaction_goes_on() throws IOException {
        TableEngine table = open(1, Map.of("MEM_CACHE_SIZE", 65_536), steps, false);
        for (int i = 0; i < 200; i++) {
            put(table, i + 1, i % 100, 200);
            if (i % 100 == 99) {
                table.flush();
            }
        }
        long[] usedBytes = new long[2];
        table.optimize((done, total) -> {
            if (done == 0) {
                unchecked(() -> put(table, 201, 200, 200));
                inJob = () -> {
                    usedBytes[0] = memory.usedBytes();
                    unchecked(table::flush);
                    epochs.reclaim();
                    usedBytes[1] = memory.usedBytes();
                };
            }
            return true;
        });
        assertTrue(usedBytes[0] > 0, "the hook did not run in a compaction");
        assertTrue(usedBytes[1] < usedBytes[0], () -> usedBytes[1] + " of " + usedBytes[0] + " bytes are still taken");
        table.close();
        assertEquals(0, memory.usedBytes());
    }

    /** What is left of it in memory must not get into a file, for the log may not have it. */
    @Test
    void half_an_operation_is_never_flushed_and_nothing_follows_it() throws IOException {
        TableEngine table = open(1, Map.of("MEM_CACHE_SIZE", 65_536), steps, false);
        put(table, 1, 1, 100);
        List<Mutation> whole =
                List.of(new Mutation.Put(key(2), new byte[100]), new Mutation.Put(key(3), new byte[100]));
        assertNull(table.reserve(whole));
        List<Mutation> half = new AbstractList<>() {
            @Override
            public Mutation get(int index) {
                if (index == 0) {
                    throw new IllegalStateException("the first one is not to be had");
                }
                return whole.get(index);
            }

            @Override
            public int size() {
                return whole.size();
            }
        };
        assertThrows(IllegalStateException.class, () -> table.apply(2, half));
        assertThrows(StoreFailedException.class, table::checkpoint);
        assertThrows(StoreFailedException.class, () -> table.reserve(whole));
        assertEquals(0, table.durableLsn());
        table.close();
        assertEquals(0, memory.usedBytes());
        assertEquals(0, disk.openResources());
    }
}
