package io.kvstore.sealed.read;

import io.kvstore.bytes.ByteReader;
import io.kvstore.sealed.format.FileIdentity;
import io.kvstore.sealed.format.FileParts;
import io.kvstore.sealed.format.SealedFormat;
import io.kvstore.sealed.perfect.PerfectEnd;
import io.kvstore.sealed.perfect.PerfectHash;
import io.kvstore.sealed.perfect.SlotFormat;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Follows a perfect hash to the slot of a key, and for a key whose hash is that of another to the extras. What leads to a place
 * is the place itself in a slot, and in the list of extras a number of its own.
 */
final class PerfectLocator implements Locator {

    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** The first number of an extra. Places are smaller. */
    private static final long EXTRA = 1L << 62;

    private final FileBytes bytes;
    private final Digests digests;
    private final PerfectHash hash;
    private final SlotFormat format;

    /** Whether slots lead to records; else they have them. */
    private final boolean isLeading;

    private final long slotsAt;
    private final long pilotsAt;
    private final long extrasAt;
    private final long slots;
    private final long extras;

    PerfectLocator(FileBytes bytes, Digests digests, FileIdentity identity, FileParts parts, long entries)
            throws IOException {
        this.bytes = bytes;
        this.digests = digests;
        PerfectEnd end = readEnd(parts);
        long endAt = parts.fences() - end.allBytes();
        long room = endAt - parts.locator();
        if (!PerfectHash.isBelievable(end.partBits(), entries)
                || room < 0
                || end.extras() < 0
                || end.extras() > room / PerfectEnd.EXTRA_BYTES) {
            throw bytes.corrupt(
                    parts.fences() - PerfectEnd.BYTES, "the perfect hash cannot be that of " + entries + " keys");
        }
        this.hash = end.table(bytes.path(), bytes.read(endAt, (int) end.allBytes()), identity.seed(), endAt);
        this.format = end.slots();
        this.isLeading = !format.equals(SlotFormat.RECORDS);
        this.slots = hash.slots();
        this.extras = end.extras();
        this.slotsAt = parts.locator();
        this.pilotsAt = slotsAt + slots * format.bytes();
        this.extrasAt = pilotsAt + hash.buckets();
        long left = endAt - extrasAt - extras * PerfectEnd.EXTRA_BYTES;
        if (left < 0 || left >= SealedFormat.UNIT_BYTES || slots + extras < entries) {
            throw bytes.corrupt(endAt, "the perfect hash of " + slots + " slots is not as long as the locator");
        }
    }

    private PerfectEnd readEnd(FileParts parts) throws IOException {
        long at = parts.fences() - PerfectEnd.BYTES;
        if (at < parts.locator()) {
            throw bytes.corrupt(parts.locator(), "there is no perfect hash");
        }
        byte[] read = bytes.read(at, PerfectEnd.BYTES);
        return PerfectEnd.read(new ByteReader(bytes.path(), at, read, 0, read.length));
    }

    /** Requires that slots lead to records, or that they have them. */
    PerfectLocator requireLeading(boolean expected) {
        if (isLeading != expected || (isLeading && !format.isBelievable())) {
            throw bytes.corrupt(slotsAt, "the slots are not those of the file's layout");
        }
        return this;
    }

    /** The slots of keys and those of extras. */
    long allSlots() {
        return slots + extras;
    }

    @Override
    public long first(long hashOfKey) throws IOException {
        int part = hash.partOf(hashOfKey);
        long mixed = hash.mixed(part, hashOfKey);
        long bucket = hash.bucketOf(part, mixed);
        if (bucket < 0) {
            return NONE;
        }
        long slot = hash.slotOf(part, mixed, pilot(bucket));
        if (!isLeading) {
            return slot;
        }
        long leading = slot(slot);
        return leading != 0 && format.isOf(leading, hashOfKey) ? format.place(leading) : NONE;
    }

    @Override
    public long next(long hashOfKey, long last) throws IOException {
        if (extras == 0) {
            return NONE;
        }
        long extra = last < EXTRA ? firstExtra(hashOfKey) : last - EXTRA + 1;
        return extra < extras && extraNumber(extra, 0) == hashOfKey ? EXTRA + extra : NONE;
    }

    /** The first extra whose hash is not below one. */
    private long firstExtra(long hashOfKey) throws IOException {
        long low = 0;
        long high = extras;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (Long.compareUnsigned(extraNumber(middle, 0), hashOfKey) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public long place(long found) throws IOException {
        if (found < EXTRA) {
            return found;
        }
        return isLeading ? extraNumber(found - EXTRA, 1) : slots + found - EXTRA;
    }

    @Override
    public long used(Runnable step) throws IOException {
        long used = extras;
        for (long slot = 0; slot < slots; slot++) {
            if ((slot & STEP_MASK) == 0) {
                step.run();
            }
            used += slot(slot) == 0 ? 0 : 1;
        }
        return used;
    }

    /** Whether the extra whose record is in a slot is in the list. */
    boolean isExtra(long slot, long hashOfKey) throws IOException {
        long extra = slot - slots;
        return extra >= 0 && extraNumber(extra, 0) == hashOfKey && extraNumber(extra, 1) == extra;
    }

    private int pilot(long bucket) throws IOException {
        long offset = pilotsAt + bucket;
        digests.require(offset, 1);
        MemorySegment segment = bytes.segment(offset, 1);
        try {
            return segment.get(ValueLayout.JAVA_BYTE, bytes.baseOf(offset)) & 0xFF;
        } catch (InternalError e) {
            throw bytes.unreadable(offset, e);
        }
    }

    /** The slot of a number. Pilots and more follow it, so that eight bytes can be read. */
    private long slot(long slot) throws IOException {
        return format.slot(number(slotsAt + slot * format.bytes(), format.bytes()));
    }

    private long extraNumber(long extra, int number) throws IOException {
        return number(extrasAt + extra * PerfectEnd.EXTRA_BYTES + (long) number * Long.BYTES, Long.BYTES);
    }

    private long number(long offset, int length) throws IOException {
        digests.require(offset, length);
        MemorySegment segment = bytes.segment(offset, Long.BYTES);
        try {
            return segment.get(NUMBER, bytes.baseOf(offset));
        } catch (InternalError e) {
            throw bytes.unreadable(offset, e);
        }
    }
}
