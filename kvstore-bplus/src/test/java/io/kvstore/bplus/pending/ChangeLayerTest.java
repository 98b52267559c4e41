package io.kvstore.bplus.pending;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.data.KeyHash;
import io.kvstore.data.KeyOrder;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.ValuePointer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The newest change of each key is found, while more are added and while they are sorted. */
final class ChangeLayerTest {

    private static final KeyHash HASH = new KeyHash(7);

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static ChangeLayer searchable(int expected) {
        ChangeLayer changes = new ChangeLayer(HASH, new ChangeArena(ChangeArena.MAX_BYTES));
        changes.makeSearchable(expected);
        return changes;
    }

    private static ChangeArena.Found find(ChangeLayer changes, byte[] key) {
        ChangeArena.Found found = changes.newest(key, HASH.of(key), Long.MAX_VALUE);
        return found == null ? new ChangeArena.Found(0, null, null) : found;
    }

    @Test
    void the_newest_of_each_key_is_found_also_when_they_are_sorted() {
        ChangeLayer changes = searchable(0);
        Map<Integer, ChangeArena.Found> model = new HashMap<>();
        SplittableRandom random = new SplittableRandom(3);
        for (int lsn = 1; lsn <= 20_000; lsn++) {
            int number = random.nextInt(5_000);
            switch (random.nextInt(3)) {
                case 0 -> {
                    changes.addRemoval(key(number), lsn);
                    model.put(number, new ChangeArena.Found(lsn, null, null));
                }
                case 1 -> {
                    changes.addValue(key(number), lsn, key(lsn));
                    model.put(number, new ChangeArena.Found(lsn, key(lsn), null));
                }
                default -> {
                    ValuePointer pointer = new ValuePointer(lsn, 2L * lsn, 3 * lsn);
                    changes.addPointer(key(number), lsn, pointer.segment(), pointer.offset(), pointer.valueLength());
                    model.put(number, new ChangeArena.Found(lsn, null, pointer));
                }
            }
            changes.applied(lsn);
        }
        assertFound(model, changes);
        assertEquals(20_000, changes.size());
        assertEquals(20_000, changes.lastLsn());
        changes.nextPiece(() -> new long[0]);
        assertFound(model, changes);
    }

    /** Nobody asked before; also when they are sorted already. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void they_are_found_when_somebody_asks(boolean isSorted) {
        ChangeLayer changes = new ChangeLayer(HASH, new ChangeArena(ChangeArena.MAX_BYTES));
        Map<Integer, ChangeArena.Found> model = new HashMap<>();
        for (int lsn = 1; lsn <= 9_000; lsn++) {
            changes.addValue(key(lsn % 4_000), lsn, new byte[lsn % 300]);
            model.put(lsn % 4_000, new ChangeArena.Found(lsn, new byte[lsn % 300], null));
        }
        assertFalse(changes.isSearchable());
        assertThrows(IllegalStateException.class, () -> find(changes, key(1)));
        if (isSorted) {
            changes.nextPiece(() -> new long[0]);
        }
        changes.makeSearchable(0);
        assertFound(model, changes);
    }

    /** Whoever looks sees the newest change up to some operation, also when a table is made later or made larger. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void older_changes_of_a_key_are_found(boolean isSearchable) {
        ChangeLayer changes = new ChangeLayer(HASH, new ChangeArena(ChangeArena.MAX_BYTES));
        if (isSearchable) {
            changes.makeSearchable(0);
        }
        int keys = 300;
        for (int lsn = 1; lsn <= 6_000; lsn++) {
            changes.addValue(key(lsn * lsn % keys), lsn, key(lsn));
        }
        changes.makeSearchable(0);
        long[] newest = new long[keys];
        for (int lsn = 1; lsn <= 6_000; lsn++) {
            newest[lsn * lsn % keys] = lsn;
            byte[] key = key(lsn * 7 % keys);
            ChangeArena.Found found = changes.newest(key, HASH.of(key), lsn);
            assertEquals(newest[lsn * 7 % keys], found == null ? 0 : found.lsn());
        }
    }

    /** What open snapshots see goes to the tree before what they do not. */
    @Test
    void pieces_end_where_open_snapshots_end() {
        ChangeLayer changes = searchable(0);
        for (int lsn = 10; lsn <= 100; lsn++) {
            changes.addValue(key(-lsn), lsn, key(lsn));
            changes.addValue(key(lsn), lsn, key(lsn));
            changes.applied(lsn);
        }
        assertEquals(2 * 91, changes.runs().getFirst().size());
        assertPiece(changes, new long[] {3, 9, 40, 70}, 10, 40);
        assertPiece(changes, new long[] {40, 70, 100, 200}, 41, 70);
        assertPiece(changes, new long[] {40, 70, 100, 200}, 71, 100);
        assertNull(changes.nextPiece(() -> new long[] {100}));
    }

    private static void assertPiece(ChangeLayer changes, long[] open, long firstLsn, long lastLsn) {
        LayerPiece piece = changes.nextPiece(() -> open);
        assertNotNull(piece);
        assertEquals(firstLsn, piece.firstLsn);
        assertEquals(lastLsn, piece.lastLsn);
        assertTrue(piece.isWhole);
        assertEquals(2 * (lastLsn - firstLsn + 1), piece.sorted.size());
        for (int i = 1; i < piece.sorted.size(); i++) {
            assertTrue(Arrays.compareUnsigned(piece.sorted.key(i - 1), piece.sorted.key(i)) < 0);
        }
        assertSame(piece, changes.nextPiece(() -> new long[0]), "one that was begun is not cut once more");
        changes.merged(piece);
    }

    /** A reader that saw the layer before it was merged may still ask. */
    @Test
    void memory_is_given_up_if_nobody_can_know_where_a_change_is() {
        ChangeLayer changes = new ChangeLayer(HASH, new ChangeArena(ChangeArena.MAX_BYTES));
        changes.addValue(key(1), 1, key(2));
        ChangeArena memory = changes.giveUp();
        assertNotNull(memory);
        memory.addValue(key(3), 2, key(4));
        changes.makeSearchable(0);
        assertFound(Map.of(), changes);
        ChangeLayer asked = new ChangeLayer(HASH, memory);
        asked.makeSearchable(0);
        assertNull(asked.giveUp());
        assertFound(Map.of(3, new ChangeArena.Found(2, key(4), null)), asked);
    }

    private static void assertFound(Map<Integer, ChangeArena.Found> model, ChangeLayer changes) {
        for (int i = 0; i < 6_000; i++) {
            byte[] key = key(i);
            ChangeArena.Found wanted = model.get(i);
            assertEquals(wanted != null, changes.holds(key, HASH.of(key)));
            if (wanted == null) {
                assertNull(changes.newest(key, HASH.of(key), Long.MAX_VALUE));
            } else {
                ChangeArena.Found found = find(changes, key);
                assertEquals(wanted.lsn(), found.lsn());
                assertArrayEquals(wanted.value(), found.value());
                assertEquals(wanted.pointer(), found.pointer());
            }
        }
    }

    /** Keys of every length, with values that fill more than one array. */
    @Test
    void keys_of_any_length_are_told_apart() {
        ChangeLayer changes = searchable(10);
        Map<byte[], Integer> model = new TreeMap<>(KeyOrder.COMPARATOR);
        for (int i = 0; i < 2_000; i++) {
            byte[] key = new byte[i == 1_000 ? KeyOrder.MAX_KEY_BYTES : i];
            changes.addValue(key, i + 1, new byte[i % 1_000]);
            model.put(key, i);
        }
        model.forEach((key, number) -> {
            assertEquals(number + 1, find(changes, key).lsn());
            assertArrayEquals(new byte[number % 1_000], find(changes, key).value());
        });
        assertTrue(changes.heldBytes() > 2_000L * 1_000, changes.heldBytes() + " bytes");
    }

    @Test
    void bytes_of_records_are_counted_by_segment() {
        ChangeLayer changes = searchable(10);
        ValuePointer first = new ValuePointer(3, 100, 500);
        ValuePointer second = new ValuePointer(4, 100, 40);
        changes.addPointer(key(1), 1, first.segment(), first.offset(), first.valueLength());
        changes.addPointer(key(1), 2, first.segment(), first.offset(), first.valueLength());
        changes.addPointer(key(2), 3, second.segment(), second.offset(), second.valueLength());
        changes.addRemoval(key(3), 4);
        changes.addValue(key(4), 5, key(4));
        assertEquals(Map.of(3L, 2L * first.recordBytes(4), 4L, second.recordBytes(4)), changes.recordBytes());
    }

    @Test
    void the_index_hears_of_the_newest_of_each_key() {
        MemoryBudget memory = new MemoryBudget(1 << 20);
        try (HashIndex index = new HashIndex(memory, 16 << 10, HASH)) {
            index.askFor();
            assertTrue(index.prepare(100, true));
            index.grow();
            ChangeLayer changes = searchable(10);
            changes.addPointer(key(1), 1, 1, 100, 500);
            changes.addPointer(key(1), 2, 1, 700, 500);
            changes.addPointer(key(2), 3, 1, 1_300, 500);
            changes.addRemoval(key(2), 4);
            changes.addPointer(key(3), 5, 1, 1_900, 500);
            changes.tell(index, (key, hash) -> Arrays.equals(key, key(3)));
            assertEquals(700, HashIndex.offsetOf(index.find(HASH.of(key(1)))));
            assertEquals(HashIndex.UNKNOWN, index.find(HASH.of(key(2))));
            assertEquals(HashIndex.UNKNOWN, index.find(HASH.of(key(3))), "elsewhere is a newer one");
        }
    }

    /** What was added before a reader began to look is found, while the table grows. */
    @Test
    void readers_find_what_was_added_before() throws Exception {
        for (int round = 0; round < 20; round++) {
            ChangeLayer changes = searchable(0);
            AtomicInteger added = new AtomicInteger();
            int count = 30_000;
            try (ExecutorService threads = Executors.newFixedThreadPool(1)) {
                Future<?> writer = threads.submit(() -> {
                    for (int i = 1; i <= count; i++) {
                        changes.addValue(key(i % 7_000), i, key(i));
                        added.setRelease(i);
                    }
                });
                SplittableRandom random = new SplittableRandom(round);
                for (int now = 0; now < count; ) {
                    now = added.getAcquire();
                    int wanted = now == 0 ? 0 : random.nextInt(Math.max(1, now - 7_000), now + 1);
                    if (wanted > 0) {
                        byte[] key = key(wanted % 7_000);
                        ChangeArena.Found found = changes.newest(key, HASH.of(key), Long.MAX_VALUE);
                        assertNotNull(found);
                        assertTrue(found.lsn() >= wanted, found.lsn() + " is older than " + wanted);
                        assertArrayEquals(key((int) found.lsn()), found.value());
                    }
                }
                writer.get();
            }
        }
    }
}
