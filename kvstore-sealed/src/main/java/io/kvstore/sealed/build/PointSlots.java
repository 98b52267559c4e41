package io.kvstore.sealed.build;

import io.kvstore.bytes.Checksum;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.sealed.format.FileIdentity;
import io.kvstore.sealed.format.PointFormat;
import io.kvstore.sealed.format.SealedFormat;
import io.kvstore.sealed.perfect.PartPlacing;
import io.kvstore.sealed.perfect.PerfectHash;
import io.kvstore.sealed.perfect.SlotFormat;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Writes records to the slots of a perfect hash, the hash behind them, and then the slots in the order of keys. */
final class PointSlots {

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final BuildFiles files;
    private final String purpose;
    private final long seed;
    private final SealedOutput out;
    private final PackedEntry entry;
    private final PointFormat format;

    /** Entries whose hashes are those of others. */
    private final ScratchStreams extras;

    /** @param entry has room for each entry */
    PointSlots(BuildFiles files, String purpose, FileIdentity identity, SealedOutput out, PackedEntry entry) {
        this.files = files;
        this.purpose = purpose;
        this.seed = identity.seed();
        this.out = out;
        this.entry = entry;
        this.format = entry.format();
        this.extras = new ScratchStreams(files, purpose + "rest", 1);
    }

    /** Writes all up to the digests. Each key has its ordinal and its entry. */
    LayoutWriter.Places write(HashedKeys keys, long all) throws IOException {
        int partBits = PerfectHash.partBits(all);
        SlotOrder order = new SlotOrder(files, purpose, all);
        PerfectWriter hash = new PerfectWriter(files, purpose, partBits, new PartPlacing());
        keys.eachPart(partBits, part -> writePart(part, hash, order));
        keys.drop();
        writeExtras(hash, order);
        requireNumbers(hash.slots() + hash.extras());
        long dataEnd = out.position();
        out.pad(SealedFormat.UNIT_BYTES);
        long locator = out.position();
        hash.write(out, seed, SlotFormat.RECORDS);
        long fences = out.position();
        order.write(out);
        return new LayoutWriter.Places(dataEnd, locator, fences);
    }

    private static void requireNumbers(long slots) {
        if (slots > PointFormat.MOST_SLOTS) {
            throw new InvalidRequestException(
                    "the file would have " + slots + " slots, and the layout POINT has at most "
                            + PointFormat.MOST_SLOTS + "; take the layout PERFECT, or build several files");
        }
    }

    private void writePart(HashedKeys.Part part, PerfectWriter hash, SlotOrder order) throws IOException {
        long before = hash.slots();
        PartPlacing placing = hash.place(part);
        int[] keyOf = new int[placing.slots()];
        Arrays.fill(keyOf, -1);
        int any = -1;
        for (int key = 0; key < part.count(); key++) {
            int slot = placing.slotOf(key);
            if (slot != PartPlacing.EXTRA) {
                any = key;
                keyOf[slot] = key;
                order.add(part.number(key, 0), before + slot);
            }
        }
        byte[] records = new byte[Math.multiplyExact(keyOf.length, format.recordBytes())];
        for (int slot = 0; slot < keyOf.length; slot++) {
            int key = keyOf[slot] < 0 ? any : keyOf[slot];
            for (int i = 0; i < entry.numbers(); i++) {
                entry.set(i, part.number(key, 1 + i));
            }
            setRecord(records, slot * format.recordBytes(), before + slot);
        }
        out.append(records);
        for (int key : placing.extras(part.hashes())) {
            hash.addExtra(part.hashes()[key], hash.extras());
            for (int i = 0; i < 1 + entry.numbers(); i++) {
                extras.add(0, part.number(key, i));
            }
        }
    }

    /** Makes a record of the present entry. */
    private void setRecord(byte[] records, int at, long slot) {
        System.arraycopy(entry.bytes(), 0, records, at, format.entryBytes());
        int checksum = Checksum.seeded(seed, format.offsetOf(slot), records, at, format.entryBytes());
        INT.set(records, at + format.entryBytes(), checksum);
    }

    /** Their slots are behind those of the hash. */
    private void writeExtras(PerfectWriter hash, SlotOrder order) throws IOException {
        byte[] record = new byte[format.recordBytes()];
        ScratchStreams.Reader in = extras.read(0);
        for (long i = 0; i < hash.extras(); i++) {
            order.add(in.next(), hash.slots() + i);
            for (int number = 0; number < entry.numbers(); number++) {
                entry.set(number, in.next());
            }
            setRecord(record, 0, hash.slots() + i);
            out.append(record);
        }
        extras.drop();
    }
}
