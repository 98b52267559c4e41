package io.kvstore.hash.file;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Map;
import java.util.TreeMap;

/** What an index has: the first bits of the hash for each word. */
final class IndexModel implements IndexState {

    private final Map<Long, Integer> words = new TreeMap<>();
    private boolean isChanged;

    @Override
    public void image(int[] hashes, long[] added, int count) {
        assertFalse(isChanged, "a page comes after a change");
        for (int i = 0; i < count; i++) {
            words.put(added[i], hashes[i]);
        }
    }

    @Override
    public void change(int hash, long old, long added) {
        isChanged = true;
        words.remove(old);
        if (added != 0) {
            words.put(added, hash);
        }
    }

    Map<Long, Integer> words() {
        return words;
    }
}
