package io.kvstore.bplus.buffer;

import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.page.Node;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.memory.UnusedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory outside the heap for pages of one unit. The pool takes it from the store's budget in chunks as it is needed, and keeps
 * it until the table is closed. A small pool doubles, and a large one grows by a fourth or less. So a table takes little that
 * it does not need. A table of more than 128 MiB takes pieces of 32 MiB, to which glibc gives a mapping of their own, so that
 * they go back to the machine when the table is closed. Of smaller pieces glibc keeps some unless it is told not to. The
 * machine can back pieces of some MiB with huge pages, where it is told to.
 *
 * <p>Clearing 32 MiB, with the time in which the machine finds them, takes tens of milliseconds. So a chunk that will be needed
 * soon can be taken {@linkplain #beginGrowth ahead}, by a thread for which no other one waits. A table that stops growing at
 * that moment keeps the chunk.
 *
 * <p>A chunk whose frames are free can be {@linkplain #unlink taken out} for others that need memory. Its place stays, with the
 * numbers of its frames, for another chunk of the same size. The owner guards the pool, except for members that say otherwise.
 */
final class FramePool {

    private static final Arena GONE = Arena.global();
    private static final int LEAST_CHUNK_FRAMES = 16;
    private static final int MOST_CHUNK_FRAMES = 8_192;

    /** A pool with fewer frames doubles. */
    private static final int SMALL_POOL_FRAMES = 2_048;

    /**
     * A chunk of a larger pool is at most this part of it, so that few frames are there before they are needed. It is a power
     * of two, so that places of chunks that were taken out fit later ones.
     */
    private static final int GROWTH_PART = 4;

    /** A pool with fewer frames takes no chunk ahead: clearing its next chunk is over before it is noticed. */
    private static final int LEAST_AHEAD_FRAMES = 256;

    /** The next chunk is taken ahead when the free frames are below this part of the most that a chunk has. */
    private static final int AHEAD_PART = 16;

    private final MemoryBudget budget;
    private int capacityFrames;
    private int mostFrames;

    /** One for each chunk; {@link #GONE} for a chunk that was taken out. */
    private final List<Arena> arenas = new ArrayList<>();

    private final List<Integer> firstFrames = new ArrayList<>();

    private int numbers;

    /** The memory of the chunks, empty where one was taken out. Replaced at each change, and never shorter. */
    private volatile MemorySegment[] memories = {};

    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private int frames;
    private volatile int freeFrames;

    /** With fewer free frames it is time to take more; 0 while more are on their way, or if no more are to be had. */
    private volatile int lowFrames;

    private int comingFrames;

    private volatile boolean isSpent;
    private boolean closed;

    public FramePool(MemoryBudget budget, long capacityBytes) {
        this.budget = budget;
        limit(capacityBytes);
    }

    /** Sets the most bytes of all frames. Frames beyond that stay, and go when others need their memory. */
    void limit(long capacityBytes) {
        capacityFrames = (int) Math.min(Integer.MAX_VALUE, capacityBytes / PageFile.UNIT_BYTES);
        mostFrames = Math.clamp(capacityFrames / 4, 2, MOST_CHUNK_FRAMES);
        isSpent = frames >= capacityFrames;
    }

    private static long bytesOf(int count) {
        return (long) count * PageFile.UNIT_BYTES;
    }

    long bytes() {
        return bytesOf(frames);
    }

    /** How many frames are free. For a thread that does not guard the pool, how many were free a moment ago. */
    int freeFrames() {
        return freeFrames;
    }

    /** Whether another chunk as large as this pool's last ones could not be had a while ago. For any thread. */
    boolean isSpent() {
        return isSpent;
    }

    private int leastFrames() {
        return Math.min(LEAST_CHUNK_FRAMES, mostFrames);
    }

    /** The frames of the next chunk, within the capacity if possible; only those needed while a large chunk is on its way. */
    private int nextFrames(int needed) {
        int part = frames < SMALL_POOL_FRAMES ? frames : Integer.highestOneBit(frames / GROWTH_PART);
        int next = Math.clamp(comingFrames > 0 ? needed : part, leastFrames(), mostFrames);
        return Math.clamp(capacityFrames - frames - comingFrames, leastFrames(), next);
    }

    /** Takes another chunk if the budget has it, or a smaller one. Several chunks may be needed for {@code needed} frames. */
    boolean tryGrow(int needed) {
        for (int count = nextFrames(needed); count >= leastFrames(); count /= 2) {
            if (budget.tryTake(MemoryBudget.Use.PAGE_BUFFER, bytesOf(count))) {
                addChunk(count);
                return true;
            }
        }
        isSpent = true;
        budget.noteMissing(PageFile.UNIT_BYTES); // one page is evicted for want of it
        return false;
    }

    /** Takes another chunk, whatever the budget says. */
    void grow(int needed) {
        if (!tryGrow(needed)) {
            budget.take(MemoryBudget.Use.PAGE_BUFFER, bytesOf(leastFrames()));
            addChunk(leastFrames());
        }
    }

    /** Whether it is time to {@linkplain #beginGrowth take a chunk ahead}. For any thread, as of a moment ago. */
    boolean isLow() {
        return freeFrames < lowFrames;
    }

    /** Takes the next chunk from the budget. Returns how many frames {@link #grown} is to be given, or 0 for none. */
    int beginGrowth() {
        if (closed || !isLow()) {
            return 0;
        }
        lowFrames = 0;
        int count = nextFrames(0);
        comingFrames = budget.tryTake(MemoryBudget.Use.PAGE_BUFFER, bytesOf(count)) ? count : 0;
        if (comingFrames == 0) {
            isSpent = true;
        }
        return comingFrames;
    }

    /** Memory for this many frames, cleared. The pool need not be guarded meanwhile. */
    static Grown allocate(int count) {
        Arena arena = Arena.ofShared();
        try {
            return new Grown(arena, arena.allocate(bytesOf(count), PageFile.UNIT_BYTES));
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }

    record Grown(Arena arena, MemorySegment memory) {}

    /** Called after {@link #beginGrowth}, with the memory or null. Without memory the budget gets its bytes back. */
    void grown(@Nullable Grown grown) {
        int count = comingFrames;
        comingFrames = 0;
        if (grown == null || closed) {
            budget.release(MemoryBudget.Use.PAGE_BUFFER, bytesOf(count));
            if (grown != null) {
                grown.arena.close();
            }
        } else {
            add(count, grown);
        }
    }

    private void addChunk(int count) {
        Grown grown;
        try {
            grown = allocate(count);
        } catch (OutOfMemoryError e) {
            budget.release(MemoryBudget.Use.PAGE_BUFFER, bytesOf(count));
            throw e;
        }
        add(count, grown);
    }

    private void add(int count, Grown grown) {
        int chunk = placeFor(count);
        MemorySegment[] more = Arrays.copyOf(memories, Math.max(memories.length, chunk + 1));
        more[chunk] = grown.memory;
        if (chunk == arenas.size()) {
            arenas.add(grown.arena);
            firstFrames.add(numbers);
            numbers += count;
        } else {
            arenas.set(chunk, grown.arena);
        }
        memories = more;
        int first = firstFrames.get(chunk);
        frames += count; // before any of them is free: if adding one fails, no frame is given twice
        for (int i = count - 1; i >= 0; i--) {
            free.push(first + i);
        }
        freeFrames = free.size();
        isSpent = frames >= capacityFrames || !budget.hasRoom(MemoryBudget.Use.PAGE_BUFFER, bytesOf(nextFrames(0)));
        boolean isEnough = comingFrames > 0 || frames < LEAST_AHEAD_FRAMES || frames >= capacityFrames;
        lowFrames = isEnough ? 0 : Math.min(frames, mostFrames) / AHEAD_PART;
    }

    /** The index of a chunk of this many frames that was taken out, or else the index behind all chunks. */
    private int placeFor(int count) {
        int chunk = 0;
        while (chunk < arenas.size() && !(arenas.get(chunk).equals(GONE) && framesOf(chunk) == count)) {
            chunk++;
        }
        return chunk;
    }

    private int framesOf(int chunk) {
        int end = chunk + 1 < firstFrames.size() ? firstFrames.get(chunk + 1) : numbers;
        return end - firstFrames.get(chunk);
    }

    /** How many chunks there are, with those that were taken out. */
    int chunks() {
        return arenas.size();
    }

    int chunkOf(int frame) {
        return chunkOf(place(frame));
    }

    /** Takes a chunk out whose frames are all free. If they are not, returns null and changes nothing. */
    UnusedMemory.@Nullable Given unlink(int chunk) {
        Arena arena = arenas.get(chunk);
        int first = firstFrames.get(chunk);
        int count = framesOf(chunk);
        List<Integer> others = free.stream()
                .filter(frame -> frame < first || frame >= first + count)
                .toList();
        if (arena.equals(GONE) || others.size() + count != free.size()) {
            return null;
        }
        free.clear();
        free.addAll(others);
        freeFrames = free.size();
        frames -= count;
        arenas.set(chunk, GONE);
        MemorySegment[] fewer = memories.clone();
        fewer[chunk] = MemorySegment.NULL;
        memories = fewer;
        return new UnusedMemory.Given(bytesOf(count), () -> {
            arena.close();
            budget.release(MemoryBudget.Use.PAGE_BUFFER, bytesOf(count));
        });
    }

    /** Takes a free frame. There must be one. */
    int take() {
        int frame = free.pop();
        freeFrames = free.size();
        return frame;
    }

    void give(int frame) {
        free.push(frame);
        freeFrames = free.size();
    }

    public MemorySegment memory(int frame) {
        long place = place(frame);
        return memories[chunkOf(place)].asSlice(offsetOf(place), PageFile.UNIT_BYTES);
    }

    /** The place of the memory of a frame, for {@link #touch}. It is not negative. */
    long place(int frame) {
        int at = firstFrames.size() - 1;
        while (firstFrames.get(at) > frame) {
            at--;
        }
        return (long) at << Integer.SIZE | bytesOf(frame - firstFrames.get(at));
    }

    private static int chunkOf(long place) {
        return (int) (place >>> Integer.SIZE);
    }

    private static long offsetOf(long place) {
        return place & 0xFFFF_FFFFL;
    }

    /** As {@link Node#touch}, for the bytes that are at a place now. For any thread. */
    int touch(long place, int bytes) {
        MemorySegment memory = memories[chunkOf(place)];
        return offsetOf(place) < memory.byteSize() ? Node.touch(memory, offsetOf(place), bytes) : 0;
    }

    /** Gives all memory back. No thread may use it any more. */
    void close() {
        budget.release(MemoryBudget.Use.PAGE_BUFFER, bytes());
        frames = 0;
        firstFrames.clear();
        free.clear();
        lowFrames = 0;
        closed = true;
        arenas.stream().filter(arena -> !arena.equals(GONE)).forEach(Arena::close);
        arenas.clear();
    }
}
