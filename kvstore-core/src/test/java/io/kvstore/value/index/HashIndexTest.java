package io.kvstore.value.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyHash;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.value.segment.ValuePointer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class HashIndexTest {

    private static final KeyHash HASH = new KeyHash(7);
    private static final int KEYS = 5_000;
    private static final int FILLINGS = 3_000;
    private static final int SPINS = 50;
    private static final int FEW_KEYS = 40;
    private static final int VERSIONS = 2_000_000;

    private final MemoryBudget budget = new MemoryBudget(1 << 20);

    private static byte[] key(int number) {
        byte[] key = ByteBuffer.allocate(4 + number % 13).putInt(number).array();
        key[key.length - 1] ^= (byte) (number % 7);
        return key;
    }

    private static ValuePointer pointerOf(long entry) {
        return new ValuePointer(HashIndex.segmentOf(entry), HashIndex.offsetOf(entry), 0);
    }

    private static void grow(HashIndex index, long keys) {
        index.askFor();
        if (index.prepare(keys, true)) {
            index.grow();
        }
    }

    /** Who looks while the builder comes to the last key may know nothing of it, but not that it is absent. */
    @Test
    void a_key_is_not_absent_while_the_index_becomes_filled() throws InterruptedException {
        byte[] key = key(1);
        long hash = HASH.of(key);
        AtomicReference<@Nullable HashIndex> filling = new AtomicReference<>();
        AtomicInteger wrong = new AtomicInteger();
        AtomicBoolean done = new AtomicBoolean();
        Thread reader = Thread.ofPlatform().start(() -> {
            while (!done.get()) {
                HashIndex index = filling.get();
                if (index != null && index.find(hash) == HashIndex.ABSENT) {
                    wrong.incrementAndGet();
                }
            }
        });
        List<HashIndex> all = new ArrayList<>();
        for (int i = 0; i < FILLINGS; i++) {
            HashIndex index = new HashIndex(new MemoryBudget(1 << 20), 16 << 10, HASH);
            all.add(index);
            grow(index, 1);
            filling.set(index);
            for (int spins = 0; spins < i % SPINS; spins++) {
                Thread.onSpinWait();
            }
            index.put(key, new ValuePointer(1, 32, 0));
            index.filled();
        }
        done.set(true);
        reader.join();
        all.forEach(HashIndex::close);
        assertEquals(0, wrong.get());
    }

    /** An entry leads to the newest value of some key: never to one that was replaced or removed. */
    @Test
    void entries_are_lost_but_never_old() {
        HashIndex index = new HashIndex(budget, 16 << 10, HASH);
        grow(index, KEYS);
        SplittableRandom random = new SplittableRandom(1);
        Map<Integer, ValuePointer> newest = new HashMap<>();
        Map<ValuePointer, Integer> owners = new HashMap<>();
        int known = 0;
        for (int i = 1; i <= 200_000; i++) {
            int key = random.nextInt(KEYS);
            ValuePointer before = newest.remove(key);
            owners.remove(before);
            if (random.nextInt(3) == 0) {
                index.forget(key(key));
            } else {
                ValuePointer pointer = new ValuePointer(1 + i / 1_000, 32 + i % 1_000 * 67_000L, 0);
                index.put(key(key), pointer);
                newest.put(key, pointer);
                owners.put(pointer, key);
                assertEquals(pointer, pointerOf(index.find(HASH.of(key(key)))));
            }
            int asked = random.nextInt(KEYS);
            long entry = index.find(HASH.of(key(asked)));
            assertTrue(entry == 0 || owners.containsKey(pointerOf(entry)), "an old place is known");
            known += entry != 0 && pointerOf(entry).equals(newest.get(asked)) ? 1 : 0;
        }
        assertTrue(known > 50_000, "only " + known + " of 200,000 gets met an entry");
        assertTrue(index.entries() <= 2_048 && index.entries() > 1_500, index.entries() + " entries");
    }

    /** Two of three keys share bucket and bits with another; some have no entry; the index is too small for all. */
    @Test
    void a_key_that_has_a_value_is_never_said_to_be_absent() {
        List<byte[]> keys = keysOfTheSameEntry();
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < keys.size() / 2; i++) {
            keys.add(key(1_000_000 + i));
        }
        Set<Integer> present = new HashSet<>();
        int absent = 0;
        for (int opening = 0; opening < 40; opening++) {
            try (HashIndex index = new HashIndex(budget, 256 << 10, HASH)) {
                grow(index, 1_000_000);
                present.forEach(number -> index.put(keys.get(number), new ValuePointer(1, 32, 0)));
                index.filled();
                absent += changeAndAsk(index, keys, present, random);
            }
        }
        assertTrue(absent > 20_000, "only " + absent + " of 400,000 gets found that a key is absent");
    }

    private static int changeAndAsk(HashIndex index, List<byte[]> keys, Set<Integer> present, SplittableRandom random) {
        int absent = 0;
        for (int i = 1; i <= 10_000; i++) {
            int number = random.nextInt(keys.size());
            int kind = i % 10 == 0 ? random.nextInt(1_000) : 1_000;
            if (kind < 10) {
                index.forget(keys.get(number));
                present.add(number);
            } else if (kind < 300) {
                index.put(keys.get(number), new ValuePointer(i, kind < 290 ? 32 : 1L << 26, 0));
                present.add(number);
            } else if (kind < 1_000) {
                index.forget(keys.get(number));
                present.remove(number);
            }
            int asked = random.nextInt(keys.size());
            boolean isAbsent = index.find(HASH.of(keys.get(asked))) == HashIndex.ABSENT;
            assertFalse(isAbsent && present.contains(asked), "step " + i + ": key " + asked + " is there");
            absent += isAbsent ? 1 : 0;
        }
        return absent;
    }

    /** Pairs of keys that no entry of an index of 4,096 buckets can tell apart. */
    private static List<byte[]> keysOfTheSameEntry() {
        Map<Long, byte[]> seen = new HashMap<>();
        List<byte[]> found = new ArrayList<>();
        for (int i = 0; found.size() < 400; i++) {
            byte[] key = key(i);
            long hash = HASH.of(key);
            byte[] other = seen.put(((hash >>> 48) << 12) | (hash & 4_095), key);
            if (other != null) {
                found.add(other);
                found.add(key);
            }
        }
        return found;
    }

    @Test
    void nothing_is_absent_before_every_key_was_seen() {
        HashIndex index = new HashIndex(budget, 256 << 10, HASH);
        assertEquals(HashIndex.UNKNOWN, index.find(HASH.of(key(1))));
        grow(index, 1_000);
        assertEquals(HashIndex.UNKNOWN, index.find(HASH.of(key(1))));
        index.filled();
        assertEquals(HashIndex.ABSENT, index.find(HASH.of(key(1))));
        grow(index, 100_000);
        assertEquals(HashIndex.UNKNOWN, index.find(HASH.of(key(1))), "it grew and forgot");
    }

    @Test
    void what_a_twentieth_is_not_known_of_is_worth_a_walk() {
        HashIndex index = new HashIndex(budget, 16 << 10, HASH);
        assertFalse(index.missesSome(1_000), "there is no room for any");
        grow(index, 1_000);
        for (int i = 0; i < 100; i++) {
            index.put(key(i), new ValuePointer(1, 32 + i, 5));
        }
        index.settle();
        assertFalse(index.missesSome(105));
        assertTrue(index.missesSome(106));
        index.close();
    }

    @Test
    void it_grows_up_to_its_limit_and_within_the_budget() {
        HashIndex index = new HashIndex(budget, 300 << 10, HASH);
        assertTrue(index.wantsMore(1));
        assertEquals(0, index.find(HASH.of(key(1))));
        index.put(key(1), new ValuePointer(1, 32, 5));
        grow(index, 1_000);
        assertEquals(16 << 10, index.bytes());
        assertFalse(index.wantsMore(1_000));
        assertTrue(index.wantsMore(2_000));
        grow(index, 1_000_000);
        assertEquals(256 << 10, index.bytes());
        assertFalse(index.wantsMore(1_000_000));
        assertEquals(256 << 10, budget.usedBytes());
        HashIndex second = new HashIndex(budget, 1 << 20, HASH);
        grow(second, 1_000_000);
        assertEquals(0, second.bytes(), "there is no memory for it");
        index.close();
        assertEquals(0, budget.usedBytes());
        assertEquals(0, index.find(HASH.of(key(1))));
        HashIndex third = new HashIndex(budget, 256 << 10, HASH);
        third.askFor();
        assertFalse(third.prepare(100_000, false), "it must not take any");
        assertTrue(third.prepare(100_000, true));
        assertTrue(third.prepare(200_000, true), "one at a time");
        assertEquals(256 << 10, budget.usedBytes());
        assertEquals(0, third.bytes(), "what was prepared is not in use");
        third.close();
        assertEquals(0, budget.usedBytes(), "nor is it kept");
    }

    /** As long as nobody gets anything it costs nothing; but there is memory for it when somebody does. */
    @Test
    void it_is_made_when_it_is_asked_for() {
        HashIndex index = new HashIndex(budget, 256 << 10, HASH);
        assertFalse(index.prepare(1_000, true));
        assertEquals(16 << 10, budget.usedBytes(), "it is set aside");
        assertFalse(index.wantsMore(1_000));
        assertTrue(index.wantsMore(2_000));
        assertFalse(index.prepare(2_000, true));
        index.put(key(1), new ValuePointer(1, 32, 5));
        index.settle();
        assertEquals(HashIndex.UNKNOWN, index.find(HASH.of(key(1))));
        assertEquals(0, index.bytes());
        assertEquals(256 << 10, budget.usedBytes());
        budget.take(MemoryBudget.Use.MEMTABLE, (1 << 20) - (256 << 10)); // all there is
        index.askFor();
        assertTrue(index.wantsMore(2_000));
        assertTrue(index.prepare(2_000, false));
        index.grow();
        assertEquals(256 << 10, index.bytes());
        index.put(key(1), new ValuePointer(1, 32, 5));
        assertEquals(new ValuePointer(1, 32, 0), pointerOf(index.find(HASH.of(key(1)))));
        assertFalse(index.wantsMore(1_000_000));
        index.close();
        assertEquals((1 << 20) - (256 << 10), budget.usedBytes());
    }

    @Test
    void what_does_not_fit_into_an_entry_is_not_known() {
        HashIndex index = new HashIndex(budget, 16 << 10, HASH);
        grow(index, 100);
        for (long segment : new long[] {1, (1 << 21) - 1, 1 << 21}) {
            for (long offset : new long[] {32, (1 << 26) - 1, 1 << 26}) {
                ValuePointer first = new ValuePointer(1, 77, 0);
                index.put(key(1), first);
                index.put(key(1), new ValuePointer(segment, offset, 0));
                long entry = index.find(HASH.of(key(1)));
                if (segment < 1 << 21 && offset < 1 << 26) {
                    assertEquals(new ValuePointer(segment, offset, 0), pointerOf(entry));
                } else {
                    assertEquals(HashIndex.UNKNOWN, entry);
                }
                index.forget(key(1));
            }
        }
    }

    @Test
    void the_hash_covers_every_byte_and_the_length() {
        for (int length = 0; length < 40; length++) {
            byte[] key = new byte[length];
            long hash = HASH.of(key);
            assertNotEquals(hash, HASH.of(new byte[length + 1]));
            for (int i = 0; i < length; i++) {
                key[i] = 1;
                assertNotEquals(hash, HASH.of(key), "byte " + i + " of " + length);
                key[i] = 0;
            }
        }
    }

    /** What is put waits now and then, in places that are used again and again; who asks meanwhile gets nothing older. */
    @Test
    void a_key_that_was_put_is_never_found_where_it_was_before_nor_absent() throws InterruptedException {
        HashIndex index = new HashIndex(budget, 16 << 10, HASH);
        grow(index, 100);
        index.filled();
        AtomicLongArray acknowledged = new AtomicLongArray(FEW_KEYS);
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger wrong = new AtomicInteger();
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger others = new AtomicInteger();
        for (int i = 0; i < FEW_KEYS; i++) {
            index.put(key(i), new ValuePointer(i + 1, 0, 0));
        }
        Thread reader = Thread.ofPlatform().start(() -> {
            for (int i = 0; !done.get(); i = (i + 1) % FEW_KEYS) {
                long least = acknowledged.get(i);
                long entry = index.find(HASH.of(key(i)));
                boolean isOfKey = HashIndex.segmentOf(entry) == i + 1;
                boolean isOld = isOfKey && HashIndex.offsetOf(entry) < least;
                wrong.addAndGet(isOld || entry == HashIndex.ABSENT ? 1 : 0);
                others.addAndGet(isOfKey ? 0 : 1);
                asked.incrementAndGet();
            }
        });
        SplittableRandom random = new SplittableRandom(3);
        for (int version = 1; version <= VERSIONS || asked.get() < VERSIONS / 100; version++) {
            int number = random.nextInt(FEW_KEYS);
            index.put(key(number), new ValuePointer(number + 1, version, 0));
            acknowledged.set(number, version);
        }
        done.set(true);
        reader.join();
        index.close();
        assertEquals(0, wrong.get(), "of " + asked.get());
        assertTrue(others.get() < asked.get() / 10, others.get() + " of " + asked.get() + " led to another key");
    }

    /** A place that no entry can name takes away what was known; a copy is known unless the key was put again. */
    @Test
    void forgotten_and_moved_keys() {
        HashIndex index = new HashIndex(budget, 16 << 10, HASH);
        grow(index, 1_000);
        byte[] key = key(3);
        long hash = HASH.of(key);
        ValuePointer first = new ValuePointer(5, 100, 0);
        ValuePointer copy = new ValuePointer(6, 200, 0);
        index.put(key, first);
        assertEquals(first, pointerOf(index.find(hash)));
        index.settle();
        assertEquals(first, pointerOf(index.find(hash)));
        index.moved(key, key.length, first, copy);
        assertEquals(copy, pointerOf(index.find(hash)));
        index.moved(key, key.length, first, new ValuePointer(7, 300, 0));
        assertEquals(copy, pointerOf(index.find(hash)));
        index.put(key, new ValuePointer(1 << 21, 100, 0));
        assertEquals(HashIndex.UNKNOWN, index.find(hash));
        index.put(key, first);
        index.put(key, new ValuePointer(5, 1 << 26, 0));
        assertEquals(HashIndex.UNKNOWN, index.find(hash));
        index.put(key, first);
        index.forget(key);
        assertEquals(HashIndex.UNKNOWN, index.find(hash));
        assertEquals(0, index.entries());
        index.close();
        assertEquals(0, budget.usedBytes());
    }
}
