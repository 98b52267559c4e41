package io.kvstore.bplus;

import io.kvstore.bplus.page.Node;
import io.kvstore.io.ByteReader;
import io.kvstore.io.ByteWriter;
import io.kvstore.io.Slice;
import io.kvstore.value.HashIndex;
import io.kvstore.value.ValuePointer;
import io.kvstore.value.ValueStore;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The writer's side of values that are kept apart: what a leaf's entry has of them. */
final class ValueEntries {

    private final ValueStore values;
    private final HashIndex index;
    private final String file;
    private final ByteWriter pointer = new ByteWriter();
    private @Nullable ValuePointer pointed;

    /** @param file where the entries are */
    ValueEntries(ValueStore values, HashIndex index, String file) {
        this.values = values;
        this.index = index;
        this.file = file;
    }

    /** The changes that follow belong to this operation. */
    void begin(long operation) {
        index.begin(operation);
    }

    /** Keeps a value; returns the pointer to it, which is valid until the next call. */
    Slice append(byte[] key, long lsn, byte[] value) {
        return pointTo(keep(key, lsn, value));
    }

    /** Keeps a value that something is to {@link #pointTo}, or that is forgotten. */
    ValuePointer keep(byte[] key, long lsn, byte[] value) {
        return values.append(Slice.of(key), lsn, Slice.of(value));
    }

    /** What an entry has for a value that is kept, valid until the next call. */
    Slice pointTo(ValuePointer there) {
        pointed = there;
        pointer.cut(0);
        there.write(pointer);
        return new Slice(pointer.toBuffer().array(), 0, pointer.size());
    }

    /**
     * A key is about to have the value that was pointed to last, or one in its leaf.
     *
     * @param at where its entry is, negative if it has none
     */
    void replace(byte[] key, Page leaf, int at, boolean apart) {
        ValuePointer before = at < 0 ? null : release(leaf, at, key.length);
        ValuePointer now = pointed;
        if (apart && now != null) {
            index.put(key, now, before);
        } else {
            index.lose(key, before);
        }
    }

    /** An entry of a leaf is about to go. */
    void remove(byte[] key, Page leaf, int at) {
        index.remove(key, release(leaf, at, key.length));
    }

    /** Nothing will point to a value that is kept; null for none. */
    void forget(byte[] key, @Nullable ValuePointer kept) {
        if (kept != null) {
            values.release(kept, key.length);
        }
    }

    private @Nullable ValuePointer release(Page leaf, int at, int keyLength) {
        if (!Node.isPointer(leaf.bytes(), at)) {
            return null;
        }
        ValuePointer before = pointerAt(leaf, at);
        values.release(before, keyLength);
        return before;
    }

    /** Lets the index know the entries of a leaf. */
    void addTo(HashIndex known, Page leaf) {
        for (int i = 0; i < Node.count(leaf.bytes()); i++) {
            byte[] key = Node.key(leaf.bytes(), i);
            if (Node.isPointer(leaf.bytes(), i)) {
                known.put(key, pointerAt(leaf, i), null);
            } else {
                known.lose(key, null);
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
