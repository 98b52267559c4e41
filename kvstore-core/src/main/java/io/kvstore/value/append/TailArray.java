package io.kvstore.value.append;

import io.kvstore.bytes.Slice;
import io.kvstore.value.segment.RecordEncoder;
import java.nio.ByteBuffer;

/** An array on the heap. */
record TailArray(byte[] bytes) implements TailMemory {

    static final TailArray EMPTY = new TailArray(new byte[0]);

    @Override
    public int capacity() {
        return bytes.length;
    }

    @Override
    public void putHeader(int at, byte[] header) {
        System.arraycopy(header, 0, bytes, at, header.length);
    }

    @Override
    public void put(int at, RecordEncoder record, long seed, long offset) {
        record.write(bytes, at, seed, offset);
    }

    @Override
    public Slice bytes(int at, int length) {
        return new Slice(bytes, at, length);
    }

    @Override
    public ByteBuffer toBuffer(int from, int length) {
        return ByteBuffer.wrap(bytes, from, length);
    }

    @Override
    public void retain() {
        // the garbage collector frees the array
    }

    @Override
    public void release() {
        // the garbage collector frees the array
    }
}
