package io.kvstore.bench.edge;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * A request that was encoded once, and the places where each request that is sent gets other keys.
 *
 * @param bytes the request
 * @param keyOffsets where keys begin
 * @param numbers maps the place of a key in a run to the number of its entry
 */
public record Template(byte[] bytes, List<Integer> keyOffsets, LongUnaryOperator numbers) {

    /** The length of a key: a word that keeps Redis' logs readable, and the number. */
    public static final int KEY_BYTES = 12;

    /** Writes a key. The keys of consecutive numbers lie far apart. */
    private static void putKey(ByteBuffer into, int at, long number) {
        into.putInt(at, 0x6b657900);
        into.putLong(at + Integer.BYTES, number * 0x9E3779B97F4A7C15L);
    }

    /** The key of a number, as a fresh array. */
    public static byte[] key(long number) {
        byte[] key = new byte[KEY_BYTES];
        putKey(ByteBuffer.wrap(key), 0, number);
        return key;
    }

    /** The number of keys of a request. A request without keys counts as one key. */
    public int keys() {
        return Math.max(1, keyOffsets.size());
    }

    /** Writes a request into an empty buffer. */
    void fill(ByteBuffer into, long request) {
        into.put(0, bytes);
        for (int i = 0; i < keyOffsets.size(); i++) {
            putKey(into, keyOffsets.get(i), numbers.applyAsLong(request * keyOffsets.size() + i));
        }
        into.position(0).limit(bytes.length);
    }
}
