package io.kvstore.value.segment;

import io.kvstore.bytes.Slice;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.Epochs;
import io.kvstore.error.CorruptionException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The value of one key, to be shown to code of the user where it lies: in a mapped segment. The mapping stays until this is
 * closed. A search that finds the value elsewhere, or a record that is not sound, lends nothing, and goes on as it would
 * without this object. For one thread.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The buffer that user code gets is read-only, and of the mapping's own arena. So a buffer that was kept shows the same
 *       value until the mapping is closed, and throws {@link IllegalStateException} from then on. The bytes of a segment never
 *       change, and its file is not used again while the store is open.
 *   <li>The checksum is computed over copies of parts. The processor's instruction for it must not meet a part of the disk that
 *       cannot be read: there the JVM would end, while a copy throws {@link InternalError}.
 * </ol>
 */
public final class LentValue implements AutoCloseable {

    /** Stands for a value that was lent, where its bytes are not asked for. */
    public static final byte[] ELSEWHERE = {};

    /** A copy of fewer bytes takes no more time than lending does, and a reader may keep a copy. */
    private static final int LEAST_BYTES = 8 << 10;

    /** Bytes that are copied at a time to be checked: they stay in the nearest cache of the processor. */
    private static final int PART_BYTES = 16 << 10;

    private static final int HEAD = ValueSegmentFormat.RECORD_HEAD_BYTES;

    private final byte[] key;
    private @Nullable MemorySegment bytes;
    private long lsn;
    private @Nullable Epochs readers;
    private int ticket;

    public LentValue(byte[] key) {
        this.key = key;
    }

    /** Whether a value of this length is to be lent, if there is somebody to lend it to. */
    public static boolean isWorthwhile(@Nullable LentValue to, int length) {
        return to != null && length >= LEAST_BYTES;
    }

    /** The lsn of the write that put the value. */
    public long lsn() {
        return lsn;
    }

    /** The length of the value; -1 if none was lent. */
    public int length() {
        MemorySegment lent = bytes;
        return lent == null ? -1 : Math.toIntExact(lent.byteSize());
    }

    /** The caller has entered the epochs that protect the mapping. This object leaves them. */
    void hold(Epochs entered, int itsTicket) {
        readers = entered;
        ticket = itsTicket;
    }

    /** Takes the value of the record at an offset, if it is that of the key, and sound. */
    boolean take(MemorySegment memory, ValuePointer at, ValueRecords records, ReadBuffers buffers) {
        long end = memory.byteSize() - at.offset();
        int keyEnd = HEAD + key.length;
        if (end < keyEnd || !memory.isNative()) {
            return false;
        }
        byte[] part = buffers.take(keyEnd + PART_BYTES); // room for a part of the value behind any key
        try {
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at.offset(), part, 0, keyEnd);
            int length = ValueRecords.lengthOfValue(new Slice(part, 0, keyEnd), key);
            if (length < 0 || length > end - keyEnd) {
                return false;
            }
            long foundLsn = ValueSegmentFormat.lsn(part, 0);
            ValuePointer pointer = new ValuePointer(at.segment(), at.offset(), length);
            MemorySegment value = memory.asSlice(at.offset() + keyEnd, length);
            CRC32C crc = new CRC32C();
            crc.update(part, Integer.BYTES, keyEnd - Integer.BYTES);
            addBehind(part, keyEnd, value, crc);
            records.check(pointer, part, crc, new ValueRecords.Owner(key, key.length, foundLsn));
            lsn = foundLsn;
            bytes = value.asReadOnly();
            return true;
        } catch (CorruptionException | InternalError e) {
            return false; // the search goes on, and reports it
        } finally {
            buffers.give(part);
        }
    }

    /** Adds the bytes of a value to a checksum, through the room of an array that is behind the head and key of its record. */
    private static void addBehind(byte[] part, int from, MemorySegment value, CRC32C crc) {
        long length = value.byteSize();
        for (long done = 0; done < length; ) {
            int count = (int) Math.min(length - done, part.length - from);
            MemorySegment.copy(value, ValueLayout.JAVA_BYTE, done, part, from, count);
            crc.update(part, from, count);
            done += count;
        }
    }

    /**
     * Passes an answer to code of the user: the value that was lent, if the answer need not wait for the log; else a copy of
     * it, or the value that was read, after everything was given back and the wait is over.
     *
     * @param found the value, or {@link #ELSEWHERE} if it was lent; null for an absent key
     * @param answerLsn what the answer rests on
     * @param barrier null if the answer never waits
     */
    public <T extends @Nullable Object> T pass(
            byte @Nullable [] found,
            long answerLsn,
            @Nullable DurabilityBarrier barrier,
            Function<@Nullable ByteBuffer, T> reader) {
        byte[] value = found;
        try (this) {
            MemorySegment lent = bytes;
            if (lent != null) {
                if (barrier == null || barrier.isPassed(answerLsn)) {
                    return reader.apply(lent.asByteBuffer());
                }
                value = lent.toArray(ValueLayout.JAVA_BYTE);
            }
        }
        if (barrier != null) {
            barrier.beforeAnswer(answerLsn);
        }
        return reader.apply(value == null ? null : ByteBuffer.wrap(value).asReadOnlyBuffer());
    }

    /** Gives the value back, if one was lent. */
    @Override
    public void close() {
        Epochs entered = readers;
        readers = null;
        bytes = null;
        if (entered != null) {
            entered.exit(ticket);
        }
    }
}
