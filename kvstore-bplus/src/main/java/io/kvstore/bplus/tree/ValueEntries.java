package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.page.Node;
import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Slice;
import io.kvstore.value.ValueStore;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.ValuePointer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The writing side of values that are kept apart: the pointers that entries of leaves have for them. */
final class ValueEntries {

    private final ValueStore values;
    private final HashIndex index;
    private final String file;
    private final ByteWriter pointer = new ByteWriter();
    private final List<Displaced> displaced = new ArrayList<>();
    private @Nullable ValuePointer pointed;
    private long segmentsEnd;

    private record Displaced(ValuePointer pointer, int keyLength) {}

    /** @param file the file of the pages, for errors */
    ValueEntries(ValueStore values, HashIndex index, String file) {
        this.values = values;
        this.index = index;
        this.file = file;
        this.segmentsEnd = values.nextNumber();
    }

    long segmentsEnd() {
        return segmentsEnd;
    }

    /** Adds a value to the value store. Returns the payload with the pointer to it, which is valid until the next call. */
    Slice append(byte[] key, long lsn, byte[] value) {
        return pointTo(values.append(key, lsn, value));
    }

    /** The payload of an entry for a value that is kept apart. It is valid until the next call. */
    Slice pointTo(ValuePointer there) {
        pointed = there;
        segmentsEnd = Math.max(segmentsEnd, there.segment() + 1);
        pointer.cut(0);
        there.write(pointer);
        return new Slice(pointer.toBuffer().array(), 0, pointer.size());
    }

    /** Called for a value that is kept apart and that no entry will point to; null for none. */
    void forget(byte[] key, @Nullable ValuePointer kept) {
        if (kept != null) {
            displaced.add(new Displaced(kept, key.length));
        }
    }

    /** Called before an entry of a leaf goes, or leads to another value. */
    void displace(Page leaf, int at, int keyLength) {
        if (Node.isPointer(leaf.bytes(), at)) {
            displaced.add(new Displaced(pointerAt(leaf, at), keyLength));
        }
    }

    /** Releases the values that the tree stopped pointing to, which are dead now. With the lock for putting. */
    void releaseDisplaced() {
        for (Displaced one : displaced) {
            values.release(one.pointer, one.keyLength);
        }
        displaced.clear();
    }

    /** Tells the index that a value was moved. With the lock for putting. */
    void moved(byte[] key, ValuePointer from) {
        ValuePointer now = pointed;
        if (now != null) {
            index.settle();
            index.moved(key, key.length, from, now);
        }
    }

    /** Tells the index of the entries of a leaf for which it knows no newer change. With the lock for putting. */
    void addTo(Page leaf, Predicate<byte[]> isNewer) {
        for (int i = 0; i < Node.count(leaf.bytes()); i++) {
            byte[] key = Node.key(leaf.bytes(), i);
            if (isNewer.test(key)) {
                continue;
            }
            if (Node.isPointer(leaf.bytes(), i)) {
                index.put(key, pointerAt(leaf, i));
            } else {
                index.lose(key);
            }
        }
    }

    /** Adds the pointers of a leaf that lead into the given segments. */
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

    boolean isAt(Page leaf, int at, ValuePointer there) {
        return at >= 0 && Node.isPointer(leaf.bytes(), at) && there.equals(pointerAt(leaf, at));
    }

    void takeEmptied(LongConsumer to) {
        values.takeEmptied(to);
    }
}
