package io.kvstore.sealed.build;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.data.KeyHead;
import io.kvstore.sealed.format.Fence;
import java.io.IOException;
import java.util.Arrays;

/**
 * Collects the fences of a file while its records are written.
 *
 * <p>The head of a fence lies behind the bytes that all keys have in common, and their number is known at the end only. The
 * number never grows, and the keys until now agree in the bytes by which it shrinks. So a head that was taken behind more bytes
 * is put right later: those bytes of the first key by which the number shrank, and then the head.
 */
final class FenceBuilder {

    private static final int NUMBERS = 4;

    private final ScratchStreams stream;
    private byte[] firstKey = {};
    private int common = -1;

    FenceBuilder(BuildFiles files, String purpose) {
        this.stream = new ScratchStreams(files, purpose + "fences", 1);
    }

    /** Notes the key of each record, before a fence of it. */
    void note(byte[] key) {
        if (common < 0) {
            firstKey = key.clone();
            common = key.length;
        } else {
            int mismatch = Arrays.mismatch(firstKey, 0, common, key, 0, Math.min(common, key.length));
            common = mismatch < 0 ? Math.min(common, key.length) : mismatch;
        }
    }

    /**
     * Adds a fence before the record whose key was noted.
     *
     * @param ordinal how many records are before it
     */
    void add(byte[] key, long place, long ordinal) throws IOException {
        stream.add(0, KeyHead.of(key, common, key.length));
        stream.add(0, common);
        stream.add(0, place);
        stream.add(0, ordinal);
    }

    /** Gives up what was added, because the file is built in another way. */
    void drop() throws IOException {
        stream.drop();
    }

    void write(SealedOutput out) throws IOException {
        long count = stream.size(0) / NUMBERS;
        ScratchStreams.Reader in = stream.read(0);
        ByteWriter bytes = new ByteWriter(Fence.BYTES);
        for (long i = 0; i < count; i++) {
            long head = in.next();
            Fence fence = new Fence(behindCommon(head, (int) in.next()), in.next(), in.next());
            bytes.cut(0);
            bytes.u64(fence.head()).u64(fence.place()).u64(fence.ordinal());
            out.append(bytes.toBuffer().array(), 0, Fence.BYTES);
        }
    }

    /** A head that was taken behind {@code then} bytes, as it is behind the bytes that all keys have in common. */
    private long behindCommon(long head, int then) {
        int more = then - common;
        if (more == 0) {
            return head;
        }
        long front = KeyHead.of(firstKey, common, Math.min(firstKey.length, common + KeyHead.BYTES));
        if (more >= KeyHead.BYTES) {
            return front;
        }
        int moreBits = more * Byte.SIZE;
        long ofFront = -1L << (Long.SIZE - moreBits);
        return (front & ofFront) | (head >>> moreBits);
    }
}
