package io.kvstore.bplus.tree;

import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A walk over the entries of a kept state, leaf by leaf. */
public final class TreeCursor implements EngineCursor {

    private static final byte[] EMPTY = {};

    /** A scan of at least this many entries reads most lines of a leaf. */
    private static final int MANY_ENTRIES = 16;

    private final TreeReader reader;
    private final ValueReader values;
    private final TreeVersions.Look look;
    private final KeyRange range;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final int step;
    private @Nullable LeafView leaf;
    private int index;
    private byte[] key = EMPTY;
    private boolean isKeyGiven;
    private boolean started;
    private boolean ended;
    private ValueReader.@Nullable Ahead ahead;

    /** @param look closed with the cursor */
    public TreeCursor(TreeReader reader, ValueReader values, TreeVersions.Look look, KeyRange range) {
        this.reader = reader;
        this.values = values;
        this.look = look;
        this.range = range;
        this.step = range.reversed() ? -1 : 1;
    }

    @Override
    public boolean next() throws IOException {
        if (ended) {
            return false;
        }
        if (started) {
            index += step;
        } else {
            started = true;
            seek();
        }
        ended = !settle();
        return !ended;
    }

    private void seek() throws IOException {
        if (look.state().rootId() == 0) {
            ended = true;
            return;
        }
        byte[] bound = range.reversed() ? range.upper() : range.lower();
        boolean inclusive = range.reversed() ? range.upperInclusive() : range.lowerInclusive();
        if (bound == null) {
            LeafView first = enter(null, range.reversed());
            index = range.reversed() ? first.count() - 1 : 0;
        } else {
            place(bound, inclusive);
        }
    }

    /** Goes to the first key from a bound on, in the direction of the walk. */
    private void place(byte[] bound, boolean inclusive) throws IOException {
        LeafView first = enter(bound, range.reversed() && !inclusive);
        int found = first.find(bound);
        if (found >= 0) {
            index = inclusive ? found : found + step;
        } else {
            index = range.reversed() ? -2 - found : -1 - found;
        }
    }

    /** Lets the next key be the first one that is not below a bound; in reverse, the first one below it. */
    public void skipTo(byte[] bound) throws IOException {
        if (!ended) {
            place(bound, !range.reversed());
            index -= step;
        }
    }

    private LeafView enter(byte @Nullable [] bound, boolean below) throws IOException {
        LeafView entered = new LeafView(reader, look.state(), reader.leaf(look.state(), bound, below));
        if (range.limit() >= MANY_ENTRIES && !range.keysOnly()) {
            entered.touch();
        }
        leaf = entered;
        return entered;
    }

    /** Goes on to another leaf if this one has no more entries. Returns false behind the end of the range. */
    private boolean settle() throws IOException {
        LeafView at = leaf;
        while (!ended && at != null) {
            if (index >= 0 && index < at.count()) {
                key = at.key(index);
                isKeyGiven = false;
                return !isBeyond(key);
            }
            byte[] next = range.reversed() ? at.lower() : at.upper();
            if (next == null || isBeyond(next)) {
                return false;
            }
            at = enter(next, range.reversed());
            index = range.reversed() ? at.count() - 1 : 0;
        }
        return false;
    }

    private boolean isBeyond(byte[] found) {
        return range.reversed() ? range.isBelow(found) : range.isAbove(found);
    }

    @Override
    public byte[] key() {
        if (!started || ended) {
            throw new IllegalStateException("the cursor is at no entry");
        }
        byte[] result = key;
        isKeyGiven = true;
        return result;
    }

    /** The key of the current entry. The caller neither changes it nor gives it away. */
    public byte[] keyHere() {
        return key;
    }

    @Override
    public byte[] value() throws IOException {
        return valueHere().toWholeArray();
    }

    @Override
    public Slice valueHere() throws IOException {
        LeafView at = leaf;
        if (range.keysOnly()) {
            return Slice.of(EMPTY);
        }
        if (!started || ended || at == null) {
            throw new IllegalStateException("the cursor is at no entry");
        }
        byte[] value = at.value();
        if (value != null) {
            return Slice.of(value);
        }
        if (ahead == null) {
            ahead = values.ahead(step, range.limit());
        }
        // a caller that has the array of the key may have changed it
        return ahead.read(at, index, isKeyGiven ? at.key(index) : key);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            look.close();
            ValueReader.Ahead reading = ahead;
            if (reading != null) {
                reading.close();
            }
        }
    }
}
