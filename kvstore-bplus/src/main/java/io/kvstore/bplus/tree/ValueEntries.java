package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.page.Node;
import io.kvstore.io.ByteReader;
import io.kvstore.io.ByteWriter;
import io.kvstore.io.Slice;
import io.kvstore.value.HashIndex;
import io.kvstore.value.ValuePointer;
import io.kvstore.value.ValueStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The writer's side of values that are kept apart: what a leaf's entry has of them. */
final class ValueEntries {

    private final ValueStore values;
    private final HashIndex index;
    private final String file;
    private final ByteWriter pointer = new ByteWriter();
    private final List<Displaced> displaced = new ArrayList<>();
    private @Nullable ValuePointer pointed;
    private long segmentsEnd;

    private record Displaced(ValuePointer pointer, int keyLength) {}

    /** @param file where the entries are */
    ValueEntries(ValueStore values, HashIndex index, String file) {
        this.values = values;
        this.index = index;
        this.file = file;
        this.segmentsEnd = values.nextNumber();
    }

    /** The tree points into segments of smaller numbers only. */
    long segmentsEnd() {
        return segmentsEnd;
    }

    /** Keeps a value; returns the pointer to it, which is valid until the next call. */
    Slice append(byte[] key, long lsn, byte[] value) {
        return pointTo(values.append(key, lsn, value));
    }

    /** What an entry has for a value that is kept, valid until the next call. */
    Slice pointTo(ValuePointer there) {
        pointed = there;
        segmentsEnd = Math.max(segmentsEnd, there.segment() + 1);
        pointer.cut(0);
        there.write(pointer);
        return new Slice(pointer.toBuffer().array(), 0, pointer.size());
    }

    /** Nothing will point to a value that is kept; null for none. */
    void forget(byte[] key, @Nullable ValuePointer kept) {
        if (kept != null) {
            displaced.add(new Displaced(kept, key.length));
        }
    }

    /** An entry of a leaf is about to go, or to lead to another value. */
    void displace(Page leaf, int at, int keyLength) {
        if (Node.isPointer(leaf.bytes(), at)) {
            displaced.add(new Displaced(pointerAt(leaf, at), keyLength));
        }
    }

    /** What the tree ceased to point to since the last call is not alive any more; with the lock for what is kept apart. */
    void releaseDisplaced() {
        for (Displaced one : displaced) {
            values.release(one.pointer, one.keyLength);
        }
        displaced.clear();
    }

    /** The index hears that a value was moved; the same. */
    void moved(byte[] key, ValuePointer from) {
        ValuePointer now = pointed;
        if (now != null) {
            index.settle();
            index.moved(key, key.length, from, now);
        }
    }

    /** Lets the index know the entries of a leaf, but for those of keys that it knows more of; the same. */
    void addTo(HashIndex known, Page leaf, Predicate<byte[]> isNewer) {
        for (int i = 0; i < Node.count(leaf.bytes()); i++) {
            byte[] key = Node.key(leaf.bytes(), i);
            if (isNewer.test(key)) {
                continue;
            }
            if (Node.isPointer(leaf.bytes(), i)) {
                known.put(key, pointerAt(leaf, i));
            } else {
                known.lose(key);
            }
        }
    }

    /** Adds the pointers of a leaf that lead into some segments. */
    void pointers(Page leaf, Set<Long> segments, List<ValuePointer> found) {
        for (int i = 0; i < Node.count(leaf.bytes()); i++) {
            if (Node.isPointer(leaf.bytes(), i)) {
                ValuePointer pointer = pointerAt(leaf, i);
                if (segments.contains(pointer.segment())) {
                    found.add(pointer);
                }
            }
        }
    }

    private ValuePointer pointerAt(Page leaf, int at) {
        return ValuePointer.read(new ByteReader(file, Node.payload(leaf.bytes(), at)));
    }

    /** Whether the value of an entry is there. */
    boolean isAt(Page leaf, int at, ValuePointer there) {
        return at >= 0 && Node.isPointer(leaf.bytes(), at) && there.equals(pointerAt(leaf, at));
    }

    /** The segments that the newest state ceased to point into since the last call. */
    List<Long> takeEmptied() {
        return values.takeEmptied();
    }
}
