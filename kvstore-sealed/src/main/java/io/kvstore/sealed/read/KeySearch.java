package io.kvstore.sealed.read;

import io.kvstore.data.KeyHead;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.TableFileInfo;
import java.io.IOException;
import java.util.Arrays;

/** Finds places in the order of keys. A place is the number of records before it, so a range is two numbers. */
final class KeySearch {

    private final Fences fences;
    private final long entries;

    /** Copies, because those of the properties are given to callers. */
    private final byte[] firstKey;

    private final byte[] lastKey;

    /** How many bytes all keys have in common. */
    private final int common;

    KeySearch(Fences fences, TableFileInfo info) {
        this.fences = fences;
        this.entries = info.entries();
        this.firstKey = info.firstKey().clone();
        this.lastKey = info.lastKey().clone();
        this.common = commonBytes(firstKey, lastKey);
    }

    static int commonBytes(byte[] one, byte[] other) {
        int mismatch = Arrays.mismatch(one, other);
        return mismatch < 0 ? one.length : mismatch;
    }

    /**
     * A range of records.
     *
     * @param from how many records are before it
     * @param to how many records are before its end
     */
    record Span(long from, long to) {
        long count() {
            return Math.max(0, to - from);
        }
    }

    /** The records of a range. */
    Span span(KeyRange range, RecordBlock scratch) throws IOException {
        byte[] upper = range.upper();
        long to = upper == null ? entries : ordinalOf(upper, range.upperInclusive(), scratch);
        byte[] lower = range.lower();
        long from = lower == null ? 0 : ordinalOf(lower, !range.lowerInclusive(), scratch);
        return new Span(from, to);
    }

    /** How many keys are below a key, or, if {@code orSame}, not above it. */
    private long ordinalOf(byte[] key, boolean orSame, RecordBlock scratch) throws IOException {
        long block = blockOf(key, scratch);
        if (block < 0) {
            return 0;
        }
        scratch.load(block);
        return fences.ordinal(block) + scratch.ceiling(key, orSame);
    }

    /** The last block whose first key is not above a key; -1 if there is none. */
    long blockOf(byte[] key, RecordBlock scratch) throws IOException {
        if (entries == 0 || KeyOrder.compare(key, firstKey) < 0) {
            return -1;
        }
        if (KeyOrder.compare(key, lastKey) >= 0) {
            return fences.count() - 1;
        }
        // between first and last key, so it begins as all keys do
        long head = KeyHead.of(key, common, key.length);
        long same = fences.firstFrom(0, fences.count(), head, false);
        long above = fences.firstFrom(same, fences.count(), head, true);
        while (same < above) {
            long middle = (same + above) >>> 1;
            scratch.load(middle);
            if (scratch.compareKey(0, key) <= 0) {
                same = middle + 1;
            } else {
                above = middle;
            }
        }
        return same - 1;
    }
}
