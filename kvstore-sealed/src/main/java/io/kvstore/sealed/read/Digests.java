package io.kvstore.sealed.read;

import io.kvstore.bytes.Checksum;
import io.kvstore.sealed.format.FileParts;
import io.kvstore.sealed.format.SealedFormat;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The digests of a file's parts. Lines and fences have no checksums of their own. So a part of them is checked as a whole by
 * whoever reads from it first. Several threads may do so at once, which costs time, and the heap of a piece for each.
 */
final class Digests {

    private static final VarHandle CHECKED = MethodHandles.arrayElementVarHandle(byte[].class);

    /** Bytes that a reader copies at a time. After a swap each of many threads may be the first reader of a part. */
    private static final int PIECE_BYTES = 64 << 10;

    private final FileBytes bytes;
    private final long end;
    private final IntBuffer digests;

    /** 1 for each part that was checked. Release and acquire, so that a thread that sees 1 reads no older bytes. */
    private final byte[] checked;

    private Digests(FileBytes bytes, long end, IntBuffer digests) {
        this.bytes = bytes;
        this.end = end;
        this.digests = digests;
        this.checked = new byte[this.digests.limit()];
    }

    static Digests read(FileBytes bytes, FileParts parts) throws IOException {
        long length = parts.properties() - parts.digests();
        if (length > Integer.MAX_VALUE - 8) {
            throw bytes.corrupt(parts.digests(), "the digests have " + length + " bytes");
        }
        byte[] digests = bytes.read(parts.digests(), (int) length);
        if (Checksum.of(digests) != parts.digestsChecksum()) {
            throw bytes.corrupt(parts.digests(), "the checksum of the digests is wrong");
        }
        return new Digests(
                bytes,
                parts.digests(),
                ByteBuffer.wrap(digests).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer());
    }

    /** The same digests for a verification, which reports those that are wrong, and then reads all the same. */
    Digests unchecked() {
        Digests same = new Digests(bytes, end, digests);
        Arrays.fill(same.checked, (byte) 1);
        return same;
    }

    int count() {
        return checked.length;
    }

    /** Checks the parts in which some bytes lie, unless they were checked. */
    void require(long offset, int length) throws IOException {
        int last = (int) ((offset + length - 1) / SealedFormat.PART_BYTES);
        for (int part = (int) (offset / SealedFormat.PART_BYTES); part <= last; part++) {
            if ((byte) CHECKED.getAcquire(checked, part) == 0) {
                requireSound(part, new byte[Math.min(PIECE_BYTES, lengthOf(part))]);
                CHECKED.setRelease(checked, part, (byte) 1);
            }
        }
    }

    int digest(int part) {
        return digests.get(part);
    }

    private int lengthOf(int part) {
        long start = (long) part * SealedFormat.PART_BYTES;
        return (int) Math.min(SealedFormat.PART_BYTES, end - start);
    }

    /**
     * Reads a part and checks it.
     *
     * @param scratch has room for the bytes that are read at a time
     */
    void requireSound(int part, byte[] scratch) throws IOException {
        long start = (long) part * SealedFormat.PART_BYTES;
        int length = lengthOf(part);
        CRC32C crc = new CRC32C();
        for (int at = 0; at < length; at += scratch.length) {
            int count = Math.min(scratch.length, length - at);
            bytes.read(start + at, scratch, count);
            crc.update(scratch, 0, count);
        }
        if ((int) crc.getValue() != digests.get(part)) {
            throw bytes.corrupt(start, "the digest of " + length + " bytes is wrong");
        }
    }
}
