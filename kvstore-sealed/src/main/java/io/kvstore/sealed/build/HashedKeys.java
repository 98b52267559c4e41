package io.kvstore.sealed.build;

import io.kvstore.sealed.perfect.PerfectHash;
import java.io.IOException;
import java.util.Arrays;

/**
 * The hashes of keys, each with a few numbers, which wait until the parts of a perfect hash are built. They are divided by the
 * first byte of the hash into streams. Some streams together are one part, or one stream is some parts.
 */
final class HashedKeys {

    private static final int STREAMS_LOG = 8;
    private static final int STREAMS = 1 << STREAMS_LOG;

    private final ScratchStreams streams;

    /** How many numbers a key has with its hash. */
    private final int width;

    /** The keys of some streams: their hashes, and the numbers of one after the other. */
    private long[] hashes = {};

    private long[] numbers = {};

    /** @param width how many numbers a key has beside its hash */
    HashedKeys(BuildFiles files, String purpose, int width) {
        this.streams = new ScratchStreams(files, purpose, STREAMS);
        this.width = 1 + width;
    }

    /** The keys of one part. */
    interface Part {

        /** The hashes of the keys. */
        long[] hashes();

        /** How many keys there are. */
        int count();

        /** A number of a key. */
        long number(int key, int number);
    }

    /** Takes the parts, from the first on. */
    @FunctionalInterface
    interface Taker {
        void take(Part part) throws IOException;
    }

    /** Adds a key. All of its numbers are added next. */
    int add(long hash) throws IOException {
        int stream = (int) (hash >>> (Long.SIZE - STREAMS_LOG));
        streams.add(stream, hash);
        return stream;
    }

    /** Adds a number of the key that was added last. */
    void addNumber(int stream, long number) throws IOException {
        streams.add(stream, number);
    }

    void drop() throws IOException {
        streams.drop();
    }

    /** Gives all keys, by parts. */
    void eachPart(int partBits, Taker taker) throws IOException {
        int together = 1 << Math.max(0, STREAMS_LOG - partBits);
        for (int first = 0; first < STREAMS; first += together) {
            int count = read(first, first + together);
            if (partBits <= STREAMS_LOG) {
                taker.take(new Whole(count));
            } else {
                eachPartOfStream(partBits, first, count, taker);
            }
        }
    }

    private int read(int from, int to) throws IOException {
        long all = 0;
        for (int stream = from; stream < to; stream++) {
            all += streams.size(stream) / width;
        }
        int count = Math.toIntExact(all);
        if (hashes.length < count) {
            hashes = new long[count];
            numbers = new long[Math.multiplyExact(count, width - 1)];
        }
        int key = 0;
        for (int stream = from; stream < to; stream++) {
            ScratchStreams.Reader in = streams.read(stream);
            for (long left = streams.size(stream) / width; left > 0; left--) {
                hashes[key] = in.next();
                for (int at = key * (width - 1); at < (key + 1) * (width - 1); at++) {
                    numbers[at] = in.next();
                }
                key++;
            }
        }
        return count;
    }

    private void eachPartOfStream(int partBits, int stream, int count, Taker taker) throws IOException {
        int parts = 1 << (partBits - STREAMS_LOG);
        int[] starts = new int[parts + 1];
        for (int key = 0; key < count; key++) {
            starts[PerfectHash.part(hashes[key], partBits) - stream * parts + 1]++;
        }
        for (int part = 0; part < parts; part++) {
            starts[part + 1] += starts[part];
        }
        int[] order = new int[count];
        int[] next = Arrays.copyOf(starts, parts);
        for (int key = 0; key < count; key++) {
            order[next[PerfectHash.part(hashes[key], partBits) - stream * parts]++] = key;
        }
        for (int part = 0; part < parts; part++) {
            taker.take(new Some(order, starts[part], starts[part + 1]));
        }
    }

    /** All keys that were read. */
    private final class Whole implements Part {
        private final int count;

        Whole(int count) {
            this.count = count;
        }

        @Override
        public long[] hashes() {
            return hashes;
        }

        @Override
        public int count() {
            return count;
        }

        @Override
        public long number(int key, int number) {
            return numbers[key * (width - 1) + number];
        }
    }

    /** Some of the keys that were read. */
    private final class Some implements Part {
        private final int[] order;
        private final int from;
        private final long[] ofPart;

        Some(int[] order, int from, int to) {
            this.order = order;
            this.from = from;
            this.ofPart = new long[to - from];
            Arrays.setAll(ofPart, key -> hashes[order[from + key]]);
        }

        @Override
        public long[] hashes() {
            return ofPart;
        }

        @Override
        public int count() {
            return ofPart.length;
        }

        @Override
        public long number(int key, int number) {
            return numbers[order[from + key] * (width - 1) + number];
        }
    }
}
