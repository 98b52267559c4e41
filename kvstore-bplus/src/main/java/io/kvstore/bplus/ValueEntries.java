package io.kvstore.bplus;

import io.kvstore.bplus.page.Node;
import io.kvstore.io.ByteReader;
import io.kvstore.io.ByteWriter;
import io.kvstore.io.Slice;
import io.kvstore.value.ValuePointer;
import io.kvstore.value.ValueStore;
import java.util.List;

/** The writer's side of values that are kept apart: what a leaf's entry has of them. */
final class ValueEntries {

    private final ValueStore values;
    private final String file;
    private final ByteWriter pointer = new ByteWriter();

    /** @param file where the entries are */
    ValueEntries(ValueStore values, String file) {
        this.values = values;
        this.file = file;
    }

    /** Keeps a value; returns the pointer to it, which is valid until the next call. */
    Slice append(byte[] key, long lsn, byte[] value) {
        pointer.cut(0);
        values.append(Slice.of(key), lsn, Slice.of(value)).write(pointer);
        return new Slice(pointer.toBuffer().array(), 0, pointer.size());
    }

    /** An entry of a leaf is about to go or to have another value. */
    void release(Page leaf, int index, int keyLength) {
        if (Node.isPointer(leaf.bytes(), index)) {
            values.release(pointerAt(leaf, index), keyLength);
        }
    }

    private ValuePointer pointerAt(Page leaf, int index) {
        return ValuePointer.read(new ByteReader(file, Node.payload(leaf.bytes(), index)));
    }

    /** Whether the value of an entry is there. */
    boolean isAt(Page leaf, int index, ValuePointer there) {
        return index >= 0 && Node.isPointer(leaf.bytes(), index) && there.equals(pointerAt(leaf, index));
    }

    /** The segments that the newest state ceased to point into since the last call. */
    List<Long> takeEmptied() {
        return values.takeEmptied();
    }
}
