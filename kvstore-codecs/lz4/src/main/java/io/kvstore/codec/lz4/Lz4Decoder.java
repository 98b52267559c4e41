package io.kvstore.codec.lz4;

import io.kvstore.bytes.Slice;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Decodes LZ4 blocks by copies of eight bytes. They may write more bytes than a sequence has. These stay in the target, and
 * the next sequence writes over them. Near the end of source or target copies are exact.
 */
final class Lz4Decoder {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    /** A length in the token that says that more of it follows. */
    private static final int LONG_RUN = 15;

    private static final int LEAST_MATCH = 4;

    /** Room that short literals and the offset behind them take in the source. */
    private static final int SOURCE_MARGIN = 2 * Long.BYTES + Short.BYTES;

    /** Room that short literals, or a short match, take in the target at most. */
    private static final int TARGET_MARGIN = 3 * Long.BYTES;

    private Lz4Decoder() {}

    /**
     * Decodes until {@code wanted} bytes are there.
     *
     * @return how many bytes at the front of the target are there; -1 if the source is damaged as far as it was read, or all of
     *     the target is wanted and the source has another length
     */
    static int decode(Slice source, Slice target, int wanted) {
        byte[] in = source.array();
        byte[] out = target.array();
        int at = source.offset();
        int inEnd = at + source.length();
        int start = target.offset();
        int end = start + target.length();
        int enough = wanted < target.length() ? start + wanted : Integer.MAX_VALUE;
        int to = start;
        while (at < inEnd) {
            int token = in[at++] & 0xFF;
            int literals = token >>> 4;
            if (literals < LONG_RUN && inEnd - at >= SOURCE_MARGIN && end - to >= TARGET_MARGIN) {
                LONG.set(out, to, (long) LONG.get(in, at));
                LONG.set(out, to + Long.BYTES, (long) LONG.get(in, at + Long.BYTES));
            } else {
                if (literals == LONG_RUN) {
                    int more = more(in, at, inEnd);
                    at += more / 255 + 1;
                    literals = more < 0 ? more : literals + more;
                }
                if (literals < 0 || literals > inEnd - at || literals > end - to) {
                    return -1;
                }
                System.arraycopy(in, at, out, to, literals);
                if (at + literals == inEnd) {
                    return to + literals == end ? target.length() : -1; // the last sequence has no match
                }
            }
            at += literals;
            to += literals;
            if (inEnd - at < Short.BYTES) {
                return -1;
            }
            int distance = (short) SHORT.get(in, at) & 0xFFFF;
            at += Short.BYTES;
            int length = token & LONG_RUN;
            if (length == LONG_RUN) {
                int more = more(in, at, inEnd);
                at += more / 255 + 1;
                length = more < 0 ? end : length + more;
            }
            if (distance == 0 || distance > to - start || length > end - to - LEAST_MATCH) {
                return -1;
            }
            length += LEAST_MATCH;
            match(out, to, distance, length, end);
            to += length;
            if (to >= enough) {
                return to - start;
            }
        }
        return -1;
    }

    /** The rest of a length, in bytes of 255 and one below; negative if the source ends before, or it is no length. */
    private static int more(byte[] in, int from, int end) {
        int sum = 0;
        for (int at = from; at < end && sum >= 0 && sum < Integer.MAX_VALUE - 512; at++) {
            int group = in[at] & 0xFF;
            sum += group;
            if (group < 255) {
                return sum;
            }
        }
        return Integer.MIN_VALUE;
    }

    private static void match(byte[] out, int to, int distance, int length, int end) {
        int from = to - distance;
        if (distance >= Long.BYTES && end - to - length >= TARGET_MARGIN) {
            int at = 0;
            do {
                LONG.set(out, to + at, (long) LONG.get(out, from + at));
                at += Long.BYTES;
            } while (at < length);
        } else if (distance >= length) {
            System.arraycopy(out, from, out, to, length);
        } else {
            for (int i = 0; i < length; i++) { // the copy repeats what it writes
                out[to + i] = out[from + i];
            }
        }
    }
}
