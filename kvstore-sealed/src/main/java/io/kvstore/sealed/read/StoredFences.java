package io.kvstore.sealed.read;

import io.kvstore.error.CorruptionException;
import io.kvstore.sealed.format.Fence;
import io.kvstore.sealed.format.FileParts;
import io.kvstore.sealed.format.SealedFormat;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The fences that a file has. */
final class StoredFences implements Fences {

    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final FileBytes bytes;
    private final Digests digests;
    private final FileParts parts;
    private final long entries;

    StoredFences(FileBytes bytes, Digests digests, FileParts parts, long entries) {
        this.bytes = bytes;
        this.digests = digests;
        this.parts = parts;
        this.entries = entries;
    }

    @Override
    public long count() {
        return parts.fenceCount();
    }

    @Override
    public long head(long block) throws IOException {
        return number(block, 0);
    }

    @Override
    public long place(long block) throws IOException {
        return block == count() ? parts.dataEnd() : number(block, 1);
    }

    @Override
    public long ordinal(long block) throws IOException {
        return block == count() ? entries : number(block, 2);
    }

    /**
     * The bytes of a block.
     *
     * @param start where it begins
     * @param bytes its length
     * @param records how many records it has
     */
    record Extent(long start, int bytes, long records) {}

    /** The bytes of a block, which are not more than {@code most}. */
    Extent extent(long block, long most) throws IOException {
        long start = place(block);
        long length = place(block + 1) - start;
        if (start < SealedFormat.HEADER_BYTES || length <= 0 || length > most || length > parts.dataEnd() - start) {
            throw bytes.corrupt(start, "block " + block + " has " + length + " bytes");
        }
        return new Extent(start, (int) length, ordinal(block + 1) - ordinal(block));
    }

    @Override
    public CorruptionException withoutRecord(long block, long ordinal) throws IOException {
        return bytes.corrupt(place(block), "block " + block + " does not have record " + ordinal + " of the file");
    }

    /** Requires that a block has as many records as it should. */
    void requireRecords(Extent extent, int found) {
        if (found != extent.records()) {
            throw bytes.corrupt(
                    extent.start(), "the block has " + found + " records, and by its fence " + extent.records());
        }
    }

    private long number(long block, int field) throws IOException {
        long offset = parts.fences() + block * Fence.BYTES + (long) field * Long.BYTES;
        digests.require(offset, Long.BYTES);
        MemorySegment segment = bytes.segment(offset, Long.BYTES);
        try {
            return segment.get(NUMBER, bytes.baseOf(offset));
        } catch (InternalError e) {
            throw bytes.unreadable(offset, e);
        }
    }
}
