package io.kvstore.bplus;

import io.kvstore.bplus.page.Node;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A walk over the entries of a state that is kept, leaf by leaf. */
final class TreeCursor implements EngineCursor {

    private static final byte[] EMPTY = {};

    private final TreeReader reader;
    private final ValueReader values;
    private final Generations.Look look;
    private final KeyRange range;
    private final AtomicBoolean closed = new AtomicBoolean();
    private TreeReader.@Nullable Leaf leaf;
    private int index;
    private boolean started;
    private boolean ended;

    /** @param look closed with the cursor */
    TreeCursor(TreeReader reader, ValueReader values, Generations.Look look, KeyRange range) {
        this.reader = reader;
        this.values = values;
        this.look = look;
        this.range = range;
    }

    @Override
    public boolean next() throws IOException {
        if (ended) {
            return false;
        }
        if (started) {
            index += range.reversed() ? -1 : 1;
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
        leaf = reader.leaf(look.state(), bound, range.reversed() && (bound == null || !inclusive));
        int count = Node.count(leaf.bytes());
        if (bound == null) {
            index = range.reversed() ? count - 1 : 0;
            return;
        }
        int found = Node.find(leaf.bytes(), bound);
        if (found >= 0) {
            index = inclusive ? found : found + (range.reversed() ? -1 : 1);
        } else {
            index = range.reversed() ? -2 - found : -1 - found;
        }
    }

    /** Goes on to another leaf if this one has no more; false behind the end of the range. */
    private boolean settle() throws IOException {
        while (!ended && leaf != null) {
            if (index >= 0 && index < Node.count(leaf.bytes())) {
                return !isBeyond(Node.key(leaf.bytes(), index));
            }
            byte[] next = range.reversed() ? leaf.lower() : leaf.upper();
            if (next == null || isBeyond(next)) {
                return false;
            }
            leaf = reader.leaf(look.state(), next, range.reversed());
            index = range.reversed() ? Node.count(leaf.bytes()) - 1 : 0;
        }
        return false;
    }

    private boolean isBeyond(byte[] key) {
        byte[] bound = range.reversed() ? range.lower() : range.upper();
        if (bound == null) {
            return false;
        }
        int order = KeyOrder.compare(key, bound);
        return range.reversed()
                ? order < 0 || (order == 0 && !range.lowerInclusive())
                : order > 0 || (order == 0 && !range.upperInclusive());
    }

    private TreeReader.Leaf here() {
        if (leaf == null) {
            throw new IllegalStateException("the cursor is at no entry");
        }
        return leaf;
    }

    @Override
    public byte[] key() {
        return Node.key(here().bytes(), index);
    }

    @Override
    public byte[] value() throws IOException {
        if (range.keysOnly()) {
            return EMPTY;
        }
        byte[] payload = Node.payload(here().bytes(), index);
        if (!Node.isPointer(here().bytes(), index)) {
            return payload;
        }
        return values.readKept(key(), payload);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            look.close();
        }
    }
}
