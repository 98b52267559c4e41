package io.kvstore.data;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Hashes of keys. Users choose keys, but they must not be able to choose keys with equal hashes. So a hash depends on a secret
 * number, which differs for each table. Structures in memory get another one at each opening; the index file of a hash table
 * keeps its own. All code that hashes keys uses this class, or bounds the cost of keys with equal hashes.
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

    /** Leaves out the secret, so that it does not get into a message. */
    @Override
    public String toString() {
        return "KeyHash";
    }
}
