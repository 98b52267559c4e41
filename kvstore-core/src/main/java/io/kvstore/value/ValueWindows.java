package io.kvstore.value;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Copies of parts of mapped value segments, one of each of the segments that a cursor reads in turn. Where records are asked
 * for in the order in which they lie, forwards or backwards, the next ones are copied along, twice as many bytes each time: one
 * long copy takes a third of the time of many short ones, at the beginning of which the processor waits. For one thread.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>What was copied does not change in its segment: it is complete up to where the copy ends.
 *   <li>A record is found here only if all of it was copied.
 *   <li>Nothing is checked here: who takes a record checks it. If what is copied along cannot be read, that may show only then,
 *       for the machine tells of it late; so a record that is wrong is copied {@link #alone} before it counts as damaged.
 * </ol>
 */
public final class ValueWindows {

    /** Longer records are worth a copy of their own. */
    static final int LONGEST_RECORD_BYTES = 2 << 10;

    /** Records with more bytes between them are not copied together. */
    private static final int MOST_GAP_BYTES = 1 << 10;

    /** So many records one after the other make it likely that the next one is asked for. */
    private static final int PATIENCE = 8;

    /** For fewer entries the last copies would be in vain too often. */
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

    /** Has one record alone. */
    private byte[] single = {};

    private boolean isAlone;

    /**
     * Without a copy of anything.
     *
     * @param mostEntries how many records are asked for at most
     */
    public ValueWindows(long mostEntries) {
        this.patience = mostEntries < LEAST_ENTRIES ? Integer.MAX_VALUE : PATIENCE;
    }

    /** What was copied of a segment: the record before, or more. */
    private static final class Window {
        private long segment = NO_SEGMENT;
        private long begin = NOWHERE;
        private long end = NOWHERE;
        private int inOrder;

        /** Empty as long as single records are copied. */
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
     * Makes sure that there is a copy of a record.
     *
     * @param memory of its segment
     * @param complete what is below does not change any more, and has all of the record
     * @param length how long the record is, at most {@link #LONGEST_RECORD_BYTES}
     * @return where it begins in {@link #array}
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
                return copySingle(window, memory, offset, length); // what cannot be read may be what nobody asked for
            }
        }
        isAlone = false;
        return (int) (offset - window.begin);
    }

    /** Whether the record that was asked for last was copied without others. */
    boolean isAlone() {
        return isAlone;
    }

    /** Copies a record without others, as {@link #place} does for the first ones of a segment. */
    int alone(MemorySegment memory, ValuePointer pointer, int length) {
        return copySingle(window(pointer.segment()), memory, pointer.offset(), length);
    }

    /** Holds the record that was asked for last, until another one is. */
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
