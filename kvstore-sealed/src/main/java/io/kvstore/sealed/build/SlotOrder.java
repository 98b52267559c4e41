package io.kvstore.sealed.build;

import io.kvstore.bytes.ByteWriter;
import java.io.IOException;

/**
 * The slots of records, which come in the order of hashes, in the order of keys. They wait divided by how many keys are before
 * theirs, so that one of the divisions is in memory at a time.
 */
final class SlotOrder {

    private static final int STREAMS = 256;
    private static final int PIECE = 4 << 10;

    private final ScratchStreams streams;

    /** How many keys a stream has. */
    private final long range;

    SlotOrder(BuildFiles files, String purpose, long keys) {
        this.streams = new ScratchStreams(files, purpose + "order", STREAMS);
        this.range = keys / STREAMS + 1;
    }

    /**
     * Notes the slot of a record.
     *
     * @param ordinal how many keys are before the record's
     * @param slot a number of 4 bytes
     */
    void add(long ordinal, long slot) throws IOException {
        streams.add((int) (ordinal / range), (ordinal % range) << Integer.SIZE | slot);
    }

    void write(SealedOutput out) throws IOException {
        for (int stream = 0; stream < STREAMS; stream++) {
            int count = Math.toIntExact(streams.size(stream));
            int[] slots = new int[count];
            ScratchStreams.Reader in = streams.read(stream);
            for (int i = 0; i < count; i++) {
                long noted = in.next();
                slots[(int) (noted >>> Integer.SIZE)] = (int) noted;
            }
            ByteWriter bytes = new ByteWriter(PIECE * Integer.BYTES);
            for (int i = 0; i < count; i++) {
                bytes.u32(slots[i]);
                if (bytes.size() == PIECE * Integer.BYTES || i == count - 1) {
                    out.append(bytes.toBuffer().array(), 0, bytes.size());
                    bytes.cut(0);
                }
            }
        }
        streams.drop();
    }
}
