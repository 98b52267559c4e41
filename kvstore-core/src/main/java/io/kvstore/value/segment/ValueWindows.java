package io.kvstore.value.segment;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Copies of parts of mapped value segments, one for each segment that a cursor reads in turn. If records are read in the order
 * in which they lie, forwards or backwards, the records that follow are copied too, twice as many bytes each time. One long
 * copy takes a third of the time of many short ones, because the processor waits at the start of each copy. For one thread.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The bytes that were copied do not change in their segment: they are complete up to where the copy ends.
 *   <li>A record is found here only if all of it was copied.
 *   <li>No record is checked here; the caller checks it. The machine reports an unreadable page late, so bytes that were
 *       copied along and cannot be read may be noticed only by that check. So a record that fails the check is copied
 *       {@link #alone} before it counts as damaged.
 * </ol>
 */
public final class ValueWindows {

    /** A longer record always gets a copy of its own. */
    static final int LONGEST_RECORD_BYTES = 2 << 10;

    /** Records with more bytes between them are not copied together. */
    private static final int MOST_GAP_BYTES = 1 << 10;

    /** After this many records in order, the next one is likely to be read too. */
    private static final int PATIENCE = 8;

    /** For fewer entries the last copies would be useless too often. */
    private static final int LEAST_ENTRIES = 256;

    private static final int SMALL_BYTES = 4 << 10;
    private static final int LARGE_BYTES = 16 << 10;
    private static final int MOST_WINDOWS = 8;
    private static final long NO_SEGMENT = -1;
    private static final long NOWHERE = Long.MIN_VALUE / 2;

    private final int patience;
    private final Window[] windows = new Window[MOST_WINDOWS];
    private int used;
    private int oldest;
    private Window last = new Window();

    /** Holds one record alone. */
    private byte[] single = {};

    private boolean isAlone;

    /** @param mostEntries an upper limit for the number of records to be read */
    public ValueWindows(long mostEntries) {
        this.patience = mostEntries < LEAST_ENTRIES ? Integer.MAX_VALUE : PATIENCE;
    }

    /** The copied part of a segment: the record that was read last, or more. */
    private static final class Window {
        private long segment = NO_SEGMENT;
        private long begin = NOWHERE;
        private long end = NOWHERE;
        private int inOrder;

        /** Empty while only single records are copied. */
        private byte[] bytes = {};

        void moveTo(long other) {
            segment = other;
            begin = NOWHERE;
            end = NOWHERE;
            inOrder = 0;
        }

        boolean holds(long offset, int length) {
            return offset >= begin && offset + length <= end;
        }
    }

    /**
     * Makes sure that a record is copied.
     *
     * @param complete the bytes below this offset do not change any more, and include the record
     * @param length of the record, at most {@link #LONGEST_RECORD_BYTES}
     * @return index in {@link #array} at which the record begins
     */
    int place(MemorySegment memory, long complete, ValuePointer pointer, int length) {
        Window window = window(pointer.segment());
        long offset = pointer.offset();
        if (window.inOrder <= patience || !window.holds(offset, length)) {
            boolean goesOn = offset > window.begin && offset <= window.end + MOST_GAP_BYTES;
            boolean goesBack = offset + length < window.end && offset + length >= window.begin - MOST_GAP_BYTES;
            window.inOrder = goesOn || goesBack ? window.inOrder + 1 : 0;
            if (window.inOrder <= patience) {
                return copySingle(window, memory, offset, length);
            }
            long wanted = Math.clamp(2 * (window.end - window.begin), length, LARGE_BYTES);
            long begin = goesBack ? Math.max(0, offset + length - wanted) : offset;
            long end = goesOn ? Math.min(Math.min(complete, memory.byteSize()), offset + wanted) : offset + length;
            try {
                copy(window, memory, begin, end);
            } catch (InternalError e) {
                return copySingle(window, memory, offset, length); // the unreadable bytes may be outside the record
            }
        }
        isAlone = false;
        return (int) (offset - window.begin);
    }

    boolean isAlone() {
        return isAlone;
    }

    /** Copies a record alone, as {@link #place} does for the first ones of a segment. Returns its index in {@link #array}. */
    int alone(MemorySegment memory, ValuePointer pointer, int length) {
        return copySingle(window(pointer.segment()), memory, pointer.offset(), length);
    }

    /** The array with the record that was read last. It is valid until the next record is read. */
    byte[] array() {
        return isAlone ? single : last.bytes;
    }

    private Window window(long segment) {
        if (last.segment == segment) {
            return last;
        }
        int index = 0;
        while (index < used && windows[index].segment != segment) {
            index++;
        }
        if (index == used) {
            index = free();
            windows[index].moveTo(segment);
        }
        last = windows[index];
        return last;
    }

    private int free() {
        if (used < MOST_WINDOWS) {
            windows[used] = new Window();
            return used++;
        }
        int index = oldest;
        oldest = (oldest + 1) % MOST_WINDOWS;
        return index;
    }

    private int copySingle(Window window, MemorySegment memory, long offset, int length) {
        if (single.length == 0) {
            single = new byte[LONGEST_RECORD_BYTES];
        }
        window.begin = offset;
        window.end = offset + length;
        window.inOrder = Math.min(window.inOrder, patience);
        isAlone = true;
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, single, 0, length);
        return 0;
    }

    private static void copy(Window window, MemorySegment memory, long begin, long end) {
        int length = (int) (end - begin);
        window.begin = NOWHERE;
        window.end = NOWHERE;
        if (window.bytes.length < length) {
            window.bytes = new byte[length > SMALL_BYTES ? LARGE_BYTES : SMALL_BYTES];
        }
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, begin, window.bytes, 0, length);
        window.begin = begin;
        window.end = end;
    }
}
