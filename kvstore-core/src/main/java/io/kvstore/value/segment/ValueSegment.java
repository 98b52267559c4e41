package io.kvstore.value.segment;

import io.kvstore.bytes.Slice;
import io.kvstore.engine.Epochs;
import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.io.NumberedName;
import io.kvstore.io.ReadMapping;
import io.kvstore.io.StorageFile;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An open value segment, or the part of a growing one that is in its file. Each record is checked each time it is read, see
 * {@link ValueRecords}. Safe for any number of threads. A read during or after {@link #close} ends in an {@link IOException}.
 */
public final class ValueSegment implements AutoCloseable {

    /** Passed as the lsn of an entry that does not know it. */
    public static final long ANY_LSN = -1;

    public static final NumberedName NAME = new NumberedName(8, ".val");
    private static final int HEAD = ValueSegmentFormat.RECORD_HEAD_BYTES;
    private static final int TOUCHED_BYTES = 1 << 10;
    private static final int TOUCH_STRIDE_BYTES = 128;
    private static final int LARGEST_RECORD_BYTES = Integer.MAX_VALUE - 8;

    private final StorageFile file;
    private final ValueRecords records;
    private final ReadBuffers buffers;
    private final long number;
    private volatile ValueSegmentInfo info;

    /** A reader enters {@link #epochs} before it reads this field, and stays inside while it uses the mapping. */
    private volatile @Nullable ReadMapping mapping;

    /** Tells when readers have left a mapping. Set before the mapping. Null if there was none. */
    private @Nullable Epochs epochs;

    private volatile @Nullable IOException syncFailure;

    /** The length of the segment when it was last to be mapped. */
    private volatile long triedBytes;

    private final Consumer<ValueSegment> unmappedReads;

    /** Changed by readers and the writer without a lock, as it is only a hint. */
    private ColdSegments.@Nullable Cold cold;

    /** @param unmappedReads told by readers when bytes that could be mapped were read by position */
    public ValueSegment(
            StorageFile file,
            ValueSegmentInfo info,
            int fileTag,
            ReadBuffers buffers,
            Consumer<ValueSegment> unmappedReads) {
        this.file = file;
        this.info = info;
        this.number = info.number();
        this.records = new ValueRecords(file.path(), ValueSegmentFormat.seed(fileTag, number));
        this.buffers = buffers;
        this.unmappedReads = unmappedReads;
    }

    /** Opens a segment and checks its header. Bytes behind its length do not count. If that fails, the caller closes it. */
    public static ValueSegment open(StorageFile file, ValueSegmentInfo info, int fileTag, ReadBuffers buffers)
            throws IOException {
        if (file.size() < info.bytes()) {
            throw new CorruptionException(
                    file.path(), -1, "has " + file.size() + " bytes; it should have " + info.bytes());
        }
        byte[] header = new byte[ValueSegmentFormat.HEADER_BYTES];
        file.readFully(ByteBuffer.wrap(header), 0);
        ValueSegmentFormat.checkHeader(header, file.path(), fileTag, info.number());
        return new ValueSegment(file, info, fileTag, buffers, segment -> {});
    }

    public static String fileName(long number) {
        return NAME.of(number);
    }

    public void grown(ValueSegmentInfo now) {
        info = now;
    }

    /**
     * Reads through this mapping from now on where it has the value. A mapping is replaced while others read, and is closed
     * when no reader is inside, because closing it interrupts the threads that read it.
     */
    public void mapped(ReadMapping next, Epochs readers) {
        ReadMapping before = mapping;
        epochs = readers;
        mapping = next;
        if (before != null) {
            letGo(before);
        }
    }

    private void letGo(ReadMapping before) {
        Objects.requireNonNull(epochs).retireFromUsers(() -> close(before));
    }

    private void close(ReadMapping before) {
        try {
            before.close();
        } catch (IOException e) {
            Notices.warning(ValueSegment.class, path(), "it stays mapped", e);
        }
    }

    /** Called after the mapping was found set: then the epochs are set, too, and stay so until the {@link #exit}. */
    private int enter() {
        return epochs == null ? 0 : epochs.enter();
    }

    private void exit(int ticket) {
        if (epochs != null) {
            epochs.exit(ticket);
        }
    }

    /** Notes that bytes were written that the system's cache of files does not have. */
    public void becomeCold(ColdSegments among) {
        if (cold == null) {
            cold = among.of(path());
        }
    }

    private void noteRead() {
        ColdSegments.Cold now = cold;
        if (now != null && now.noteRead()) {
            cold = null;
        }
    }

    /** Notes that the whole segment is to be mapped now, whether or not that succeeds. For the thread that maps. */
    public void noteTried() {
        triedBytes = info.bytes();
    }

    /** How much the segment grew since it was last to be mapped. The whole length if it never was. */
    public long untriedBytes() {
        return info.bytes() - triedBytes;
    }

    public boolean wasTried() {
        return triedBytes > 0;
    }

    /** Reads a value. Returns a part of one of the windows, which is valid until the next read with them, or a whole array. */
    public Slice read(ValuePointer pointer, ValueRecords.Owner owner, @Nullable ValueWindows windows)
            throws IOException {
        try {
            return readChecked(pointer, owner, windows);
        } catch (CorruptionException e) {
            throw records.lost(e, syncFailure);
        }
    }

    private Slice readChecked(ValuePointer pointer, ValueRecords.Owner owner, @Nullable ValueWindows windows)
            throws IOException {
        long bytes = pointer.recordBytes(owner.keyLength());
        if (pointer.offset() > info.bytes() - bytes || bytes > LARGEST_RECORD_BYTES) {
            throw records.corrupt(pointer.offset(), "a pointer leads behind the end of the file");
        }
        Slice found = mapping == null ? null : readMapped(pointer, owner, windows);
        if (found != null) {
            return found;
        }
        noteUnmapped();
        noteRead();
        byte[] buffer = buffers.take((int) bytes);
        try {
            readFully(buffer, (int) bytes, pointer.offset());
            return Slice.of(records.value(pointer, buffer, 0, owner));
        } finally {
            buffers.give(buffer);
        }
    }

    private @Nullable Slice readMapped(ValuePointer pointer, ValueRecords.Owner owner, @Nullable ValueWindows windows)
            throws IOException {
        long bytes = pointer.recordBytes(owner.keyLength());
        int ticket = enter();
        try {
            ReadMapping mapped = mapping;
            MemorySegment memory = mapped == null ? MemorySegment.NULL : mapped.memory();
            if (pointer.offset() + bytes > memory.byteSize()) {
                return null;
            }
            noteRead();
            return windows == null || bytes > ValueWindows.LONGEST_RECORD_BYTES
                    ? readMapped(memory, pointer, owner)
                    : readMapped(memory, pointer, owner, windows);
        } finally {
            exit(ticket);
        }
    }

    /**
     * The value of a key, if it is at the offset and the segment is mapped; else null.
     *
     * @param lent takes the value if it can; then the answer has {@link LentValue#ELSEWHERE}
     */
    public @Nullable StoredValue tryReadMapped(long offset, byte[] key, @Nullable LentValue lent) {
        if (mapping == null) {
            return null;
        }
        int ticket = enter();
        try {
            ReadMapping mapped = mapping;
            return mapped == null ? null : tryRead(mapped.memory(), offset, key, lent);
        } finally {
            exit(ticket);
        }
    }

    private @Nullable StoredValue tryRead(MemorySegment memory, long offset, byte[] key, @Nullable LentValue lent) {
        long end = memory.byteSize();
        if (offset > end - HEAD - key.length) {
            return null;
        }
        noteRead();
        byte[] headAndKey = new byte[HEAD + key.length];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, headAndKey, 0, headAndKey.length);
        int length = ValueRecords.lengthOfValue(Slice.of(headAndKey), key);
        if (length < 0 || length > end - offset - headAndKey.length) {
            return null;
        }
        if (lent != null && LentValue.isWorthwhile(lent, length) && lend(offset, lent)) {
            return new StoredValue(LentValue.ELSEWHERE, lent.lsn());
        }
        byte[] value = new byte[length];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset + headAndKey.length, value, 0, length);
        long lsn = ValueSegmentFormat.lsn(headAndKey, 0);
        records.check(
                new ValuePointer(number, offset, length),
                headAndKey,
                value,
                new ValueRecords.Owner(key, key.length, lsn));
        return new StoredValue(value, lsn);
    }

    /** Whether the record at the offset is a key's, if the segment is mapped. */
    public Probe.Answer tryProbeMapped(long offset, byte[] key, Probe into) {
        if (mapping == null) {
            return Probe.Answer.UNKNOWN;
        }
        int ticket = enter();
        try {
            ReadMapping mapped = mapping;
            return ValueRecords.probe(mapped == null ? MemorySegment.NULL : mapped.memory(), offset, key, into);
        } finally {
            exit(ticket);
        }
    }

    /** Lends the value of the asked key, if it is at the offset, mapped and sound. Returns whether it was lent. */
    public boolean lend(long offset, LentValue to) {
        Epochs readers = mapping == null || epochs == null ? null : epochs.users();
        if (readers == null) {
            return false;
        }
        int ticket = readers.enter();
        boolean lent = false;
        try {
            ReadMapping mapped = mapping;
            lent = mapped != null && to.take(mapped.memory(), new ValuePointer(number, offset, 0), records, buffers);
        } finally {
            if (lent) {
                to.hold(readers, ticket);
                noteRead();
            } else {
                readers.exit(ticket);
            }
        }
        return lent;
    }

    /** Reads a byte of every second cache line of the first KiB at a pointer, if the segment is mapped. */
    public int touch(ValuePointer pointer) {
        if (mapping == null) {
            return 0;
        }
        int sum = 0;
        int ticket = enter();
        try {
            ReadMapping mapped = mapping;
            MemorySegment memory = mapped == null ? MemorySegment.NULL : mapped.memory();
            long longest = Math.min(pointer.valueLength(), TOUCHED_BYTES);
            long end = Math.min(pointer.offset() + longest, memory.byteSize());
            for (long at = pointer.offset(); at < end; at += TOUCH_STRIDE_BYTES) {
                sum += memory.get(ValueLayout.JAVA_BYTE, at);
            }
            return sum;
        } finally {
            exit(ticket);
        }
    }

    /** Only for a reader in an epoch. */
    public int touchHead(long offset) {
        ReadMapping mapped = mapping;
        MemorySegment memory = mapped == null ? MemorySegment.NULL : mapped.memory();
        return offset < memory.byteSize() ? memory.get(ValueLayout.JAVA_BYTE, offset) : 0;
    }

    private Slice readMapped(MemorySegment memory, ValuePointer pointer, ValueRecords.Owner owner, ValueWindows windows)
            throws IOException {
        int length = (int) pointer.recordBytes(owner.keyLength());
        try {
            int at = windows.place(memory, info.bytes(), pointer, length);
            try {
                return records.slice(pointer, windows.array(), at, owner);
            } catch (CorruptionException e) {
                if (windows.isAlone()) {
                    throw e;
                }
                // bytes copied with the record may be unreadable, which shows late
                at = windows.alone(memory, pointer, length);
                return records.slice(pointer, windows.array(), at, owner);
            }
        } catch (InternalError e) {
            throw unreadable(pointer.offset(), e);
        }
    }

    private Slice readMapped(MemorySegment memory, ValuePointer pointer, ValueRecords.Owner owner) throws IOException {
        byte[] headAndKey = new byte[HEAD + owner.keyLength()];
        byte[] value = new byte[pointer.valueLength()];
        long offset = pointer.offset();
        try {
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, headAndKey, 0, headAndKey.length);
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset + headAndKey.length, value, 0, value.length);
        } catch (InternalError e) {
            throw unreadable(offset, e);
        }
        records.check(pointer, headAndKey, value, owner);
        return Slice.of(value);
    }

    private IOException unreadable(long offset, InternalError cause) {
        return new IOException(file.path() + " could not be read at " + offset + " through its mapping", cause);
    }

    private void readFully(byte[] buffer, int bytes, long offset) throws IOException {
        if (mapping != null && copyMapped(buffer, bytes, offset)) {
            return;
        }
        try {
            file.readFully(ByteBuffer.wrap(buffer, 0, bytes), offset);
        } catch (EOFException e) {
            throw records.corrupt(offset, "the file was cut off while it was in use");
        }
    }

    private boolean copyMapped(byte[] buffer, int bytes, long offset) throws IOException {
        int ticket = enter();
        try {
            ReadMapping mapped = mapping;
            if (mapped == null || offset + bytes > mapped.memory().byteSize()) {
                return false;
            }
            MemorySegment.copy(mapped.memory(), ValueLayout.JAVA_BYTE, offset, buffer, 0, bytes);
            return true;
        } catch (InternalError e) {
            throw unreadable(offset, e);
        } finally {
            exit(ticket);
        }
    }

    /** Notes that the next read may not be mapped, if the file grew since it was last to be mapped. */
    private void noteUnmapped() {
        if (untriedBytes() > 0) {
            unmappedReads.accept(this);
        }
    }

    public void walk(RecordVisitor visitor) throws IOException {
        noteUnmapped();
        walk(info.bytes(), visitor);
    }

    private void walk(long end, RecordVisitor visitor) throws IOException {
        byte[] head = new byte[HEAD];
        for (long at = ValueSegmentFormat.HEADER_BYTES; at < end; ) {
            byte[] record = readRecord(at, end, head);
            if (ValueSegmentFormat.kindAndFlags(record, 0) == ValueSegmentFormat.VALUE) {
                show(at, ValueRecords.unpack(record), visitor);
            }
            at += record.length;
        }
    }

    /** The record at an offset. */
    public ValueRecord record(long at) throws IOException {
        noteUnmapped();
        noteRead();
        try {
            return records.meant(at, readRecord(at, info.bytes(), new byte[HEAD]));
        } catch (CorruptionException e) {
            throw records.lost(e, syncFailure);
        }
    }

    /** Of the record at an offset. It is not checked. */
    public ValueRecord.Head head(long at) throws IOException {
        noteUnmapped();
        int bytes = Math.clamp(info.bytes() - at, HEAD, ValueRecords.USUAL_HEAD_AND_KEY_BYTES);
        byte[] head = {};
        while (bytes > head.length) {
            head = new byte[bytes];
            readFully(head, bytes, at);
            bytes = ValueRecords.headAndKeyBytes(Slice.of(head));
        }
        return ValueRecords.headOf(Slice.of(head));
    }

    public void visit(long at, RecordVisitor visitor) throws IOException {
        show(at, records.meant(at, readRecord(at, info.bytes(), new byte[HEAD])), visitor);
    }

    private void show(long at, ValueRecord record, RecordVisitor visitor) throws IOException {
        visitor.record(new ValuePointer(number, at, record.value().length), record.key(), record.lsn(), record.value());
    }

    private byte[] readRecord(long at, long end, byte[] head) throws IOException {
        if (end - at < HEAD) {
            throw records.corrupt(at, "ends within a value");
        }
        readFully(head, HEAD, at);
        int valueLength = ValueSegmentFormat.valueLength(head, 0);
        long bytes = ValueSegmentFormat.recordBytes(ValueSegmentFormat.keyLength(head, 0), valueLength);
        if (valueLength < 0 || bytes > end - at || bytes > LARGEST_RECORD_BYTES) {
            throw records.corrupt(at, "a value ends behind the end of the file");
        }
        byte[] record = new byte[(int) bytes];
        readFully(record, record.length, at);
        records.check(at, record, record.length);
        return record;
    }

    public void verify(Findings findings) throws IOException {
        try {
            ValueSegmentInfo expected = info;
            long[] count = new long[1];
            walk(expected.bytes(), (pointer, key, lsn, value) -> {
                findings.requireGoing();
                count[0]++;
            });
            if (count[0] != expected.records()) {
                throw records.corrupt(-1, "has " + count[0] + " values; it should have " + expected.records());
            }
        } catch (CorruptionException e) {
            findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
        }
    }

    /** Makes the bytes that were written durable. A failure is final: bytes that were not durable before may be lost. */
    public void sync() throws IOException {
        try {
            file.sync();
        } catch (IOException e) {
            syncFailure = e;
            throw e;
        }
    }

    public StorageFile target() {
        return file;
    }

    public ValueSegmentInfo info() {
        return info;
    }

    public String path() {
        return file.path();
    }

    @Override
    public void close() throws IOException {
        ReadMapping mapped = mapping;
        mapping = null;
        try (file) {
            if (mapped != null) {
                letGo(mapped);
            }
        }
    }
}
