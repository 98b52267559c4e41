package io.kvstore.value;

import io.kvstore.data.Mutation;
import io.kvstore.engine.WriteBlocks;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link ValueStore} grows: the segment that takes records, the memory they are copied into, and the chunks that wait
 * for being written. For the one who writes to the store, but for {@link #waiting}.
 *
 * <p>What is to be written past the system's cache of files is gathered in blocks; where there is none, in arrays up to the end
 * of the segment, because what follows an array need not lie where a block can begin.
 */
final class ValueTail {

    private static final int LEAST_ARRAY_BYTES = 4 << 10;
    private static final int LARGEST_ARRAY_BYTES = 64 << 10;
    private static final TailMemory NONE = new TailArray(new byte[0]);

    private final WriteBlocks blocks;
    private final BooleanSupplier wantsBlocks;
    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<TailMemory> prepared = new ArrayDeque<>();
    private TailMemory memory = NONE;
    private int used;
    private int chunkFrom;
    private long addedBytes;
    private long closedBytes;
    private long closedCountedBytes;
    private int nextArrayBytes = LEAST_ARRAY_BYTES;
    private @Nullable StoredSegment segment;
    private StoredSegment.@Nullable Chunk chunk;

    /** @param wantsBlocks whether what comes is to be written past the cache */
    ValueTail(WriteBlocks blocks, BooleanSupplier wantsBlocks) {
        this.blocks = blocks;
        this.wantsBlocks = wantsBlocks;
    }

    /**
     * A chunk that gets no more records.
     *
     * @param length its bytes
     * @param known of the segment, up to the end of the chunk
     * @param isLast whether the segment ends there
     */
    record Waiting(
            StoredSegment segment, StoredSegment.Chunk chunk, int length, ValueSegmentInfo known, boolean isLast) {

        /** Whether it can be written past the cache. */
        boolean isBlock() {
            return chunk.memory() instanceof TailBlock;
        }

        /** What the budget counts for it, beside the blocks. */
        long countedBytes() {
            return chunk.memory().countedBytes(length);
        }

        /** What it was in is free for others. */
        void release() {
            chunk.memory().release();
        }

        ByteBuffer toBuffer() {
            return chunk.memory().toBuffer(chunk.from(), length);
        }
    }

    /** What is to be written, in order. */
    Queue<Waiting> waiting() {
        return waiting;
    }

    /** The segment that takes records. */
    @Nullable
    StoredSegment segment() {
        return segment;
    }

    /** Has the memory for the values of some mutations at hand; what was reserved before is forgotten. */
    void reserve(List<Mutation> mutations, int leastBytes) {
        forgetPrepared();
        TailMemory last = memory;
        long room = (long) last.capacity() - used;
        for (Mutation mutation : mutations) {
            if (mutation instanceof Mutation.Put(byte[] key, byte[] value) && value.length >= leastBytes) {
                long needed = needed(last, key.length, value.length);
                if (room < needed) {
                    last = newMemory(needed, last);
                    prepared.add(last);
                    room = last.capacity();
                }
                room -= needed;
            }
        }
    }

    private void forgetPrepared() {
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

    /** Begins a segment that takes the records from now on. */
    void begin(StoredSegment next, byte[] header, long recordBytes) {
        if (!(memory instanceof TailBlock)) {
            TailBlock block = takeBlock();
            if (block != null) {
                setMemory(block);
            }
        }
        used = Math.ceilDiv(used, memory.alignmentBytes()) * memory.alignmentBytes();
        makeRoom(header.length + recordBytes);
        segment = next;
        openChunk();
        next.addHeader(header, memory, used);
        used += header.length;
        addedBytes += header.length;
    }

    /** Adds a record to the segment. */
    ValuePointer add(ValueSegmentFormat.Content content) {
        StoredSegment target = segment;
        if (target == null) {
            throw new IllegalStateException("no segment was begun");
        }
        long bytes = content.recordBytes();
        takeRoom(bytes);
        ValuePointer pointer = target.add(content, memory, used);
        used += (int) bytes;
        addedBytes += bytes;
        return pointer;
    }

    /** Has room in the chunk that is open. */
    private void takeRoom(long bytes) {
        if (memory.capacity() - used < bytes) {
            if (memory instanceof TailBlock) {
                addPadding();
            }
            closeChunk(false);
            makeRoom(bytes);
        }
        if (chunk == null) {
            openChunk();
        }
    }

    private void makeRoom(long bytes) {
        if (memory.capacity() - used < bytes) {
            TailMemory next = prepared.poll();
            while (next != null && next.capacity() < bytes) {
                next.release();
                next = prepared.poll();
            }
            setMemory(next == null ? newArray(bytes) : next);
        }
    }

    private void openChunk() {
        if (segment != null) {
            chunk = new StoredSegment.Chunk(segment.end(), memory, used);
            memory.retain();
            chunkFrom = used;
            segment.open(chunk);
        }
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
            target.addPadding(bytes, memory, used);
            used += bytes;
            addedBytes += bytes;
        }
    }

    /** What was added so far waits for being written. */
    void closeChunk(boolean isLast) {
        StoredSegment of = segment;
        int length = chunk == null ? 0 : used - chunkFrom;
        if (of != null && (length > 0 || isLast)) {
            Waiting closed = new Waiting(
                    of,
                    chunk == null ? new StoredSegment.Chunk(of.end(), NONE, 0) : chunk,
                    length,
                    of.use().info(),
                    isLast);
            waiting.add(closed);
            chunk = null;
            closedBytes += length;
            closedCountedBytes += closed.countedBytes();
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
        StoredSegment.Chunk open = chunk;
        chunk = null;
        if (open != null) {
            open.memory().release();
        }
        for (Waiting left = waiting.poll(); left != null; left = waiting.poll()) {
            left.release();
        }
        rest();
    }

    /** Gives the memory back that waits for more records. */
    void rest() {
        setMemory(NONE);
        nextArrayBytes = LEAST_ARRAY_BYTES;
        forgetPrepared();
    }
}
