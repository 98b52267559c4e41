package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.MemoryBudget;
import io.kvstore.value.ValuePointer;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class HashIndexTest {

    private static final int KEYS = 5_000;

    private final MemoryBudget budget = new MemoryBudget(1 << 20);

    private static byte[] key(int number) {
        byte[] key = ByteBuffer.allocate(4 + number % 13).putInt(number).array();
        key[key.length - 1] ^= (byte) (number % 7);
        return key;
    }

    private static ValuePointer pointerOf(long entry) {
        return new ValuePointer(HashIndex.segmentOf(entry), HashIndex.offsetOf(entry), 0);
    }

    /** An entry leads to the newest value of some key: never to one that was replaced or removed. */
    @Test
    void entries_are_lost_but_never_old() {
        HashIndex index = new HashIndex(budget, 16 << 10);
        index.grow(KEYS);
        SplittableRandom random = new SplittableRandom(1);
        Map<Integer, ValuePointer> newest = new HashMap<>();
        Map<ValuePointer, Integer> owners = new HashMap<>();
        int known = 0;
        for (int i = 1; i <= 200_000; i++) {
            int key = random.nextInt(KEYS);
            owners.remove(newest.remove(key));
            if (random.nextInt(3) == 0) {
                index.remove(key(key));
            } else {
                ValuePointer pointer = new ValuePointer(1 + i / 1_000, 32 + i % 1_000 * 67_000L, 0);
                index.put(key(key), pointer);
                newest.put(key, pointer);
                owners.put(pointer, key);
                assertEquals(pointer, pointerOf(index.find(HashIndex.hash(key(key)))));
            }
            int asked = random.nextInt(KEYS);
            long entry = index.find(HashIndex.hash(key(asked)));
            assertTrue(entry == 0 || owners.containsKey(pointerOf(entry)), "an old place is known");
            known += entry != 0 && pointerOf(entry).equals(newest.get(asked)) ? 1 : 0;
        }
        assertTrue(known > 50_000, "only " + known + " of 200,000 gets met an entry");
        assertTrue(index.entries() <= 2_048 && index.entries() > 1_500, index.entries() + " entries");
    }

    @Test
    void it_grows_up_to_its_limit_and_within_the_budget() {
        HashIndex index = new HashIndex(budget, 300 << 10);
        assertTrue(index.wantsMore(1));
        assertEquals(0, index.find(HashIndex.hash(key(1))));
        index.put(key(1), new ValuePointer(1, 32, 5));
        index.grow(1_000);
        assertEquals(16 << 10, index.bytes());
        assertFalse(index.wantsMore(1_000));
        assertTrue(index.wantsMore(2_000));
        index.grow(1_000_000);
        assertEquals(256 << 10, index.bytes());
        assertFalse(index.wantsMore(1_000_000));
        assertEquals(256 << 10, budget.usedBytes());
        HashIndex second = new HashIndex(budget, 1 << 20);
        second.grow(1_000_000);
        assertEquals(0, second.bytes(), "there is no memory for it");
        index.close();
        assertEquals(0, budget.usedBytes());
        assertEquals(0, index.find(HashIndex.hash(key(1))));
    }

    @Test
    void what_does_not_fit_into_an_entry_is_not_known() {
        HashIndex index = new HashIndex(budget, 16 << 10);
        index.grow(100);
        for (long segment : new long[] {1, (1 << 21) - 1, 1 << 21}) {
            for (long offset : new long[] {32, (1 << 26) - 1, 1 << 26}) {
                index.put(key(1), new ValuePointer(1, 77, 0));
                index.put(key(1), new ValuePointer(segment, offset, 0));
                long entry = index.find(HashIndex.hash(key(1)));
                if (segment < 1 << 21 && offset < 1 << 26) {
                    assertEquals(new ValuePointer(segment, offset, 0), pointerOf(entry));
                } else {
                    assertEquals(0, entry);
                }
            }
        }
    }

    @Test
    void the_hash_covers_every_byte_and_the_length() {
        for (int length = 0; length < 40; length++) {
            byte[] key = new byte[length];
            long hash = HashIndex.hash(key);
            assertNotEquals(hash, HashIndex.hash(new byte[length + 1]));
            for (int i = 0; i < length; i++) {
                key[i] = 1;
                assertNotEquals(hash, HashIndex.hash(key), "byte " + i + " of " + length);
                key[i] = 0;
            }
        }
    }
}
