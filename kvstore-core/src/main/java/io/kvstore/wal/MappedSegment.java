package io.kvstore.wal;

import io.kvstore.io.WritableMapping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Records are copied into a mapping of the preallocated segment: they survive the process at once. For stores whose default
 * is {@code BUFFERED}.
 *
 * <h2>Traps</h2>
 *
 * <ul>
 *   <li>A store into a page that cannot be brought in fails late or elsewhere: after each copy one word of every touched
 *       page is read back and compared, and a difference is an error before anything is acknowledged.
 *   <li>The first store into a page of a mapping waits until the system has it ready, for about as long as the rest of a put
 *       takes. So the log has pages {@link #populate populated} ahead of where it is written.
 *   <li>Accesses and forces throw unchecked errors: the log treats every {@link Throwable} as final.
 *   <li>Only the mapping makes bytes durable, by {@link WritableMapping#force} or, when the segment is full, by {@link
 *       WritableMapping#forceAndClose}; there is no second way to the same file.
 * </ul>
 */
final class MappedSegment implements LogSegment {

    private static final int PAGE_BYTES = 4096;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SHARED_WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle ARRAY_WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long id;
    private final String path;
    private final WritableMapping mapping;
    private final MemorySegment memory;
    private long syncedEnd;
    private long capturedEnd;

    /** Held while pages are populated, so that nobody unmaps them meanwhile. */
    private final Object populating = new Object();

    private volatile boolean unmapped;

    MappedSegment(long id, String path, WritableMapping mapping) {
        this.id = id;
        this.path = path;
        this.mapping = mapping;
        this.memory = mapping.memory();
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public long capacity() {
        return memory.byteSize();
    }

    @Override
    public void reserve(long bytes) {
        // the mapping is all it needs
    }

    @Override
    public boolean hasPages() {
        return true;
    }

    /** Adds nothing to a word of each page, in one step: whatever is stored there at the same time stays. */
    @Override
    public void populate(long from, long to) {
        long last = Math.min(to, capacity()) - Long.BYTES;
        synchronized (populating) {
            for (long at = from & -PAGE_BYTES; !unmapped && at <= last; at += PAGE_BYTES) {
                long _ = (long) SHARED_WORD.getAndAdd(memory, at, 0L);
            }
        }
    }

    /** From now on nobody populates pages. */
    private void endPopulating() {
        unmapped = true;
        synchronized (populating) {
            return; // having waited for the one who was in the middle of it is the point
        }
    }

    @Override
    public void put(byte[] source, int from, int length, long offset) {
        MemorySegment.copy(source, from, memory, ValueLayout.JAVA_BYTE, offset, length);
        readBack(source, from, length, offset);
    }

    /** Compares the last word of every page that the bytes touch. */
    void readBack(byte[] source, int from, int length, long offset) {
        long end = offset + length;
        for (long at = offset; at < end; ) {
            long pageEnd = Math.min(end, (at / PAGE_BYTES + 1) * PAGE_BYTES);
            boolean same;
            if (pageEnd - at >= Long.BYTES) {
                long last = pageEnd - Long.BYTES;
                same = memory.get(WORD, last) == (long) ARRAY_WORD.get(source, from + (int) (last - offset));
            } else {
                same = memory.get(ValueLayout.JAVA_BYTE, pageEnd - 1) == source[from + (int) (pageEnd - 1 - offset)];
            }
            if (!same) {
                throw new IllegalStateException(path + " does not hold what was written at " + at);
            }
            at = pageEnd;
        }
    }

    @Override
    public void capture(long end) {
        capturedEnd = end;
    }

    @Override
    public void land() {
        // stores into a mapping have landed when they return
    }

    @Override
    public void sync() throws IOException {
        if (capturedEnd > syncedEnd) {
            mapping.force(syncedEnd, capturedEnd - syncedEnd);
            syncedEnd = capturedEnd;
        }
    }

    @Override
    public void finish() throws IOException {
        endPopulating();
        mapping.forceAndClose();
    }

    @Override
    public void close() throws IOException {
        endPopulating();
        mapping.close();
    }
}
