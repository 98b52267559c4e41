package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.lsm.entry.FilterHash;
import io.kvstore.lsm.entry.KeyBuffer;
import java.util.Arrays;

/**
 * Says that a file does not hold a key, or that it may hold it. All bits of a key lie in one line of 64 bytes, so that a
 * query touches one cache line ("Cache-, hash- and space-efficient Bloom filters", Putze et al., 2007). The high half of
 * the key's hash picks the line. The low half picks the bits and is multiplied again for every probe.
 */
final class BloomFilter {

    private static final int LINE_BITS = 512;
    private static final int LINE_LONGS = LINE_BITS / Long.SIZE;
    private static final int MAX_PROBES = 16;
    private static final double MAX_BITS_PER_KEY = 32;
    private static final int GOLDEN = 0x9E3779B9;

    private final int probes;
    private final long[] bits;

    private BloomFilter(int probes, long[] bits) {
        this.probes = probes;
        this.bits = bits;
    }

    static final class Builder {

        private long[] hashes = new long[1024];
        private int count;

        void add(KeyBuffer key) {
            if (count == hashes.length) {
                hashes = Arrays.copyOf(hashes, 2 * count);
            }
            hashes[count++] = FilterHash.of(key.array(), key.length());
        }

        BloomFilter build(double falsePositiveRate) {
            double bitsPerKey = bitsPerKey(falsePositiveRate);
            long lines = Math.max(1, (long) Math.ceil(count * bitsPerKey / LINE_BITS));
            int longs = (int) Math.min(lines * LINE_LONGS, Integer.MAX_VALUE / 8 / LINE_LONGS * LINE_LONGS);
            BloomFilter filter = new BloomFilter(probesFor(bitsPerKey), new long[longs]);
            for (int i = 0; i < count; i++) {
                filter.add(hashes[i]);
            }
            return filter;
        }
    }

    /** The least number of bits per key, in steps of a half, with which the rate is kept. */
    static double bitsPerKey(double falsePositiveRate) {
        // a filter without lines needs that many bits, and one with lines needs more
        double leastBits = -Math.log(falsePositiveRate) / (Math.log(2) * Math.log(2));
        double bitsPerKey = Math.clamp(Math.floor(2 * leastBits) / 2, 1, MAX_BITS_PER_KEY);
        while (bitsPerKey < MAX_BITS_PER_KEY && expectedRate(bitsPerKey) > falsePositiveRate) {
            bitsPerKey += 0.5;
        }
        return bitsPerKey;
    }

    private static int probesFor(double bitsPerKey) {
        return Math.clamp(Math.round(bitsPerKey * Math.log(2)), 1, MAX_PROBES);
    }

    /** The rate over all lines. The number of keys in a line follows a Poisson distribution. */
    static double expectedRate(double bitsPerKey) {
        int probes = probesFor(bitsPerKey);
        double mean = LINE_BITS / bitsPerKey;
        double chance = Math.exp(-mean);
        double rate = 0;
        for (int keys = 0; keys < 3 * mean + 30; keys++) {
            double zero = Math.pow(1 - 1.0 / LINE_BITS, (double) probes * keys);
            rate += chance * Math.pow(1 - zero, probes);
            chance *= mean / (keys + 1);
        }
        return rate;
    }

    private int lineOf(long hash) {
        return (int) (((hash >>> 32) * (bits.length / LINE_LONGS)) >>> 32) * LINE_LONGS;
    }

    private void add(long hash) {
        int line = lineOf(hash);
        int probe = (int) hash;
        for (int i = 0; i < probes; i++) {
            bits[line + (probe >>> 29)] |= 1L << (probe >>> 23);
            probe *= GOLDEN;
        }
    }

    /** Returns false only if no key with this hash was added. */
    boolean mayHold(long hash) {
        int line = lineOf(hash);
        int probe = (int) hash;
        for (int i = 0; i < probes; i++) {
            if ((bits[line + (probe >>> 29)] & 1L << (probe >>> 23)) == 0) {
                return false;
            }
            probe *= GOLDEN;
        }
        return true;
    }

    long memoryBytes() {
        return (long) bits.length * Long.BYTES;
    }

    void write(ByteWriter out) {
        out.u32(probes).u32(bits.length / LINE_LONGS);
        for (long word : bits) {
            out.u64(word);
        }
    }

    static BloomFilter read(ByteReader in) {
        int probes = in.u32();
        int lines = in.u32();
        if (probes < 1 || probes > MAX_PROBES || lines < 1 || in.remaining() != (long) lines * LINE_BITS / Byte.SIZE) {
            throw in.corrupt("a filter of " + lines + " lines and " + probes + " probes does not fit its block");
        }
        long[] bits = new long[lines * LINE_LONGS];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = in.u64();
        }
        return new BloomFilter(probes, bits);
    }
}
