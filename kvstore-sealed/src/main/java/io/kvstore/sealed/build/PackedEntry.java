package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import io.kvstore.sealed.format.PointFormat;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Key and value of one entry after the other, as bytes and as numbers of eight bytes. */
final class PackedEntry {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final PointFormat format;
    private final byte[] bytes;

    PackedEntry(PointFormat format) {
        this.format = format;
        this.bytes = new byte[(format.entryBytes() + Long.BYTES - 1) / Long.BYTES * Long.BYTES];
    }

    PointFormat format() {
        return format;
    }

    void set(byte[] key, Slice value) {
        System.arraycopy(key, 0, bytes, 0, key.length);
        System.arraycopy(value.array(), value.offset(), bytes, key.length, value.length());
    }

    void set(int index, long number) {
        LONG.set(bytes, Long.BYTES * index, number);
    }

    long number(int index) {
        return (long) LONG.get(bytes, Long.BYTES * index);
    }

    /** How many numbers there are. */
    int numbers() {
        return bytes.length / Long.BYTES;
    }

    /** Key and value, and behind them what fills the last number. */
    byte[] bytes() {
        return bytes;
    }
}
