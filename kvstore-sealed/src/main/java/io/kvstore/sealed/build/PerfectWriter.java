package io.kvstore.sealed.build;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.sealed.format.SealedFormat;
import io.kvstore.sealed.perfect.PartPlacing;
import io.kvstore.sealed.perfect.PerfectEnd;
import io.kvstore.sealed.perfect.PerfectHash;
import io.kvstore.sealed.perfect.SlotFormat;
import java.io.IOException;

/**
 * Builds the perfect hash of a file, part by part. Pilots and extras wait in temporary files, because they stand behind the
 * slots of all parts.
 */
final class PerfectWriter {

    private final PartPlacing placing;
    private final PerfectHash.Table table = new PerfectHash.Table();

    /** Eight pilots are one number. */
    private final ScratchStreams pilots;

    private final ScratchStreams extras;
    private long pilotsOfNumber;
    private long pilotCount;
    private final int partBits;

    /** @param partBits as in {@link PerfectHash#partBits} */
    PerfectWriter(BuildFiles files, String purpose, int partBits, PartPlacing placing) {
        this.placing = placing;
        this.pilots = new ScratchStreams(files, purpose + "pilots", 1);
        this.extras = new ScratchStreams(files, purpose + "extras", 1);
        this.partBits = partBits;
    }

    /** Finds slots for the keys of the next part, which are valid until the one behind it. */
    PartPlacing place(HashedKeys.Part part) throws IOException {
        placing.place(part.hashes(), part.count());
        table.add(placing);
        for (int bucket = 0; bucket < placing.buckets(); bucket++) {
            pilotsOfNumber = (pilotsOfNumber >>> Byte.SIZE) | (long) placing.pilot(bucket) << (Long.SIZE - Byte.SIZE);
            if (++pilotCount % Long.BYTES == 0) {
                pilots.add(0, pilotsOfNumber);
            }
        }
        return placing;
    }

    /** Adds a key that has no slot. Hashes of extras ascend. */
    void addExtra(long hash, long place) throws IOException {
        extras.add(0, hash);
        extras.add(0, place);
    }

    long extras() {
        return extras.size(0) / 2;
    }

    /** The slots of all parts that were placed. */
    long slots() {
        return table.slots();
    }

    /** Writes pilots, extras and the table, so that they end at a multiple of 64. */
    void write(SealedOutput out, long seed, SlotFormat slots) throws IOException {
        writePilots(out);
        ScratchStreams.Reader in = extras.read(0);
        ByteWriter bytes = new ByteWriter(PerfectEnd.EXTRA_BYTES);
        for (long i = extras(); i > 0; i--) {
            bytes.cut(0);
            bytes.u64(in.next()).u64(in.next());
            out.append(bytes.toBuffer().array(), 0, PerfectEnd.EXTRA_BYTES);
        }
        PerfectEnd end = new PerfectEnd(extras(), partBits, slots);
        long fences = SealedFormat.roundUp(out.position() + end.allBytes(), SealedFormat.UNIT_BYTES);
        out.append(new byte[(int) (fences - end.allBytes() - out.position())]);
        out.append(end.write(table.toBytes(), seed, out.position()));
        pilots.drop();
        extras.drop();
    }

    private void writePilots(SealedOutput out) throws IOException {
        ScratchStreams.Reader in = pilots.read(0);
        ByteWriter bytes = new ByteWriter(Long.BYTES);
        for (long i = pilotCount / Long.BYTES; i > 0; i--) {
            bytes.cut(0);
            bytes.u64(in.next());
            out.append(bytes.toBuffer().array(), 0, Long.BYTES);
        }
        int left = (int) (pilotCount % Long.BYTES);
        if (left > 0) {
            bytes.cut(0);
            bytes.u64(pilotsOfNumber >>> ((Long.BYTES - left) * Byte.SIZE));
            out.append(bytes.toBuffer().array(), 0, left);
        }
    }
}
