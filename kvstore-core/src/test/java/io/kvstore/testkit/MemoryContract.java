package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.kvstore.data.Mutation;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableEngine;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.memory.UnusedMemory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Contract of an engine: what it takes of the heap, and when. */
abstract class MemoryContract extends DamageContract {

    private static final int RESTING_KEYS = 1_000;
    private static final int OPERATIONS = Sweeps.count(10_000, 50_000);

    /** What a thread may take without any doing of the engine. */
    private static final long LEAST_BYTES = 2_048;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** How many operations are applied. Half of them make the table's structures as large as they become. */
    protected int operations() {
        return OPERATIONS;
    }

    /** Once an operation is in the log it has to be applied, so nothing that may be missing then is needed. */
    @Test
    void applying_takes_nothing_of_the_heap() throws IOException {
        Map<String, Object> inline = new HashMap<>(properties());
        inline.remove("VALUE_THRESHOLD_BYTES");
        applyingTakesNothing(open(inline), operations(), 200);
    }

    /** Values that are kept apart are copied in pieces, of which each segment has many; some are longer than a piece. */
    @Test
    void applying_values_that_are_kept_apart_takes_nothing_of_the_heap() throws IOException {
        Map<String, Object> apart = new HashMap<>(properties());
        apart.put("VALUE_THRESHOLD_BYTES", 16);
        applyingTakesNothing(open(apart), operations() / 2, 1_500);
    }

    private static void applyingTakesNothing(EngineHarness table, int operations, int mostValueBytes)
            throws IOException {
        long taken = 0;
        for (int i = 0; i < operations; i++) {
            if (i % 50 == 0) {
                table.engine().get(mutations(i, 0).getFirst().key(), ReadView.LATEST); // so that changes can be found
            }
            int bytes = i % 50 == 49 ? 50 * mostValueBytes : i % mostValueBytes;
            long now = takenToApply(table, mutations(i, bytes));
            taken += i < operations / 2 ? 0 : now;
        }
        assertTrue(taken <= LEAST_BYTES, operations / 2 + " operations took " + taken + " bytes to apply");
        table.check();
    }

    /** Counts how often its elements are looked at. */
    private static final class Counted extends AbstractList<Mutation> {

        private final List<Mutation> mutations;
        private int looks;

        private Counted(List<Mutation> mutations) {
            this.mutations = mutations;
        }

        @Override
        public Mutation get(int index) {
            looks++;
            return mutations.get(index);
        }

        @Override
        public int size() {
            return mutations.size();
        }
    }

    /** To take the measure, to reserve, and to apply: a batch of many changes is walked over under the table's lock. */
    @Test
    void an_engine_walks_over_changes_three_times_at_most() throws IOException {
        Map<String, Object> apart = new HashMap<>(properties());
        apart.put("VALUE_THRESHOLD_BYTES", 16);
        EngineHarness table = open(apart);
        for (int round = 0; round < 50; round++) {
            List<Mutation> mutations = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                mutations.add(new Mutation.Put(bytes("key " + (i * 37 + round)), value(i, 1 + 30 * (i % 2))));
            }
            Counted counted = new Counted(mutations);
            table.engine().admit(1_000);
            for (TableEngine.Load load = table.engine().reserve(counted);
                    load != null;
                    load = table.engine().reserve(counted)) {
                load.run();
                counted.looks = 0; // there was no room, so nothing was reserved
            }
            table.engine().apply(table.append(mutations), counted);
            int most = 3 * mutations.size() + 1; // and the first one is looked at for whether all are removals
            assertTrue(counted.looks <= most, counted.looks + " looks in round " + round);
        }
        table.check();
    }

    /** A table that nobody uses gives others what it can do without. It answers as before, and has it again when it is used. */
    @Test
    void what_a_table_at_rest_gives_back_it_does_without() throws IOException {
        Map<String, Object> apart = new HashMap<>(properties());
        apart.put("VALUE_THRESHOLD_BYTES", 16);
        EngineHarness table = open(apart);
        boolean hasIndex = table.engine().stats().measures().stream()
                .anyMatch(measure -> measure.name().equals("hash_index_bytes"));
        for (int round = 0; round < 3; round++) {
            for (int key = 0; key < RESTING_KEYS; key++) {
                table.put(bytes("key " + key), value(key + round, 20 + key % 100));
            }
            getAll(table);
            long indexBytes = indexBytes(table);
            assertEquals(hasIndex, indexBytes > 0, "in round " + round);
            long used = table.memory().usedBytes();
            assertTrue(giveAllBack(table) >= indexBytes);
            assertEquals(0, indexBytes(table));
            assertTrue(table.memory().usedBytes() <= used - indexBytes, "it is free for others");
            table.background().tick(5_000);
            assertEquals(0, indexBytes(table), "nobody used the table, so it takes nothing");
            long free = table.memory().totalBytes() - table.memory().usedBytes();
            table.memory().take(MemoryBudget.Use.PAGE_BUFFER, free);
            getAll(table);
            assertEquals(0, indexBytes(table), "others have all memory");
            table.memory().release(MemoryBudget.Use.PAGE_BUFFER, free);
            table.check();
        }
    }

    private static void getAll(EngineHarness table) throws IOException {
        for (int key = 0; key < 20 * RESTING_KEYS; key++) {
            table.engine().get(bytes("key " + key % RESTING_KEYS), ReadView.LATEST);
            if (key % RESTING_KEYS == 0) {
                table.background().tick(1_500);
            }
        }
    }

    private static long giveAllBack(EngineHarness table) {
        long bytes = 0;
        for (UnusedMemory holder : table.memory().unused()) {
            UnusedMemory.Given given = holder.giveBackAny(Long.MAX_VALUE);
            given.free().run();
            bytes += given.bytes();
        }
        return bytes;
    }

    private static long indexBytes(EngineHarness table) throws IOException {
        return table.engine().stats().measures().stream()
                .filter(measure -> measure.name().equals("hash_index_bytes"))
                .mapToLong(measure -> (long) measure.value())
                .sum();
    }

    private static long takenToApply(EngineHarness table, List<Mutation> mutations) throws IOException {
        TableEngine engine = table.engine();
        table.admit(mutations);
        long lsn = table.append(mutations);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        engine.apply(lsn, mutations);
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    /** One to three short changes, of keys that were changed before and of others. */
    private static List<Mutation> mutations(int number, int valueBytes) {
        List<Mutation> mutations = new ArrayList<>();
        for (int i = 0; i <= number % 5 % 3; i++) {
            byte[] key = ByteBuffer.allocate(12)
                    .putInt((number * 0x9E3779B1) >>> (number % 4 == 0 ? 20 : 0))
                    .putInt(i)
                    .array();
            int bytes = i == 0 ? valueBytes : valueBytes > 10_000 ? 6_000 : 20 + number % 900;
            mutations.add(number % 5 == 0 ? new Mutation.Remove(key) : new Mutation.Put(key, new byte[bytes]));
        }
        return mutations;
    }
}
