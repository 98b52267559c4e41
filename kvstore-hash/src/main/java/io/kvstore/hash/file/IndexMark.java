package io.kvstore.hash.file;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;
import org.jspecify.annotations.Nullable;

/**
 * Says of a commit that it was durable when the mark was written. A later commit may be durable too. The mark is written
 * without a sync of its own, and a damaged one counts for nothing. So a file whose mark leads to no commit was damaged or cut,
 * and is no torn end of a crash.
 *
 * @param sequence that of the commit
 * @param offset where the block of the commit begins
 */
record IndexMark(long sequence, long offset) {

    byte[] toBytes(long fileSeed) {
        ByteWriter out = new ByteWriter(IndexFormat.UNIT_BYTES);
        out.u64(sequence).u64(offset);
        byte[] fields = out.toArray();
        out.u32(Checksum.seeded(fileSeed, IndexFormat.MARK_OFFSET, fields, 0, fields.length));
        out.raw(new byte[IndexFormat.UNIT_BYTES - out.size()]);
        return out.toArray();
    }

    /** The mark of a unit, or null if it has none that is valid. */
    static @Nullable IndexMark read(String path, byte[] unit, long fileSeed) {
        ByteReader in = new ByteReader(path, IndexFormat.MARK_OFFSET, unit, 0, unit.length);
        IndexMark mark = new IndexMark(in.u64(), in.u64());
        boolean isValid = in.u32() == Checksum.seeded(fileSeed, IndexFormat.MARK_OFFSET, unit, 0, 2 * Long.BYTES);
        for (byte rest : in.raw(in.remaining())) {
            isValid &= rest == 0;
        }
        return isValid ? mark : null;
    }
}
