package io.kvstore.data;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Hashes of keys, for what is in memory only. Users choose keys; so that they cannot choose keys of one hash too, a hash
 * depends on a number that nobody outside knows and that is another one for each table and each opening. Whatever hashes keys
 * uses this, or bounds what keys of one hash cost.
 *
 * @param seed the secret
 */
public record KeyHash(long seed) {

    private static final VarHandle KEY_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** The hash of a key. Mixed as in MurmurHash3. */
    public long of(byte[] key) {
        long hash = seed ^ key.length * 0x9E3779B97F4A7C15L;
        int at = 0;
        for (; at + Long.BYTES <= key.length; at += Long.BYTES) {
            hash = mix(hash ^ (long) KEY_LONG.get(key, at));
        }
        long rest = 0;
        for (; at < key.length; at++) {
            rest = rest << Byte.SIZE | (key[at] & 0xFF);
        }
        return mix(hash ^ rest);
    }

    private static long mix(long given) {
        long mixed = (given ^ (given >>> 33)) * 0xFF51AFD7ED558CCDL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xC4CEB9FE1A85EC53L;
        return mixed ^ (mixed >>> 33);
    }

    /** The secret does not get into a message. */
    @Override
    public String toString() {
        return "KeyHash";
    }
}
