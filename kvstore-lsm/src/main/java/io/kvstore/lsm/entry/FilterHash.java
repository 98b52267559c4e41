package io.kvstore.lsm.entry;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** XXH64 with seed 0, after the published specification. The function never changes, because filters on disk depend on it. */
public final class FilterHash {

    private static final long P1 = 0x9E3779B185EBCA87L;
    private static final long P1_PLUS_P2 = 0x60EA27EEADC0B5D6L;
    private static final long MINUS_P1 = 0x61C8864E7A143579L;
    private static final long P2 = 0xC2B2AE3D27D4EB4FL;
    private static final long P3 = 0x165667B19E3779F9L;
    private static final long P4 = 0x85EBCA77C2B2AE63L;
    private static final long P5 = 0x27D4EB2F165667C5L;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private FilterHash() {}

    public static long of(byte[] bytes, int length) {
        int at = 0;
        long hash = P5;
        if (length >= 32) {
            int stripes = length & ~31;
            hash = stripes(bytes, stripes);
            at = stripes;
        }
        hash += length;
        for (; at + Long.BYTES <= length; at += Long.BYTES) {
            hash = Long.rotateLeft(hash ^ round(0, (long) LONG.get(bytes, at)), 27) * P1 + P4;
        }
        if (at + Integer.BYTES <= length) {
            hash = Long.rotateLeft(hash ^ ((int) INT.get(bytes, at) & 0xFFFFFFFFL) * P1, 23) * P2 + P3;
            at += Integer.BYTES;
        }
        for (; at < length; at++) {
            hash = Long.rotateLeft(hash ^ (bytes[at] & 0xFF) * P5, 11) * P1;
        }
        hash = (hash ^ (hash >>> 33)) * P2;
        hash = (hash ^ (hash >>> 29)) * P3;
        return hash ^ (hash >>> 32);
    }

    private static long stripes(byte[] bytes, int end) {
        long v1 = P1_PLUS_P2;
        long v2 = P2;
        long v3 = 0;
        long v4 = MINUS_P1;
        for (int at = 0; at < end; at += 32) {
            v1 = round(v1, (long) LONG.get(bytes, at));
            v2 = round(v2, (long) LONG.get(bytes, at + 8));
            v3 = round(v3, (long) LONG.get(bytes, at + 16));
            v4 = round(v4, (long) LONG.get(bytes, at + 24));
        }
        long hash = Long.rotateLeft(v1, 1) + Long.rotateLeft(v2, 7) + Long.rotateLeft(v3, 12) + Long.rotateLeft(v4, 18);
        hash = merge(hash, v1);
        hash = merge(hash, v2);
        hash = merge(hash, v3);
        return merge(hash, v4);
    }

    private static long round(long lane, long input) {
        return Long.rotateLeft(lane + input * P2, 31) * P1;
    }

    private static long merge(long hash, long lane) {
        return (hash ^ round(0, lane)) * P1 + P4;
    }
}
