package io.kvstore.sealed.build;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.sealed.format.LocatorLine;
import java.io.IOException;
import java.util.ArrayDeque;

/**
 * Builds a locator of lines from the hashes and places of all records. They are divided by the first byte of the hash. As
 * homes ascend with hashes, the parts are the lines from front to back, so only one of them is in memory as a whole. Words
 * that do not fit into their home go to the next lines that have room, the one that spilled first before the others.
 */
final class LineLocatorBuilder implements LocatorBuilder {

    private static final int PARTS = 256;
    private static final int PART_SHIFT = Long.SIZE - 8;

    private final ScratchStreams streams;

    LineLocatorBuilder(BuildFiles files, String purpose) {
        this.streams = new ScratchStreams(files, purpose + "locator", PARTS);
    }

    @Override
    public void add(long hash, long place) throws IOException {
        int part = (int) (hash >>> PART_SHIFT);
        streams.add(part, hash);
        streams.add(part, place);
    }

    @Override
    public void drop() throws IOException {
        streams.drop();
    }

    @Override
    public void write(long entries, SealedOutput out) throws IOException {
        new Lines(LocatorLine.homes(entries), out).write();
    }

    /** The lines, written from front to back. */
    private final class Lines {
        private final long homes;
        private final SealedOutput out;

        /** Words that wait for a line with room. */
        private final ArrayDeque<Long> spilled = new ArrayDeque<>();

        private final long[] line = new long[LocatorLine.WORDS];
        private final ByteWriter bytes = new ByteWriter(LocatorLine.BYTES);
        private int used;
        private long next;

        Lines(long homes, SealedOutput out) {
            this.homes = homes;
            this.out = out;
        }

        void write() throws IOException {
            for (int part = 0; part < PARTS; part++) {
                writePart(part);
            }
            while (next < homes || used > 0 || !spilled.isEmpty()) {
                endLine();
            }
        }

        private void writePart(int part) throws IOException {
            int count = Math.toIntExact(streams.size(part) / 2);
            if (count == 0) {
                return;
            }
            long[] hashes = new long[count];
            long[] words = new long[count];
            ScratchStreams.Reader in = streams.read(part);
            for (int i = 0; i < count; i++) {
                hashes[i] = in.next();
                words[i] = LocatorLine.word(hashes[i], in.next());
            }
            int[] order = byHome(hashes);
            for (int i : order) {
                long home = LocatorLine.home(hashes[i], homes);
                while (next < home) {
                    endLine();
                }
                if (used < LocatorLine.WORDS) {
                    line[used++] = words[i];
                } else {
                    spilled.add(words[i]);
                }
            }
        }

        /** The items of a part in the order of their homes. */
        private int[] byHome(long[] hashes) {
            long first = LocatorLine.home((hashes[0] >>> PART_SHIFT) << PART_SHIFT, homes);
            long last = LocatorLine.home(hashes[0] | ((1L << PART_SHIFT) - 1), homes);
            int[] starts = new int[Math.toIntExact(last - first + 2)];
            for (long hash : hashes) {
                starts[(int) (LocatorLine.home(hash, homes) - first) + 1]++;
            }
            for (int i = 1; i < starts.length; i++) {
                starts[i] += starts[i - 1];
            }
            int[] order = new int[hashes.length];
            for (int i = 0; i < hashes.length; i++) {
                order[starts[(int) (LocatorLine.home(hashes[i], homes) - first)]++] = i;
            }
            return order;
        }

        /** Writes the present line, and gives words that wait the room in the next one. */
        private void endLine() throws IOException {
            if (!spilled.isEmpty()) {
                line[0] = LocatorLine.spilled(line[0]);
            }
            bytes.cut(0);
            for (int i = 0; i < LocatorLine.WORDS; i++) {
                bytes.u64(i < used ? line[i] : 0);
            }
            out.append(bytes.toBuffer().array(), 0, LocatorLine.BYTES);
            next++;
            used = 0;
            while (used < LocatorLine.WORDS && !spilled.isEmpty()) {
                line[used++] = spilled.remove();
            }
        }
    }
}
