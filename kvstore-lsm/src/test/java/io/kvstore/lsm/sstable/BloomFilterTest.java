package io.kvstore.lsm.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.error.CorruptionException;
import io.kvstore.lsm.entry.FilterHash;
import io.kvstore.lsm.entry.KeyBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class BloomFilterTest {

    private static KeyBuffer key(long number) {
        KeyBuffer key = new KeyBuffer();
        byte[] bytes = new byte[12];
        for (int i = 0; i < 8; i++) {
            bytes[i + 4] = (byte) (number >>> (8 * i));
        }
        key.set(bytes, 0, bytes.length);
        return key;
    }

    private static long hash(long number) {
        return FilterHash.of(key(number).array(), 12);
    }

    @Test
    void keeps_what_was_added_and_the_rate_that_was_asked_for() {
        int keys = 20_000;
        for (double rate : new double[] {0.5, 0.1, 0.01, 0.001}) {
            BloomFilter.Builder builder = new BloomFilter.Builder();
            for (int i = 0; i < keys; i++) {
                builder.add(key(i));
            }
            ByteWriter out = new ByteWriter();
            builder.build(rate).write(out);
            BloomFilter filter = BloomFilter.read(new ByteReader("f", out.toArray()));
            int wrong = 0;
            for (int i = 0; i < keys; i++) {
                assertTrue(filter.mayHold(hash(i)), "a false negative");
            }
            int asked = 200_000;
            for (int i = 0; i < asked; i++) {
                wrong += filter.mayHold(hash(1_000_000L + i)) ? 1 : 0;
            }
            double measured = (double) wrong / asked;
            assertTrue(measured < 1.15 * rate + 0.0002, "rate " + measured + " for " + rate);
            assertTrue(filter.memoryBytes() * 8.0 / keys < BloomFilter.bitsPerKey(rate) + 1);
        }
    }

    @Test
    void sizes_stay_sensible() {
        assertTrue(BloomFilter.bitsPerKey(0.01) > 9.5 && BloomFilter.bitsPerKey(0.01) < 12.5);
        assertEquals(1, BloomFilter.bitsPerKey(0.999));
        assertEquals(32, BloomFilter.bitsPerKey(1e-300));
    }

    @Test
    void as_few_bits_as_the_rate_allows() {
        for (double rate = 0.9999; rate > 1e-7; rate *= 0.99) {
            double bits = BloomFilter.bitsPerKey(rate);
            assertTrue(bits == 32 || BloomFilter.expectedRate(bits) <= rate, bits + " are too few for " + rate);
            assertTrue(bits == 1 || BloomFilter.expectedRate(bits - 0.5) > rate, bits + " are too many for " + rate);
        }
    }

    @Test
    void impossible_shapes_are_corruption() {
        for (int[] shape : new int[][] {{0, 1}, {17, 1}, {1, 0}, {1, 2}, {1, -1}, {1, Integer.MAX_VALUE}}) {
            ByteWriter out = new ByteWriter().u32(shape[0]).u32(shape[1]).raw(new byte[64]);
            assertThrows(CorruptionException.class, () -> BloomFilter.read(new ByteReader("f", out.toArray())));
        }
    }

    /** Values of the reference implementation: filters on disk depend on them. */
    @Test
    void hash_is_that_of_the_specification() {
        assertEquals(0xEF46DB3751D8E999L, hashOf(""));
        assertEquals(0xD24EC4F1A98C6E5BL, hashOf("a"));
        assertEquals(0x44BC2CF5AD770999L, hashOf("abc"));
        assertEquals(0xCFE1F278FA89835CL, hashOf("abcdefghijklmnopqrstuvwxyz"));
        assertEquals(0xAAA46907D3047814L, hashOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"));
    }

    private static long hashOf(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return FilterHash.of(bytes, bytes.length);
    }
}
