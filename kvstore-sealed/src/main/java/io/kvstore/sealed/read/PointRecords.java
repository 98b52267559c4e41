package io.kvstore.sealed.read;

import io.kvstore.bytes.Checksum;
import io.kvstore.data.KeyHash;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.error.CorruptionException;
import io.kvstore.sealed.format.FileParts;
import io.kvstore.sealed.format.PointFormat;
import io.kvstore.sealed.format.RecordHead;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Records in the slots of a perfect hash. Each has a checksum, and its place is its slot. */
final class PointRecords implements Records {

    /** Records that are read together when some are read in the order of keys. */
    static final int BLOCK_RECORDS = 32;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt SLOT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final FileBytes bytes;
    private final Digests digests;
    private final PointFormat format;
    private final KeyHash hashes;
    private final long seed;
    private final long slots;
    private final long entries;
    private final long orderAt;

    /** The parts of a file that are read. */
    record Source(FileBytes bytes, Digests digests, FileParts parts, KeyHash hashes, long seed) {}

    /** @param slots of keys, and of extras */
    PointRecords(Source source, TableFileInfo info, long slots) {
        this.bytes = source.bytes();
        this.digests = source.digests();
        this.format = formatOf(info);
        this.hashes = source.hashes();
        this.seed = source.seed();
        this.slots = slots;
        this.entries = info.entries();
        this.orderAt = source.parts().fences();
        if (source.parts().dataEnd() != format.offsetOf(slots)) {
            throw bytes.corrupt(source.parts().dataEnd(), "the records do not end behind " + slots + " slots");
        }
    }

    private static PointFormat formatOf(TableFileInfo info) {
        return new PointFormat(info.longestKeyBytes(), info.longestValueBytes());
    }

    /** Whether all entries have the same lengths, and the list of slots has one for each. */
    static boolean fit(FileParts parts, TableFileInfo info) {
        PointFormat format = formatOf(info);
        long entries = info.entries();
        return format.keyBytes() >= 0
                && format.keyBytes() <= PointFormat.MOST_ENTRY_BYTES
                && format.valueBytes() >= 0
                && format.entryBytes() <= PointFormat.MOST_ENTRY_BYTES
                && (parts.digests() - parts.fences()) / PointFormat.ORDER_BYTES == entries
                && info.keyBytes() == entries * format.keyBytes()
                && info.valueBytes() == entries * format.valueBytes();
    }

    int keyBytes() {
        return format.keyBytes();
    }

    /** Where the slot of a record is in the list of slots. */
    long orderOffset(long ordinal) {
        return orderAt + ordinal * PointFormat.ORDER_BYTES;
    }

    CorruptionException withoutRecord(long ordinal) {
        return bytes.corrupt(orderOffset(ordinal), "there is no record " + ordinal + " of the file");
    }

    /** The slot of the record before which there are so many in the order of keys. */
    long slotAt(long ordinal) throws IOException {
        long offset = orderOffset(ordinal);
        digests.require(offset, PointFormat.ORDER_BYTES);
        MemorySegment segment = bytes.segment(offset, PointFormat.ORDER_BYTES);
        long slot;
        try {
            slot = Integer.toUnsignedLong(segment.get(SLOT, bytes.baseOf(offset)));
        } catch (InternalError e) {
            throw bytes.unreadable(offset, e);
        }
        if (slot >= slots) {
            throw bytes.corrupt(offset, "record " + ordinal + " of the file is in slot " + slot + " of " + slots);
        }
        return slot;
    }

    /** The record of a slot, checked. */
    byte[] read(long slot) throws IOException {
        byte[] record = new byte[format.recordBytes()];
        read(slot, record, 0);
        return record;
    }

    private void read(long slot, byte[] target, int at) throws IOException {
        long offset = format.offsetOf(slot);
        bytes.read(offset, target, at, format.recordBytes());
        int entryBytes = format.entryBytes();
        if (Checksum.seeded(seed, offset, target, at, entryBytes) != (int) INT.get(target, at + entryBytes)) {
            throw bytes.corrupt(offset, "the record is damaged");
        }
    }

    @Override
    public byte @Nullable [] valueOf(byte[] key, long slot) throws IOException {
        int keyBytes = format.keyBytes();
        if (key.length != keyBytes) {
            return null;
        }
        byte[] record = read(slot); // checked whatever its key is: a damaged one may have been that of the record
        return Arrays.equals(record, 0, keyBytes, key, 0, keyBytes)
                ? Arrays.copyOfRange(record, keyBytes, format.entryBytes())
                : null;
    }

    @Override
    public void load(long block, RecordBlock into) throws IOException {
        long first = block * BLOCK_RECORDS;
        int count = (int) Math.min(BLOCK_RECORDS, entries - first);
        byte[] array = into.room(count * format.recordBytes());
        for (int i = 0; i < count; i++) {
            int at = i * format.recordBytes();
            read(slotAt(first + i), array, at);
            into.add(at, RecordHead.of(0, format.keyBytes(), format.valueBytes()));
        }
    }

    @Override
    public long placeOf(RecordBlock block, int record) throws IOException {
        return slotAt(block.number() * BLOCK_RECORDS + record);
    }

    /** A slot whose key leads elsewhere has a copy, which is never read for an answer, and has a checksum all the same. */
    @Override
    public long used(Locator locator, Runnable step) throws IOException {
        long used = 0;
        for (long slot = 0; slot < slots; slot++) {
            if ((slot & Locator.STEP_MASK) == 0) {
                step.run();
            }
            byte[] record = read(slot);
            long hash = hashes.of(Arrays.copyOf(record, format.keyBytes()));
            if (locator.first(hash) == slot
                    || (locator instanceof PerfectLocator perfect && perfect.isExtra(slot, hash))) {
                used++;
            }
        }
        return used;
    }
}
