package io.kvstore.bplus.tree;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A walk over the leaves of a kept state, in the order of keys. It counts the entries of a range without reading them: only the
 * leaves at both ends of the range are searched. For one thread.
 */
public final class LeafCursor {

    private final TreeReader reader;
    private final TreeVersions.State state;
    private final KeyRange range;
    private @Nullable LeafView leaf;
    private byte @Nullable [] begin;
    private boolean isFirst = true;
    private boolean isEnded;

    /** @param range its direction and limit do not matter */
    public LeafCursor(TreeReader reader, TreeVersions.State state, KeyRange range) {
        this.reader = reader;
        this.state = state;
        this.range = range;
        this.begin = range.lower();
        this.isEnded = state.rootId() == 0;
    }

    /** Goes on to the next leaf that may have entries of the range; false if there is none. */
    public boolean next() throws IOException {
        LeafView last = leaf;
        if (last != null) {
            begin = last.upper();
            isFirst = false;
            isEnded = begin == null || range.isAbove(begin);
        }
        if (isEnded) {
            return false;
        }
        leaf = new LeafView(reader, state, reader.leaf(state, begin, false));
        return true;
    }

    private LeafView here() {
        LeafView at = leaf;
        if (at == null || isEnded) {
            throw new IllegalStateException("the cursor is at no leaf");
        }
        return at;
    }

    /** The number of entries of the leaf that lie in the range. */
    public int entries() throws IOException {
        LeafView at = here();
        byte[] lower = range.lower();
        int from = lower == null || !isFirst ? 0 : countBelow(at, lower, !range.lowerInclusive());
        return Math.max(0, endOfRange(at) - from);
    }

    private int endOfRange(LeafView at) throws IOException {
        byte[] upper = range.upper();
        byte[] end = at.upper();
        boolean isWhole = upper != null && end != null && KeyOrder.compare(end, upper) <= 0;
        return upper == null || isWhole ? at.count() : countBelow(at, upper, range.upperInclusive());
    }

    private static int countBelow(LeafView at, byte[] bound, boolean andAt) throws IOException {
        int found = at.find(bound);
        if (found < 0) {
            return -1 - found;
        }
        return andAt ? found + 1 : found;
    }

    /** Whether the leaf has a key. */
    public boolean has(byte[] key) throws IOException {
        return here().find(key) >= 0;
    }

    /** Where the next leaf begins, or null if this is the last one. No key of this leaf is at it or above it. */
    public byte @Nullable [] upper() {
        return here().upper();
    }
}
