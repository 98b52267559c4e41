package io.kvstore.wal.segment;

import io.kvstore.bytes.Checksum;
import io.kvstore.error.Notices;
import io.kvstore.io.WritableMapping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A segment whose records are copied into a mapping of the preallocated file, so that they survive the process at once. For
 * stores whose default is {@code BUFFERED}.
 *
 * <h2>Traps</h2>
 *
 * <ul>
 *   <li>A store into a page that cannot be brought in fails late or elsewhere. So after each copy one word of every touched
 *       page is read back and compared. A difference is an error before anything is acknowledged.
 *   <li>The first store into a page of a mapping waits until the system has the page ready, which takes about as long as the
 *       rest of a put. So the log has pages {@link #populate populated} ahead of its end.
 *   <li>Accesses and forces throw unchecked errors, so the log treats every {@link Throwable} as final.
 *   <li>Bytes become durable only through the mapping, by {@link WritableMapping#force} or
 *       {@link WritableMapping#forceAndClose}. The file is not written or synced in any other way.
 *   <li>Forcing a page interrupts every core that runs the process. A large part is therefore forced in another way, for
 *       example when a checkpoint needs the log durable in the middle of a segment. The leader maps the file once more, and
 *       {@link #capture} moves writers to the new mapping. The old mapping is unmapped and then forced, as the mapping of a
 *       full segment is.
 * </ul>
 *
 * <p>{@link #memory} is used under the log's lock, and under {@link #populating} by threads that populate pages.
 * {@link #capture} changes {@link #memory}. So a thread that has held both locks since then knows that no thread uses the old
 * mapping any more.
 */
public final class MappedSegment implements LogSegment {

    private static final int PAGE_BYTES = 4096;

    /** The segment is mapped anew if more than {@code 1 / RENEWED_PART} of it is to be forced. */
    private static final int RENEWED_PART = 16;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SHARED_WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle ARRAY_WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long id;
    private final String path;
    private final long capacity;
    private WritableMapping mapping;
    private volatile MemorySegment memory;
    private long syncedEnd;
    private long capturedEnd;

    /** The mapping that will replace {@link #mapping}. Like {@link #retired}, which was replaced, only the leader uses it. */
    private @Nullable WritableMapping next;

    private @Nullable WritableMapping retired;

    /** Held while pages are populated, so that no thread unmaps them meanwhile. */
    private final Object populating = new Object();

    private volatile boolean unmapped;

    public MappedSegment(long id, String path, WritableMapping mapping) {
        this.id = id;
        this.path = path;
        this.mapping = mapping;
        this.memory = mapping.memory();
        this.capacity = memory.byteSize();
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
        return capacity;
    }

    @Override
    public void reserve(long bytes) {
        // the mapping is all the memory that a put needs
    }

    @Override
    public boolean hasPages() {
        return true;
    }

    /** Adds zero to a word of each page atomically, so that a store to the same word at the same time is not lost. */
    @Override
    public void populate(long from, long to) {
        long last = Math.min(to, capacity) - Long.BYTES;
        synchronized (populating) {
            MemorySegment target = memory;
            for (long at = from & -PAGE_BYTES; !unmapped && at <= last; at += PAGE_BYTES) {
                long _ = (long) SHARED_WORD.getAndAdd(target, at, 0L);
            }
        }
    }

    /** Waits for a thread that populates pages. Afterwards no thread populates pages any more. */
    private void endPopulating() {
        unmapped = true;
        awaitPopulating();
    }

    private void awaitPopulating() {
        synchronized (populating) {
            return; // the point is to have waited for a thread that was populating
        }
    }

    /**
     * If the copy differs from the source, either the caller changed the source meanwhile, or the bytes did not arrive. A
     * second put, from a private copy of the source, tells which.
     */
    @Override
    public void put(byte[] source, int from, int length, long offset) {
        MemorySegment.copy(source, from, memory, ValueLayout.JAVA_BYTE, offset, length);
        if (lostAt(source, from, length, offset) >= 0) {
            byte[] own = Arrays.copyOfRange(source, from, from + length);
            MemorySegment.copy(own, 0, memory, ValueLayout.JAVA_BYTE, offset, length);
            readBack(own, 0, length, offset);
        }
    }

    @Override
    public int checksum(long offset, int length) {
        return Checksum.of(memory, offset, length);
    }

    /** Compares the last word of every page that the bytes touch, and throws if one differs. */
    public void readBack(byte[] source, int from, int length, long offset) {
        long lost = lostAt(source, from, length, offset);
        if (lost >= 0) {
            throw new IllegalStateException(path + " does not hold what was written at " + lost);
        }
    }

    private long lostAt(byte[] source, int from, int length, long offset) {
        MemorySegment target = memory;
        long end = offset + length;
        for (long at = offset; at < end; ) {
            long pageEnd = Math.min(end, (at / PAGE_BYTES + 1) * PAGE_BYTES);
            boolean same;
            if (pageEnd - at >= Long.BYTES) {
                long last = pageEnd - Long.BYTES;
                same = target.get(WORD, last) == (long) ARRAY_WORD.get(source, from + (int) (last - offset));
            } else {
                same = target.get(ValueLayout.JAVA_BYTE, pageEnd - 1) == source[from + (int) (pageEnd - 1 - offset)];
            }
            if (!same) {
                return at;
            }
            at = pageEnd;
        }
        return -1;
    }

    @Override
    public void prepareSync(long end) {
        if (end - syncedEnd > capacity / RENEWED_PART && next == null) {
            try {
                next = mapping.renew();
            } catch (IOException e) {
                Notices.warning(
                        MappedSegment.class,
                        path,
                        "it could not be mapped once more, so that its sync takes longer",
                        e);
            }
        }
    }

    @Override
    public void capture(long end) {
        capturedEnd = end;
        WritableMapping renewed = next;
        if (renewed != null) {
            retired = mapping;
            mapping = renewed;
            memory = renewed.memory();
            next = null;
        }
    }

    @Override
    public void land() {
        // stores into a mapping have landed when they return
    }

    @Override
    public void sync() throws IOException {
        if (retired != null) {
            forceRetired();
        } else if (capturedEnd > syncedEnd) {
            mapping.force(syncedEnd, capturedEnd - syncedEnd);
        }
        syncedEnd = capturedEnd;
    }

    private void forceRetired() throws IOException {
        WritableMapping before = retired;
        if (before != null) {
            awaitPopulating();
            before.forceAndClose();
            retired = null;
        }
    }

    @Override
    public void finish() throws IOException {
        endPopulating();
        forceRetired();
        mapping.forceAndClose();
    }

    @Override
    public void close() throws IOException {
        endPopulating();
        try (WritableMapping _ = next;
                WritableMapping _ = retired) {
            mapping.close();
        }
    }
}
