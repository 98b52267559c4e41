package io.kvstore.sealed.build;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.sealed.perfect.PartPlacing;
import io.kvstore.sealed.perfect.PerfectHash;
import io.kvstore.sealed.perfect.SlotFormat;
import java.io.IOException;

/** Builds a locator with a perfect hash, whose slots have places of records and bits of hashes. */
final class PerfectLocatorBuilder implements LocatorBuilder {

    private final BuildFiles files;
    private final String purpose;
    private final long seed;
    private final HashedKeys keys;
    private long mostPlace;

    /** @param seed of the checksums */
    PerfectLocatorBuilder(BuildFiles files, String purpose, long seed) {
        this.files = files;
        this.purpose = purpose;
        this.seed = seed;
        this.keys = new HashedKeys(files, purpose + "locator", 1);
    }

    @Override
    public void add(long hash, long place) throws IOException {
        keys.addNumber(keys.add(hash), place);
        mostPlace = Math.max(mostPlace, place);
    }

    @Override
    public void drop() throws IOException {
        keys.drop();
    }

    @Override
    public void write(long entries, SealedOutput out) throws IOException {
        int partBits = PerfectHash.partBits(entries);
        SlotFormat format = SlotFormat.of(mostPlace);
        PerfectWriter hash = new PerfectWriter(files, purpose, partBits, new PartPlacing());
        keys.eachPart(partBits, part -> writePart(part, format, hash, out));
        keys.drop();
        hash.write(out, seed, format);
    }

    private static void writePart(HashedKeys.Part part, SlotFormat format, PerfectWriter hash, SealedOutput out)
            throws IOException {
        PartPlacing placing = hash.place(part);
        long[] hashes = part.hashes();
        long[] slots = new long[placing.slots()];
        for (int key = 0; key < part.count(); key++) {
            int slot = placing.slotOf(key);
            if (slot != PartPlacing.EXTRA) {
                slots[slot] = format.slot(hashes[key], part.number(key, 0));
            }
        }
        for (int key : placing.extras(hashes)) {
            hash.addExtra(hashes[key], part.number(key, 0));
        }
        ByteWriter bytes = new ByteWriter(slots.length * format.bytes() + Long.BYTES);
        for (long slot : slots) {
            bytes.u64(slot);
            bytes.cut(bytes.size() - Long.BYTES + format.bytes());
        }
        out.append(bytes.toBuffer().array(), 0, bytes.size());
    }
}
