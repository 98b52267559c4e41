package io.kvstore.hash.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyHash;
import io.kvstore.memory.MemoryBudget;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** An index of keys that are numbers, with a place of their own for each put, and with what it should have. */
final class KeyedIndex implements AutoCloseable {

    /** Larger than all places: the offset of a place is never 0. */
    private static final long FIRST_PLACE = 64;

    final Directory index;
    private final TableHash hash;
    private int[] keyOfPlace = new int[1 << 10];
    private final Map<Integer, Long> placeOfKey = new HashMap<>();
    private long nextPlace = FIRST_PLACE;

    KeyedIndex(MemoryBudget budget, int hashBits) {
        this(new Directory(budget), new TableHash(new KeyHash(4711), hashBits));
    }

    KeyedIndex(Directory index, TableHash hash) {
        this.index = index;
        this.hash = hash;
    }

    long hash(int key) {
        byte[] bytes = {(byte) (key >>> 24), (byte) (key >>> 16), (byte) (key >>> 8), (byte) key};
        return hash.of(bytes);
    }

    private long newPlace(int key) {
        int at = (int) (nextPlace - FIRST_PLACE);
        if (at == keyOfPlace.length) {
            keyOfPlace = Arrays.copyOf(keyOfPlace, 2 * at);
        }
        keyOfPlace[at] = key;
        return nextPlace++;
    }

    private boolean isAt(long place, int key) {
        return keyOfPlace[(int) (place - FIRST_PLACE)] == key;
    }

    long find(int key) {
        return index.find(hash(key), place -> isAt(place, key));
    }

    /** Puts a key as an engine does. Returns whether there was room. */
    Room put(int key) {
        long hashOfKey = hash(key);
        Room room = index.reserve(hashOfKey);
        if (room == Room.RESERVED) {
            putReserved(key);
        }
        return room;
    }

    void putReserved(int key) {
        long before = find(key);
        assertEquals(placeOfKey.getOrDefault(key, Directory.ABSENT), before, "place of a key that is put");
        long place = newPlace(key);
        if (before == Directory.ABSENT) {
            index.insert(hash(key), place);
        } else {
            assertTrue(index.replace(hash(key), before, place));
            index.cancel(hash(key));
        }
        placeOfKey.put(key, place);
    }

    void remove(int key) {
        long place = find(key);
        assertEquals(placeOfKey.getOrDefault(key, Directory.ABSENT), place, "place of a key that is removed");
        if (place != Directory.ABSENT) {
            assertTrue(index.contains(hash(key), place));
            assertTrue(index.remove(hash(key), place));
            assertTrue(!index.contains(hash(key), place) && !index.remove(hash(key), place));
        }
        placeOfKey.remove(key);
    }

    void checkFound(int key) {
        assertEquals(placeOfKey.getOrDefault(key, Directory.ABSENT), find(key), "place of a key");
    }

    void check() {
        IndexCheck.check(index, expected());
    }

    void checkAllFound() {
        placeOfKey.keySet().forEach(this::checkFound);
    }

    /** The hash of each place that the index should have. */
    Map<Long, Long> expected() {
        Map<Long, Long> result = new HashMap<>();
        placeOfKey.forEach((key, place) -> result.put(place, hash(key)));
        return result;
    }

    int size() {
        return placeOfKey.size();
    }

    @Override
    public void close() {
        index.close();
    }
}
