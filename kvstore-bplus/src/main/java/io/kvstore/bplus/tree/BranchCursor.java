package io.kvstore.bplus.tree;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A walk over the pages directly above the leaves of a kept state, in the order of keys. It counts the entries of a range by
 * the counts that the leaves have: only the leaves at both ends of the range are searched. For one thread.
 */
public final class BranchCursor {

    private final TreeReader reader;
    private final TreeVersions.State state;
    private final KeyRange range;
    private TreeReader.@Nullable Leaf branch;
    private @Nullable LeafView asked;
    private byte @Nullable [] begin;
    private boolean isFirst = true;
    private boolean isEnded;

    /** @param range its direction and limit do not matter */
    public BranchCursor(TreeReader reader, TreeVersions.State state, KeyRange range) {
        this.reader = reader;
        this.state = state;
        this.range = range;
        this.begin = range.lower();
        this.isEnded = state.rootId() == 0 || (begin != null && range.isAbove(begin));
    }

    /** Goes on to the next page whose leaves may have entries of the range; false if there is none. */
    public boolean next() throws IOException {
        TreeReader.Leaf last = branch;
        if (last != null) {
            begin = last.upper();
            isFirst = false;
            isEnded = begin == null || range.isAbove(begin);
        }
        if (isEnded) {
            return false;
        }
        branch = reader.branch(state, begin);
        return true;
    }

    private TreeReader.Leaf here() {
        TreeReader.Leaf at = branch;
        if (at == null || isEnded) {
            throw new IllegalStateException("the cursor is at no page");
        }
        return at;
    }

    /** Where the leaves of the next page begin, or null if this is the last page. All keys below this page are below it. */
    public byte @Nullable [] upper() {
        return here().upper();
    }

    /** The number of entries below this page that lie in the range. */
    public long entries() throws IOException {
        byte[] lower = isFirst ? range.lower() : null;
        byte[] upper = isWhole() ? null : range.upper();
        long entries = entriesOfLeaves(lower, upper);
        if (lower != null) {
            entries -= countBelow(leaf(lower), lower, !range.lowerInclusive());
        }
        if (upper != null) {
            LeafView last = leaf(upper);
            entries -= last.count() - countBelow(last, upper, range.upperInclusive());
        }
        return Math.max(0, entries);
    }

    private boolean isWhole() {
        byte[] upper = range.upper();
        byte[] end = here().upper();
        return upper == null || (end != null && KeyOrder.compare(end, upper) <= 0);
    }

    /** The entries of whole leaves, from the leaf of {@code lower} to that of {@code upper}; null stands for an end. */
    private long entriesOfLeaves(byte @Nullable [] lower, byte @Nullable [] upper) throws IOException {
        TreeReader.LeafCount count = new TreeReader.LeafCount();
        for (int attempt = 0; !reader.tryCount(here(), lower, upper, count); attempt++) {
            reader.pause(attempt);
            branch = reader.branch(state, begin);
        }
        return count.entries();
    }

    private static int countBelow(LeafView at, byte[] bound, boolean andAt) throws IOException {
        int found = at.find(bound);
        if (found < 0) {
            return -1 - found;
        }
        return andAt ? found + 1 : found;
    }

    /** Whether the state has a key. Keys that are asked for in their order cost least. */
    public boolean has(byte[] key) throws IOException {
        LeafView at = asked;
        byte[] end = at == null ? null : at.upper();
        if (at == null || (end != null && KeyOrder.compare(key, end) >= 0)) {
            at = leaf(key);
            asked = at;
        }
        return at.find(key) >= 0;
    }

    private LeafView leaf(byte[] key) throws IOException {
        return new LeafView(reader, state, reader.leaf(state, key, false));
    }
}
