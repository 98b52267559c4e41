package io.kvstore.value.append;

import io.kvstore.data.Mutation;
import io.kvstore.io.StorageFile;
import io.kvstore.memory.WriteBlocks;
import io.kvstore.value.segment.RecordEncoder;
import io.kvstore.value.segment.ValueSegmentFormat;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The growing end of a {@code ValueLog}: the segment that takes records, the memory into which they are copied, and the
 * chunks that wait for being written. For the thread that writes to the store, except {@link #waiting}.
 *
 * <p>Bytes that are to be written past the system's cache of files are gathered in blocks. When no block is free, the rest of
 * the segment is gathered in arrays, because the place behind an array need not be one where a block can begin.
 *
 * <p>An operation is in the log before its values are added, so adding them must not fail. {@link #reserve} allocates the
 * memory, chunks and segments that the values need if they are added in the given order. Some values may be left out. Where
 * padding is shorter than planned, a part of the reserved memory is left for later.
 */
final class ValueTail {

    private static final int LEAST_ARRAY_BYTES = 4 << 10;
    private static final int LARGEST_ARRAY_BYTES = 64 << 10;

    private final WriteBlocks blocks;
    private final BooleanSupplier wantsBlocks;
    private final Supplier<Begun> segments;
    private final WaitingChunks waiting = new WaitingChunks();
    private final RecordEncoder record = new RecordEncoder();
    private final ArrayDeque<TailMemory> prepared = new ArrayDeque<>();

    /** How many segments are to be begun up to and including the first that begins in a block; 0 if none does. */
    private int beginsToBlock;

    /** Segments without records, in the order in which they will be used. */
    private final List<Begun> begun = new ArrayList<>();

    private @Nullable TailChunk spare;
    private int spares;
    private TailMemory memory = TailArray.EMPTY;
    private int used;
    private int chunkFrom;
    private long addedBytes;
    private long closedBytes;
    private long closedCountedBytes;
    private int nextArrayBytes = LEAST_ARRAY_BYTES;
    private @Nullable StoredSegment segment;
    private long mostBytes;
    private @Nullable TailChunk chunk;

    ValueTail(WriteBlocks blocks, BooleanSupplier wantsBlocks, Supplier<Begun> segments) {
        this.blocks = blocks;
        this.wantsBlocks = wantsBlocks;
        this.segments = segments;
    }

    /** A segment without records. It gets no more of them when it would become longer than {@code mostBytes}. */
    record Begun(StoredSegment segment, byte[] header, long mostBytes) {}

    WaitingChunks waiting() {
        return waiting;
    }

    @Nullable
    StoredSegment segment() {
        return segment;
    }

    /** Allocates what the values of the mutations need, in their order. Forgets memory that was reserved before. */
    void reserve(List<Mutation> mutations, int leastBytes) {
        forgetPrepared();
        Plan plan = null;
        for (int i = 0; i < mutations.size(); i++) {
            if (mutations.get(i) instanceof Mutation.Put(byte[] key, byte[] value) && value.length >= leastBytes) {
                record.reserveKey(key.length);
                if (plan == null && mutations.size() == 1 && hasAll(key.length, value.length)) {
                    return;
                }
                plan = plan == null ? new Plan() : plan;
                plan.add(key.length, value.length);
            }
        }
        if (plan != null) {
            addSpares(prepared.size() + 2 * plan.begins + 1);
        }
    }

    /** Whether the present memory, segment and chunk suffice for one value, as they mostly do. */
    private boolean hasAll(int keyLength, int valueLength) {
        StoredSegment target = segment;
        return target != null
                && !target.isSealed()
                && memory.capacity() - used >= needed(memory, keyLength, valueLength)
                && target.end() + ValueSegmentFormat.recordBytes(keyLength, valueLength) <= mostBytes
                && (chunk != null || spares > 0);
    }

    /** Simulates where the values of an operation will be placed, one after the other. */
    private final class Plan {

        private TailMemory last = memory;
        private long room = (long) memory.capacity() - used;
        private long most = mostBytes;
        private long end;
        private boolean isEmpty;
        private int begins;

        private Plan() {
            StoredSegment target = segment;
            if (target == null || target.isSealed()) {
                end = Long.MAX_VALUE / 2;
            } else {
                end = target.end();
                isEmpty = target.recordCount() == 0;
            }
        }

        private void add(int keyLength, int valueLength) {
            long bytes = ValueSegmentFormat.recordBytes(keyLength, valueLength);
            if (!isEmpty && end + bytes > most) {
                begin();
            }
            long needed = needed(last, keyLength, valueLength);
            if (room < needed) {
                end += last instanceof TailBlock ? 2 * ValueSegmentFormat.SYNCED_UNIT_BYTES : 0; // the block is padded
                follow(newMemory(needed, last));
            }
            room -= needed;
            end += bytes;
            isEmpty = false;
        }

        private void begin() {
            if (begins == begun.size()) {
                begun.add(segments.get());
            }
            most = begun.get(begins).mostBytes;
            begins++;
            end = ValueSegmentFormat.HEADER_BYTES;
            TailBlock block = last instanceof TailBlock ? null : takeBlock();
            if (block != null) {
                follow(block);
                beginsToBlock = beginsToBlock == 0 ? begins : beginsToBlock;
            }
        }

        private void follow(TailMemory next) {
            prepared.add(next);
            last = next;
            room = next.capacity();
        }
    }

    private void addSpares(int wanted) {
        while (spares < wanted) {
            TailChunk more = new TailChunk();
            more.next = spare;
            spare = more;
            spares++;
        }
    }

    private TailChunk takeSpare() {
        TailChunk taken = spare;
        if (taken == null) {
            return new TailChunk();
        }
        spare = taken.next;
        taken.next = null;
        spares--;
        return taken;
    }

    private void forgetPrepared() {
        beginsToBlock = 0;
        if (!prepared.isEmpty()) {
            prepared.forEach(TailMemory::release);
            prepared.clear();
        }
    }

    /** The most that a record may take: it may be the first of a segment. */
    private static long needed(TailMemory memory, int keyLength, int valueLength) {
        return alignmentBytes(memory)
                + ValueSegmentFormat.HEADER_BYTES
                + ValueSegmentFormat.recordBytes(keyLength, valueLength);
    }

    /** The first byte of a segment is placed at a multiple of this. */
    private static int alignmentBytes(TailMemory memory) {
        return memory instanceof TailBlock ? StorageFile.UNCACHED_UNIT_BYTES : 1;
    }

    /** The least size of the next array. */
    int arrayBytes() {
        return nextArrayBytes;
    }

    /** Allocates memory for a record. A block can follow only a block, because only a block is padded to its end. */
    private TailMemory newMemory(long needed, TailMemory before) {
        TailBlock block = before instanceof TailBlock && needed <= TailBlock.CAPACITY_BYTES ? takeBlock() : null;
        return block == null ? newArray(needed) : block;
    }

    private @Nullable TailBlock takeBlock() {
        TailBlock block = wantsBlocks.getAsBoolean() ? TailBlock.of(blocks) : null;
        if (block != null) {
            block.retain();
        }
        return block;
    }

    private TailArray newArray(long needed) {
        TailArray result = new TailArray(new byte[Math.toIntExact(Math.max(nextArrayBytes, needed))]);
        nextArrayBytes = Math.min(2 * nextArrayBytes, LARGEST_ARRAY_BYTES);
        return result;
    }

    private void setMemory(TailMemory next) {
        memory.release();
        memory = next;
        used = 0;
    }

    /** Adds a value to the growing segment, which must not be full. Returns its offset in the segment. */
    long add(byte[] key, long lsn, byte[] value) {
        StoredSegment target = segment;
        if (target == null) {
            throw new IllegalStateException("no segment was begun");
        }
        takeRoom(ValueSegmentFormat.recordBytes(key.length, value.length));
        record.set(key, lsn, value);
        long offset = target.end();
        memory.put(used, record, target.seed(), offset);
        target.added(record.bytes());
        noteAdded(record.bytes());
        record.clear();
        return offset;
    }

    private void noteAdded(long bytes) {
        used += (int) bytes;
        addedBytes += bytes;
    }

    /** Whether a record of the given length needs a new segment. */
    boolean isFull(long recordBytes) {
        StoredSegment target = segment;
        return target == null
                || target.isSealed()
                || (target.recordCount() > 0 && target.end() + recordBytes > mostBytes);
    }

    /** Begins a segment, which takes the records from now on, with room for its header and a first record of that length. */
    void begin(long recordBytes) {
        Begun next = begun.isEmpty() ? segments.get() : begun.removeFirst();
        beginBlock();
        used = Math.ceilDiv(used, alignmentBytes(memory)) * alignmentBytes(memory);
        makeRoom(next.header.length + recordBytes);
        segment = next.segment;
        mostBytes = next.mostBytes;
        openChunk(next.segment);
        next.segment.addHeader(next.header, memory, used);
        used += next.header.length;
        addedBytes += next.header.length;
    }

    /** Switches to blocks if one was reserved for this segment. Arrays reserved before it were for the previous segment. */
    private void beginBlock() {
        boolean isNow = beginsToBlock == 1;
        beginsToBlock = Math.max(0, beginsToBlock - 1);
        while (isNow && !(memory instanceof TailBlock) && !prepared.isEmpty()) {
            setMemory(prepared.remove());
        }
    }

    /** Makes room in the open chunk, or opens one. */
    private void takeRoom(long bytes) {
        StoredSegment target = segment;
        if (memory.capacity() - used < bytes) {
            if (memory instanceof TailBlock) {
                addPadding();
            }
            closeChunk(false);
            makeRoom(bytes);
        }
        if (chunk == null && target != null) {
            openChunk(target);
        }
    }

    private void makeRoom(long bytes) {
        if (memory.capacity() - used < bytes) {
            TailMemory next = prepared.poll();
            while (next != null && (next.capacity() < bytes || !mayFollow(next))) {
                next.release();
                next = prepared.poll();
            }
            setMemory(next == null ? newArray(bytes) : next);
        }
    }

    private boolean mayFollow(TailMemory next) {
        return memory instanceof TailBlock || next instanceof TailArray;
    }

    private void openChunk(StoredSegment target) {
        TailChunk next = takeSpare();
        next.open(target, memory, used);
        chunk = next;
        chunkFrom = used;
        target.open(next);
    }

    long addedBytes() {
        return addedBytes;
    }

    /** Adds padding behind the records that were added so far, so that a later write may begin there. */
    void pad() {
        if (paddingBytes() > 0) {
            takeRoom(paddingBytes());
            addPadding();
        }
    }

    private int paddingBytes() {
        StoredSegment target = segment;
        return target == null || target.isSealed() ? 0 : ValueSegmentFormat.paddingBytes(target.end());
    }

    private void addPadding() {
        StoredSegment target = segment;
        int bytes = paddingBytes();
        if (target != null && bytes > 0) {
            record.setPadding(bytes);
            memory.put(used, record, target.seed(), target.end());
            target.padded(bytes);
            noteAdded(bytes);
        }
    }

    /** Closes the open chunk and queues it for writing. */
    void closeChunk(boolean isLast) {
        StoredSegment of = segment;
        int length = chunk == null ? 0 : used - chunkFrom;
        if (of != null && (length > 0 || isLast)) {
            TailChunk closed = chunk;
            if (closed == null) {
                closed = takeSpare();
                closed.open(of, TailArray.EMPTY, 0);
            }
            closed.close(length, isLast);
            chunk = null;
            closedBytes += length;
            closedCountedBytes += closed.countedBytes();
            waiting.add(closed);
        }
    }

    /** How many bytes were queued for writing since {@link #forgetClosedBytes}. */
    long closedBytes() {
        return closedBytes;
    }

    /** How many of these bytes the budget counts. */
    long closedCountedBytes() {
        return closedCountedBytes;
    }

    void forgetClosedBytes() {
        closedBytes = 0;
        closedCountedBytes = 0;
    }

    /** Gives all memory back, including the bytes that were not written. */
    void close() {
        TailChunk open = chunk;
        chunk = null;
        if (open != null) {
            open.release();
        }
        for (TailChunk left = waiting.poll(); left != null; left = waiting.poll()) {
            left.release();
        }
        rest();
    }

    void rest() {
        setMemory(TailArray.EMPTY);
        nextArrayBytes = LEAST_ARRAY_BYTES;
        forgetPrepared();
    }
}
