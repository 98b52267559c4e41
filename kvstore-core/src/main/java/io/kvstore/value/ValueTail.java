package io.kvstore.value;

import io.kvstore.data.Mutation;
import io.kvstore.engine.WriteBlocks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link ValueStore} grows: the segment that takes records, the memory they are copied into, and the chunks that wait
 * for being written. For the one who writes to the store, but for {@link #waiting}.
 *
 * <p>What is to be written past the system's cache of files is gathered in blocks; where there is none, in arrays up to the end
 * of the segment, because what follows an array need not lie where a block can begin.
 *
 * <p>An operation is in the log before its values are added, so that takes nothing that may be missing then: {@link #reserve}
 * foresees which memory, chunks and segments they need, if they are added in the order in which it is told of them. Some may be
 * left out. Where padding takes less than it expects, something of what was reserved is left for later.
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

    /** With so many segments more begun, the first of them that is in a block begins; 0 if none is. */
    private int beginsToBlock;

    /** Segments without records yet; they keep their order. */
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

    /**
     * Nothing is begun yet.
     *
     * @param wantsBlocks whether what comes is to be written past the cache
     * @param segments makes one after the other
     */
    ValueTail(WriteBlocks blocks, BooleanSupplier wantsBlocks, Supplier<Begun> segments) {
        this.blocks = blocks;
        this.wantsBlocks = wantsBlocks;
        this.segments = segments;
    }

    /**
     * A segment without records.
     *
     * @param mostBytes it gets no more records when it would become longer
     */
    record Begun(StoredSegment segment, byte[] header, long mostBytes) {}

    /** What is to be written, in order. */
    WaitingChunks waiting() {
        return waiting;
    }

    /** The segment that takes records. */
    @Nullable
    StoredSegment segment() {
        return segment;
    }

    /** Has at hand what the values of some mutations need, in their order; memory that was reserved before is forgotten. */
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

    /** Whether one value needs nothing more, as is so most of the time. */
    private boolean hasAll(int keyLength, int valueLength) {
        StoredSegment target = segment;
        return target != null
                && !target.isSealed()
                && memory.capacity() - used >= needed(memory, keyLength, valueLength)
                && target.end() + ValueSegmentFormat.recordBytes(keyLength, valueLength) <= mostBytes
                && (chunk != null || spares > 0);
    }

    /** What an operation's values will find, one after the other. */
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
                end += last instanceof TailBlock ? 2 * ValueSegmentFormat.SYNCED_UNIT_BYTES : 0; // it is padded
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

    /** What a record may take: it may be the first of a segment. */
    private static long needed(TailMemory memory, int keyLength, int valueLength) {
        return memory.alignmentBytes()
                + ValueSegmentFormat.HEADER_BYTES
                + ValueSegmentFormat.recordBytes(keyLength, valueLength);
    }

    /** How large the next array is, at least. */
    int arrayBytes() {
        return nextArrayBytes;
    }

    /** A block can follow a block only, because what is in one is padded to its end. */
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

    /**
     * Adds a value to the segment that grows, which is not full.
     *
     * @return where in the segment it is
     */
    long add(byte[] key, long lsn, byte[] value) {
        StoredSegment target = segment;
        if (target == null) {
            throw new IllegalStateException("no segment was begun");
        }
        takeRoom(ValueSegmentFormat.recordBytes(key.length, value.length));
        record.set(key, lsn, value);
        long offset = addRecord(target);
        record.clear();
        return offset;
    }

    private long addRecord(StoredSegment target) {
        long offset = target.add(record, memory, used);
        used += (int) record.bytes();
        addedBytes += record.bytes();
        return offset;
    }

    /** Whether the segment that grows takes a record of so many bytes, or there is none. */
    boolean isFull(long recordBytes) {
        StoredSegment target = segment;
        return target == null
                || target.isSealed()
                || (target.recordCount() > 0 && target.end() + recordBytes > mostBytes);
    }

    /** Begins a segment that takes the records from now on; the first of so many bytes. */
    void begin(long recordBytes) {
        Begun next = begun.isEmpty() ? segments.get() : begun.removeFirst();
        beginBlock();
        used = Math.ceilDiv(used, memory.alignmentBytes()) * memory.alignmentBytes();
        makeRoom(next.header.length + recordBytes);
        segment = next.segment;
        mostBytes = next.mostBytes;
        openChunk(next.segment);
        next.segment.addHeader(next.header, memory, used);
        used += next.header.length;
        addedBytes += next.header.length;
    }

    /** Goes over to blocks, if one was reserved for this segment: arrays ahead of it were for the segment before. */
    private void beginBlock() {
        boolean isNow = beginsToBlock == 1;
        beginsToBlock = Math.max(0, beginsToBlock - 1);
        while (isNow && !(memory instanceof TailBlock) && !prepared.isEmpty()) {
            setMemory(prepared.remove());
        }
    }

    /** Has room in the chunk that is open. */
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

    /** Bytes that were added to segments, with their headers and all padding. */
    long addedBytes() {
        return addedBytes;
    }

    /** Ends what was added so far where later writes may begin. */
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
            addRecord(target);
        }
    }

    /** What was added so far waits for being written. */
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

    /** How many bytes began to wait for being written since {@link #forgetClosedBytes}. */
    long closedBytes() {
        return closedBytes;
    }

    /** How many of them the budget is to count. */
    long closedCountedBytes() {
        return closedCountedBytes;
    }

    /** They are known. */
    void forgetClosedBytes() {
        closedBytes = 0;
        closedCountedBytes = 0;
    }

    /** Gives all memory back, with what was not written. */
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

    /** Gives the memory back that waits for more records. */
    void rest() {
        setMemory(TailArray.EMPTY);
        nextArrayBytes = LEAST_ARRAY_BYTES;
        forgetPrepared();
    }
}
