package io.kvstore.hash.table;

import io.kvstore.hash.index.EntryWord;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** The changes of the index that the index file does not have yet, in their order. Used with the lock of the table. */
public final class IndexChanges {

    private static final int LEAST = 64;
    private static final int CHANGE_BYTES = Integer.BYTES + 2 * Long.BYTES;

    private int[] hashes = new int[LEAST];
    private long[] olds = new long[LEAST];
    private long[] news = new long[LEAST];

    /** Written with release: a fence for each change would wait for all writes to memory before it. */
    private final AtomicInteger count = new AtomicInteger();

    /**
     * Changes that do not change any more, in arrays that others may become longer than.
     *
     * @param hashes the first 32 bits of the hashes
     * @param olds words that went, or 0
     * @param news words that came, or 0
     */
    public record Part(int[] hashes, long[] olds, long[] news, int from, int to) {}

    /** Has memory for so many more changes. */
    void prepare(int more) {
        int wanted = count.getPlain() + more;
        if (wanted > hashes.length) {
            int length = Math.max(wanted, hashes.length + hashes.length / 2);
            int[] moreHashes = Arrays.copyOf(hashes, length);
            long[] moreOlds = Arrays.copyOf(olds, length);
            news = Arrays.copyOf(news, length);
            olds = moreOlds;
            hashes = moreHashes;
        }
    }

    void add(long hash, long oldPlace, long newPlace) {
        int at = count.getPlain();
        hashes[at] = (int) (hash >>> Integer.SIZE);
        olds[at] = oldPlace == Places.NONE ? 0 : EntryWord.of(hash, oldPlace);
        news[at] = newPlace == Places.NONE ? 0 : EntryWord.of(hash, newPlace);
        count.setRelease(at + 1);
    }

    public int count() {
        return count.getAcquire();
    }

    public Part part(int from) {
        return new Part(hashes, olds, news, from, count.getPlain());
    }

    /** Forgets the first changes, which are durable. */
    public void forget(int first) {
        int end = count.getPlain();
        int left = end - first;
        int length = Math.max(LEAST, left + left / 2);
        int[] leftHashes = Arrays.copyOf(Arrays.copyOfRange(hashes, first, end), length);
        long[] leftOlds = Arrays.copyOf(Arrays.copyOfRange(olds, first, end), length);
        long[] leftNews = Arrays.copyOf(Arrays.copyOfRange(news, first, end), length);
        hashes = leftHashes;
        olds = leftOlds;
        news = leftNews;
        count.setRelease(left);
    }

    public long bytes() {
        return (long) count.getAcquire() * CHANGE_BYTES;
    }
}
