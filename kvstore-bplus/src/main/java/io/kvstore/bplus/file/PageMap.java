package io.kvstore.bplus.file;

import java.util.Arrays;
import java.util.BitSet;

/**
 * A map from page ids to {@link Location}s, in chunks of as many ids as one map page has. It knows which chunks were changed.
 * Not safe for use by several threads.
 */
public final class PageMap {

    /** Ids in one map page, which has 4 KiB less a header of 64 bytes. */
    static final int CHUNK = 504;

    private static final long[] NONE = {};

    private long[][] chunks = new long[0][];
    private final BitSet changed = new BitSet();

    /** The location of the page; 0 for nowhere. */
    public long get(long id) {
        long chunk = id / CHUNK;
        if (chunk >= chunks.length || chunks[(int) chunk].length == 0) {
            return 0;
        }
        return chunks[(int) chunk][(int) (id % CHUNK)];
    }

    public void set(long id, long location) {
        int chunk = Math.toIntExact(id / CHUNK);
        if (chunk >= chunks.length) {
            int before = chunks.length;
            chunks = Arrays.copyOf(chunks, Math.max(chunk + 1, before + before / 2));
            Arrays.fill(chunks, before, chunks.length, NONE);
        }
        if (chunks[chunk].length == 0) {
            chunks[chunk] = new long[CHUNK];
        }
        chunks[chunk][(int) (id % CHUNK)] = location;
        changed.set(chunk);
    }

    int chunks() {
        return chunks.length;
    }

    /** The locations of a chunk that was changed. The caller does not change the array. */
    long[] chunk(int index) {
        return chunks[index];
    }

    /** The chunks that were changed since {@link #clean}. */
    BitSet changed() {
        return changed;
    }

    /** Lets a chunk be written again, though nothing in it changed. */
    void touch(int chunk) {
        changed.set(chunk);
    }

    void clean() {
        changed.clear();
    }

    /** The greatest id that has a location; 0 if there is none. */
    long last() {
        for (int chunk = chunks.length - 1; chunk >= 0; chunk--) {
            for (int i = chunks[chunk].length - 1; i >= 0; i--) {
                if (chunks[chunk][i] != 0) {
                    return (long) CHUNK * chunk + i;
                }
            }
        }
        return 0;
    }

    /** Only ids below this one may have a location. */
    public long end() {
        return (long) CHUNK * chunks.length;
    }
}
