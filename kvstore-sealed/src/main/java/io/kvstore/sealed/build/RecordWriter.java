package io.kvstore.sealed.build;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.Slice;

/** Makes the fronts of records. For one thread. */
final class RecordWriter {

    private final long seed;
    private final ByteWriter front = new ByteWriter();

    /** @param seed of the checksums */
    RecordWriter(long seed) {
        this.seed = seed;
    }

    /** What stands before the value of a record at an offset. Valid until the next one. */
    Slice beforeValue(Slice key, Slice value, long offset) {
        front.cut(0);
        front.u32(0).varint(key.length()).varint(value.length());
        front.raw(key.array(), key.offset(), key.length());
        byte[] array = front.toBuffer().array();
        Slice checked = new Slice(array, Integer.BYTES, front.size() - Integer.BYTES);
        front.setU32(0, Checksum.seeded(seed, offset, checked, value));
        return new Slice(array, 0, front.size());
    }
}
