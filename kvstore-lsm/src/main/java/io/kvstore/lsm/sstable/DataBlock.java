package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteReader;
import io.kvstore.error.CorruptionException;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.lsm.entry.Lookup;
import io.kvstore.value.segment.ValuePointer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A data block in memory, and a position in it. {@link DataBlockWriter} describes the format. Whatever the bytes are,
 * nothing outside the block is read, and an invalid block ends in a {@link CorruptionException}.
 */
final class DataBlock {

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final byte[] NOTHING = {};

    private final KeyBuffer key = new KeyBuffer();
    private String file = "";
    private long offset;
    private byte[] bytes = NOTHING;
    private byte[] unpacked = NOTHING;
    private int start;
    private int entriesEnd;
    private int restartCount;
    private long leastLsn;
    private long mostLsn;
    private int entryStart;
    private int next;

    /** The entry from which on all were read, one after the other. */
    private int begun;

    private int at;
    private long lsn;
    private int kind;
    private int shared;
    private int unshared;
    private int keyOffset;
    private int valueOffset;
    private int valueLength;

    /** Called before {@link #reset}. An entry with another lsn is an error: one that no view shows would be lost in silence. */
    void expect(SsTableInfo info) {
        leastLsn = info.minLsn();
        mostLsn = info.maxLsn();
    }

    /** Takes over the payload of a checked block, which is a part of an array. */
    void reset(SsTableFormat.BlockPlace place, byte[] array, int payloadStart, int end) {
        file = place.file();
        offset = place.offset();
        bytes = array;
        start = payloadStart;
        if (end - start < Integer.BYTES) {
            throw corrupt(start, "a data block is empty");
        }
        restartCount = (int) INT.get(bytes, end - Integer.BYTES);
        long restartsStart = end - Integer.BYTES - Integer.BYTES * (long) restartCount;
        if (restartCount < 1 || restartsStart <= start) {
            throw corrupt(end - Integer.BYTES, "a data block claims " + restartCount + " restarts");
        }
        entriesEnd = (int) restartsStart;
        next = start;
    }

    /** Returns a buffer for a payload of the given length. The previous contents are lost. */
    byte[] unpackBuffer(int length) {
        if (unpacked.length < length) {
            unpacked = new byte[length];
        }
        return unpacked;
    }

    /** The size of the buffer kept for {@link #unpackBuffer}. */
    int unpackBytes() {
        return unpacked.length;
    }

    void release() {
        bytes = NOTHING;
    }

    boolean first() {
        begin(start);
        return advance();
    }

    /** Goes to where an entry begins that shares nothing: there is no key before it. */
    private void begin(int position) {
        next = position;
        begun = position;
        key.filled(0);
    }

    /** Throws if one restart is not the beginning of an entry that shares nothing. Looks at all entries. */
    void requireRestarts() {
        int restart = 0;
        for (boolean isThere = first(); isThere; isThere = advance()) {
            if (restart < restartCount && restartAt(restart) == entryStart && shared == 0) {
                restart++;
            }
        }
        if (restart < restartCount) {
            throw corrupt(entriesEnd, "restart " + restart + " leads to no entry that shares nothing");
        }
    }

    boolean advance() {
        if (next >= entriesEnd) {
            return false;
        }
        long lastLsn = lsn;
        readEntry();
        if (shared > key.length()) {
            throw corrupt(entryStart, "an entry shares more than the key before it has");
        }
        if (entryStart > begun) {
            // hardly ever looks at more than one byte: those before it are shared
            int order =
                    Arrays.compareUnsigned(key.array(), shared, key.length(), bytes, keyOffset, keyOffset + unshared);
            if (order > 0 || (order == 0 && lsn >= lastLsn)) {
                throw corrupt(entryStart, "an entry does not follow the one before it");
            }
        }
        key.replaceTail(shared, bytes, keyOffset, unshared);
        return true;
    }

    /** Reads the next entry without building its key, which begins with bytes of the previous key. */
    private void readEntry() {
        entryStart = next;
        at = next;
        long sharedBytes = varint();
        long unsharedBytes = varint();
        long length = varint();
        kind = u8();
        lsn = varint();
        boolean fits = sharedBytes >= 0
                && sharedBytes <= SsTableFormat.MAX_PAYLOAD_BYTES
                && unsharedBytes >= 0
                && length >= 0
                && unsharedBytes + length <= entriesEnd - at;
        if (!fits) {
            throw corrupt(entryStart, "an entry's lengths do not fit into its block");
        }
        if (!EntryKind.isReadable(kind) || (kind == EntryKind.TOMBSTONE && length != 0)) {
            throw corrupt(entryStart, "an entry has kind and flags " + kind + ", which are not known here");
        }
        if (lsn < leastLsn || lsn > mostLsn) {
            throw corrupt(
                    entryStart,
                    "an entry has lsn " + lsn + ", and those of the file are from " + leastLsn + " to " + mostLsn);
        }
        shared = (int) sharedBytes;
        unshared = (int) unsharedBytes;
        keyOffset = at;
        valueOffset = at + unshared;
        valueLength = (int) length;
        next = valueOffset + valueLength;
    }

    boolean retreat() {
        int until = entryStart;
        if (until == start) {
            return false;
        }
        int restart = restartCount - 1;
        while (restart > 0 && restartAt(restart) >= until) {
            restart--;
        }
        begin(restartAt(restart));
        return walkUntil(until);
    }

    boolean last() {
        begin(restartAt(restartCount - 1));
        return walkUntil(entriesEnd);
    }

    private boolean walkUntil(int end) {
        boolean moved = false;
        while (next < end) {
            moved = advance();
        }
        return moved;
    }

    /** Moves to the first entry whose key is at or after the bound, or only after it if the bound is not inclusive. */
    boolean ceiling(byte @Nullable [] bound, boolean inclusive) {
        if (bound == null) {
            return first();
        }
        begin(restartAt(lastRestartBefore(bound)));
        while (advance()) {
            int order = key.compare(bound);
            if (order > 0 || (inclusive && order == 0)) {
                return true;
            }
        }
        return false;
    }

    /** Moves to the last entry whose key is at or before the bound, or only before it if the bound is not inclusive. */
    boolean floor(byte @Nullable [] bound, boolean inclusive) {
        if (bound == null || !ceiling(bound, !inclusive)) {
            return last();
        }
        return retreat();
    }

    /**
     * Looks for the newest visible version. Returns whether the next block may hold it.
     *
     * <p>No key is built. As long as all keys so far are below the wanted one, {@code same} is the number of bytes that the
     * last of them has in common with the wanted key. If the next key shares more than {@code same} bytes with the last
     * one, it is below the wanted key too. If it shares fewer, it is above. If it shares exactly {@code same} bytes, it is
     * compared from there on. A key that shares no bytes is always compared, because it may be a restart.
     */
    boolean find(Lookup lookup) {
        byte[] wanted = lookup.key();
        next = restartAt(lastRestartBefore(wanted));
        int same = 0;
        boolean isThere = false;
        while (next < entriesEnd) {
            readEntry();
            if (shared == 0 || (shared == same && !isThere)) {
                int mismatch = mismatchFrom(wanted, shared);
                isThere = mismatch < 0;
                same = isThere ? wanted.length : shared + mismatch;
                if (!isThere && isAbove(wanted, same)) {
                    return false;
                }
            } else if (shared < same || (isThere && unshared > 0)) {
                return false;
            }
            if (isThere && lsn <= lookup.viewLsn()) {
                tell(lookup);
                return false;
            }
        }
        return isThere;
    }

    /** How many bytes the rest of the key has in common with the wanted key from an index on; -1 if both are equal. */
    private int mismatchFrom(byte[] wanted, int from) {
        return Arrays.mismatch(bytes, keyOffset, keyOffset + unshared, wanted, from, wanted.length);
    }

    /** Whether the key is above the wanted one. The two have {@code same} bytes in common. */
    private boolean isAbove(byte[] wanted, int same) {
        int index = same - shared;
        if (index >= unshared || same >= wanted.length) {
            return same >= wanted.length;
        }
        return (bytes[keyOffset + index] & 0xFF) > (wanted[same] & 0xFF);
    }

    private void tell(Lookup lookup) {
        switch (kind) {
            case EntryKind.TOMBSTONE -> lookup.found(lsn, null);
            case EntryKind.VALUE_POINTER -> lookup.foundPointer(lsn, pointer());
            default -> lookup.found(lsn, Arrays.copyOfRange(bytes, valueOffset, valueOffset + valueLength));
        }
    }

    /** The pointer of the current entry, which must have one. */
    ValuePointer pointer() {
        long position = offset + SsTableFormat.FRAME_BYTES + valueOffset - start;
        return ValuePointer.read(new ByteReader(file, position, bytes, valueOffset, valueLength));
    }

    private int lastRestartBefore(byte[] wanted) {
        int low = 0;
        int high = restartCount - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            next = restartAt(middle);
            readEntry();
            if (shared != 0) {
                throw corrupt(entryStart, "a restart shares bytes with the key before it");
            }
            if (Arrays.compareUnsigned(bytes, keyOffset, keyOffset + unshared, wanted, 0, wanted.length) < 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private int restartAt(int index) {
        int relative = (int) INT.get(bytes, entriesEnd + Integer.BYTES * index);
        if (relative < 0 || relative >= entriesEnd - start || (index == 0 && relative != 0)) {
            throw corrupt(entriesEnd, "a restart points outside of its block");
        }
        return start + relative;
    }

    private int u8() {
        if (at >= entriesEnd) {
            throw corrupt(entryStart, "an entry ends outside of its block");
        }
        return bytes[at++] & 0xFF;
    }

    private long varint() {
        int first = u8();
        if (first < 0x80) {
            return first;
        }
        long value = first & 0x7F;
        for (int shift = 7; shift < Long.SIZE; shift += 7) {
            int group = u8();
            value |= (long) (group & 0x7F) << shift;
            if (group < 0x80) {
                return value;
            }
        }
        throw corrupt(entryStart, "a number is longer than 10 bytes");
    }

    private CorruptionException corrupt(int position, String message) {
        return new CorruptionException(file, offset + SsTableFormat.FRAME_BYTES + position - start, message);
    }

    KeyBuffer key() {
        return key;
    }

    long lsn() {
        return lsn;
    }

    int kind() {
        return kind;
    }

    byte[] bytes() {
        return bytes;
    }

    int valueOffset() {
        return valueOffset;
    }

    int valueLength() {
        return valueLength;
    }
}
