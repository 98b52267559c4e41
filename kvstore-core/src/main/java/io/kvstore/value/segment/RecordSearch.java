package io.kvstore.value.segment;

import io.kvstore.bytes.Checksum;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the whole records of a segment that may be damaged anywhere. Behind damage the next record is looked for byte by byte,
 * because a damaged head does not say where the next one is. A checksum covers the place of its record, so a record in a value
 * is none. For one thread.
 */
public final class RecordSearch {

    private static final int HEAD = ValueSegmentFormat.RECORD_HEAD_BYTES;
    private static final int WINDOW_BYTES = 64 << 10;

    /** What of a disk is lost as a whole at least, where a byte of it cannot be read. */
    private static final int UNIT_BYTES = 4 << 10;

    /** All searches end when so many times the length of the segment was checked: values may be full of seeming heads. */
    private static final int MOST_CHECKS = 16;

    /** So does the search behind one damage, so that others have their turn. */
    private static final int MOST_CHECKS_OF_ONE = 4;

    private final StorageFile file;
    private final ValueRecords records;
    private final long number;
    private final long end;
    private final byte[] window = new byte[WINDOW_BYTES];
    private long windowStart;
    private int windowBytes;
    private long checkedBytes;
    private boolean isSearched;

    /** Is told of each part of the segment in which no record is whole. */
    @FunctionalInterface
    public interface Lost {
        /** @param wasSearched whether the whole part was searched; if not, there may be whole records in it */
        void lost(long from, long to, boolean wasSearched);
    }

    /** @param bytes the length of the segment */
    public RecordSearch(StorageFile file, long number, long bytes, int fileTag) {
        this.file = file;
        this.records = new ValueRecords(file.path(), ValueSegmentFormat.seed(fileTag, number));
        this.number = number;
        this.end = bytes;
    }

    /** Shows all whole records, in the order of their offsets. What the visitor throws is thrown. */
    public void run(RecordVisitor visitor, Lost losses) throws IOException {
        long at = ValueSegmentFormat.HEADER_BYTES;
        while (at < end) {
            byte[] record = recordAt(at);
            if (record == null) {
                long next = nextBehind(at);
                losses.lost(at, next, isSearched);
                at = next;
                continue;
            }
            if (ValueSegmentFormat.kindAndFlags(record, 0) == ValueSegmentFormat.VALUE) {
                ValueRecord whole = ValueRecords.unpack(record);
                ValuePointer pointer = new ValuePointer(number, at, whole.value().length);
                visitor.record(pointer, whole.key(), whole.lsn(), whole.value());
            }
            at += record.length;
        }
    }

    /** Whether there are only zeros in a part of the segment. */
    public boolean isZero(long from, long to) {
        for (long at = from; at < to; at++) {
            if (!load(at, 1) || window[(int) (at - windowStart)] != 0) {
                return false;
            }
        }
        return true;
    }

    /** Null if no whole record begins there. */
    private byte @Nullable [] recordAt(long at) {
        long bytes = statedBytes(at);
        if (bytes < 0 || (bytes > WINDOW_BYTES && !isSound(at, bytes))) {
            return null; // a long one is checked before there is memory for it
        }
        byte[] record = new byte[(int) bytes];
        try {
            if (load(at, record.length)) {
                System.arraycopy(window, (int) (at - windowStart), record, 0, record.length);
            } else {
                file.readFully(ByteBuffer.wrap(record), at);
            }
            records.check(at, record, record.length);
            return record;
        } catch (CorruptionException | IOException e) {
            return null; // the caller reports the place
        }
    }

    /** The length that a head says, or -1 if no record that ends in the segment has such a head. */
    private long statedBytes(long at) {
        if (!load(at, HEAD)) {
            return -1;
        }
        int head = (int) (at - windowStart);
        int kind = ValueSegmentFormat.kindAndFlags(window, head);
        int valueLength = ValueSegmentFormat.valueLength(window, head);
        long bytes = ValueSegmentFormat.recordBytes(ValueSegmentFormat.keyLength(window, head), valueLength);
        boolean isHead = (kind == ValueSegmentFormat.VALUE || kind == ValueSegmentFormat.PADDING)
                && valueLength >= 0
                && bytes <= Math.min(end - at, Integer.MAX_VALUE - 8);
        return isHead ? bytes : -1;
    }

    private long nextBehind(long damaged) {
        isSearched = true;
        long before = checkedBytes;
        long at = damaged + 1;
        while (at <= end - HEAD) {
            if (!load(at, HEAD)) {
                at = (at / UNIT_BYTES + 1) * UNIT_BYTES;
                continue;
            }
            long bytes = statedBytes(at);
            if (bytes >= 0) {
                checkedBytes += bytes;
                if (checkedBytes / MOST_CHECKS > end || (checkedBytes - before) / MOST_CHECKS_OF_ONE > end) {
                    return nextByHead(damaged);
                }
                if (isSound(at, bytes)) {
                    return at;
                }
            }
            at++;
        }
        return end;
    }

    /** Where the head of a damaged record says that the next one begins, if that holds; else the end. */
    private long nextByHead(long damaged) {
        long bytes = statedBytes(damaged);
        long next = damaged + bytes;
        long nextBytes = bytes < 0 ? -1 : statedBytes(next);
        boolean isNext = nextBytes >= 0 && isSound(next, nextBytes);
        isSearched = isNext;
        return isNext ? next : end;
    }

    private boolean isSound(long at, long bytes) {
        if (!load(at, HEAD)) {
            return false;
        }
        int checksum = ValueSegmentFormat.checksum(window, (int) (at - windowStart));
        CRC32C crc = new CRC32C();
        long next = at + Integer.BYTES;
        while (next < at + bytes) {
            if (!load(next, 1)) {
                return false;
            }
            int from = (int) (next - windowStart);
            int count = (int) Math.min(at + bytes - next, windowBytes - from);
            crc.update(window, from, count);
            next += count;
        }
        return Checksum.seeded(records.seed(), at, crc) == checksum;
    }

    /** Reads a window that has so many bytes from a place on, unless it is there. Returns false if that is not possible. */
    private boolean load(long at, int bytes) {
        if (at >= windowStart && at + bytes <= windowStart + windowBytes) {
            return true;
        }
        if (bytes > WINDOW_BYTES || at + bytes > end) {
            return false;
        }
        int inUnit = (int) (UNIT_BYTES - at % UNIT_BYTES);
        return tryRead(at, (int) Math.min(WINDOW_BYTES, end - at))
                || (inUnit > bytes && tryRead(at, (int) Math.min(inUnit, end - at)))
                || tryRead(at, bytes);
    }

    private boolean tryRead(long at, int bytes) {
        windowBytes = 0;
        try {
            file.readFully(ByteBuffer.wrap(window, 0, bytes), at);
        } catch (IOException e) {
            return false; // the caller reports the place, or reads less
        }
        windowStart = at;
        windowBytes = bytes;
        return true;
    }
}
