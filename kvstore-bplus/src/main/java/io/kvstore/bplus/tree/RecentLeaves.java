package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.page.Node;
import io.kvstore.data.KeyHead;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Where threads read last in the newest state. A thread that reads a leaf twice in a row is likely to read it again, so it may
 * look there before it searches from the root. Threads share a few places, and what a thread finds there is as good as its own.
 *
 * <p>Invariant: a leaf that has its version of the time when it was found is still in the newest state, because a page that
 * leaves that state counts as changed. So an entry that is found in such a leaf is the newest one of its key. A key that is not
 * found there may be in another leaf.
 */
final class RecentLeaves {

    private static final int PLACE_BITS = 5;
    private static final int PLACES = 1 << PLACE_BITS;

    /** Numbers from one place to the next, so that no two places share a line of the processor's caches. */
    private static final int STRIDE = 64 / Long.BYTES;

    /** References from one place to the next, of which each has four bytes at least. */
    private static final int FOUND_STRIDE = 64 / Integer.BYTES;

    /** Spreads numbers that follow each other: 2 to the power of 64, divided by the golden ratio. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** The id of the leaf that was found last at a place. Threads may overwrite each other: it is a hint. */
    private final long[] last = new long[PLACES * STRIDE];

    private final @Nullable Found[] found = new Found[PLACES * FOUND_STRIDE];

    /**
     * A leaf that was found twice in a row.
     *
     * @param version that of the page when it was found
     * @param from where in a key its head begins: the length of the prefix that the keys of the leaf share
     * @param least the head of the first key in the leaf
     * @param greatest the head of the last key in the leaf
     */
    record Found(Page page, long version, int from, long least, long greatest) {

        private boolean mayHave(byte[] key) {
            long head = key.length < from ? 0 : KeyHead.of(key, from, key.length);
            return Long.compareUnsigned(head, least) >= 0 && Long.compareUnsigned(head, greatest) <= 0;
        }
    }

    private static int place() {
        return (int) ((Thread.currentThread().threadId() * SPREAD) >>> (Long.SIZE - PLACE_BITS));
    }

    /** A leaf of the newest state that may have an entry of the key, or null. */
    @Nullable
    Found around(byte[] key) {
        Found leaf = found[place() * FOUND_STRIDE];
        return leaf != null && leaf.mayHave(key) && leaf.page.beginRead() == leaf.version ? leaf : null;
    }

    /**
     * Called when a thread found a key in a leaf of the newest state.
     *
     * @param version that of the page before the key was looked for
     */
    void note(Page page, long version) {
        int place = place();
        if (last[place * STRIDE] != page.id()) {
            last[place * STRIDE] = page.id();
        } else if (page.units() == 1) { // the memory of a longer page lives as long as somebody knows the page
            MemorySegment bytes = page.bytes();
            int from = Node.prefixLength(bytes);
            Found leaf = new Found(page, version, from, Node.head(bytes, 0), Node.head(bytes, Node.count(bytes) - 1));
            found[place * FOUND_STRIDE] = page.isUnchanged(version) ? leaf : null;
        }
    }
}
