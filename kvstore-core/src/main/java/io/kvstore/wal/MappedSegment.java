package io.kvstore.wal;

import io.kvstore.error.Notices;
import io.kvstore.io.WritableMapping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

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
 *   <li>Only the mapping makes bytes durable, by {@link WritableMapping#force} or by {@link WritableMapping#forceAndClose};
 *       there is no second way to the same file.
 *   <li>To force a page interrupts every core that runs the process. So where much is to be forced, as when a checkpoint needs
 *       the log durable in the middle of a segment, the leader maps the file once more, {@link #capture} has writers go on in
 *       that mapping, and the one before is unmapped and then forced, as a full segment is.
 * </ul>
 *
 * <p>{@link #memory} is used under the log's lock, and by who populates pages, who holds {@link #populating} for that. {@link
 * #capture} changes it. So whoever has held both since then knows that nobody uses the mapping before.
 */
final class MappedSegment implements LogSegment {

    private static final int PAGE_BYTES = 4096;

    /** Where more than this part of the segment is to be forced, it is mapped anew. */
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

    /** The leader's: what takes the place of the mapping, and what had that place. */
    private @Nullable WritableMapping next;

    private @Nullable WritableMapping retired;

    /** Held while pages are populated, so that nobody unmaps them meanwhile. */
    private final Object populating = new Object();

    private volatile boolean unmapped;

    MappedSegment(long id, String path, WritableMapping mapping) {
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
        // the mapping is all it needs
    }

    @Override
    public boolean hasPages() {
        return true;
    }

    /** Adds nothing to a word of each page, in one step: whatever is stored there at the same time stays. */
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

    /** From now on nobody populates pages. */
    private void endPopulating() {
        unmapped = true;
        awaitPopulating();
    }

    private void awaitPopulating() {
        synchronized (populating) {
            return; // having waited for the one who was in the middle of it is the point
        }
    }

    /** What differs once it was copied has changed, or did not arrive: bytes that nobody else has tell which. */
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
        CRC32C crc = new CRC32C();
        crc.update(memory.asSlice(offset, length).asByteBuffer());
        return (int) crc.getValue();
    }

    /** Compares the last word of every page that the bytes touch. */
    void readBack(byte[] source, int from, int length, long offset) {
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
