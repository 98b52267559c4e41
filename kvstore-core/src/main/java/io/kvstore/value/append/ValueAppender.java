package io.kvstore.value.append;

import io.kvstore.data.Mutation;
import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.TableContext;
import io.kvstore.error.Notices;
import io.kvstore.error.OverloadedException;
import io.kvstore.io.RefusedException;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.memory.MemoryHolder;
import io.kvstore.value.segment.ValueSegmentFormat;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Appends values to segments. A new segment begins when the present one is full. Records are written to the file later, in
 * large pieces; a record is in memory until its file has it. One thread at a time appends, reserves and seals. Any thread may
 * write, wait and ask.
 */
public final class ValueAppender {

    /** Writers wait while more bytes than this wait for the disk. */
    private static final long MAX_WAITING_BYTES = 16 << 20;

    private static final int WORTHWHILE_ARRAYS = 16;

    /** While more than half of the budget is used, a write begins when this part of the budget waits. */
    private static final int SHORT_PART = 128;

    private final TableContext context;
    private final ValueSegmentFiles files;
    private final Consumer<StoredSegment> sealed;
    private final ValueTail tail;
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicLong countedBytes = new AtomicLong();
    private final BackgroundTask writing;

    private final HeldTail holder = new HeldTail();

    /** A write begins when this many bytes wait: to wake a thread takes as long as dozens of puts. */
    private volatile long worthwhileBytes;

    /** Why the system took no bytes, if the write can be tried again. */
    private volatile @Nullable RefusedException refused;

    private volatile boolean failed;

    public ValueAppender(
            TableContext context,
            ValueSegmentFiles files,
            LongSupplier segmentBytes,
            LongSupplier numbers,
            Consumer<StoredSegment> sealed) {
        this.context = context;
        this.files = files;
        this.sealed = sealed;
        this.writing =
                new BackgroundTask(context.background(), context.background().waiter(), this::writeBehind);
        this.tail = new ValueTail(
                context.memory().writeBlocks(),
                files::passesCache,
                () -> files.begin(numbers.getAsLong(), segmentBytes.getAsLong()));
        if (!context.readOnly()) {
            context.memory().add(holder);
        }
    }

    /** The memory of chunks that wait for the disk. They are written when others need the memory. */
    private final class HeldTail implements MemoryHolder {

        private volatile long lastTaken;

        @Override
        public long reclaimableBytes() {
            return writing.isRequested() ? 0 : countedBytes.get();
        }

        @Override
        public long comingBytes() {
            return writing.isRequested() ? countedBytes.get() : 0;
        }

        @Override
        public long lastTaken() {
            return lastTaken;
        }

        @Override
        public void giveBack(long bytes) {
            writing.requestAgain();
        }
    }

    public void admit() {
        long bytes = waitingBytes.get();
        if (bytes == 0 || context.readOnly() || !(isShort() || isWorthwhile(bytes))) {
            return;
        }
        writing.request();
        if (isShort()) {
            context.memory().askFor(MemoryBudget.Use.VALUE_TAIL, bytes);
        }
        if (!hasRoom()) {
            writing.requestAgain(); // the run that is under way may have looked at what waits before this value came
            boolean hasRoom = context.background()
                    .waiter()
                    .await(() -> hasRoom() || refused != null || failed, context.stallTimeoutMillis());
            if (failed && isCongested()) {
                throw new OverloadedException(
                        context.directory() + ": values could not be written, as the log of the program says");
            }
            if (!hasRoom) {
                throw new OverloadedException(
                        context.directory() + ": the disk takes values more slowly than they come; write less, or raise"
                                + " stallTimeoutMillis");
            }
        }
    }

    private boolean isWorthwhile(long bytes) {
        long total = context.memory().totalBytes();
        return bytes >= worthwhileBytes
                || (bytes >= total / SHORT_PART && context.memory().usedBytes() > total / 2);
    }

    /** Whether a writer may go on: not too many bytes wait, or none if the store is short of memory. */
    private boolean hasRoom() {
        return !isCongested() && !(isShort() && waitingBytes.get() > 0);
    }

    private boolean isShort() {
        return context.memory().isShortOfTail();
    }

    public boolean isCongested() {
        return waitingBytes.get() > MAX_WAITING_BYTES;
    }

    private void writeBehind() {
        boolean written = false;
        try {
            while (write() > 0 && isWorthwhile(waitingBytes.get())) {
                // chunks that were added meanwhile
            }
            written = true;
        } catch (RefusedException e) {
            Notices.debug(ValueAppender.class, context.directory(), "values wait until the system takes them", e);
        } catch (IOException e) {
            Notices.error(ValueAppender.class, context.directory(), "values could not be written", e);
        }
        if (written && isCongested()) {
            writing.requestAgain(); // for writers that came when this task was about to end
        }
    }

    /** Writes the chunks that wait when this is called, without syncing. Returns how many. */
    public int write() throws IOException {
        boolean succeeded = false;
        @Nullable RefusedException refusal = null;
        try {
            int count = files.write(tail.waiting(), this::written);
            succeeded = true;
            return count;
        } catch (RefusedException e) {
            refusal = e;
            throw e;
        } finally {
            refused = refusal;
            failed = !succeeded && refusal == null;
            context.background().waiter().signal(); // for threads that wait for memory
        }
    }

    /**
     * Releases the memory of a chunk that is in its file. Wakes the waiting writers only when there is room again; after most
     * chunks there is none yet.
     */
    private void written(TailChunk chunk) {
        long left = waitingBytes.addAndGet(-chunk.length());
        countedBytes.addAndGet(-chunk.countedBytes());
        context.memory().release(MemoryBudget.Use.VALUE_TAIL, chunk.countedBytes());
        chunk.release();
        if (left <= MAX_WAITING_BYTES && left + chunk.length() > MAX_WAITING_BYTES) {
            context.background().waiter().signal();
        }
    }

    public @Nullable RefusedException refusal() {
        return hasRoom() ? null : refused;
    }

    public void reserve(List<Mutation> mutations, int leastBytes) {
        tail.reserve(mutations, leastBytes);
    }

    public long append(byte[] key, long lsn, byte[] value) {
        long bytes = ValueSegmentFormat.recordBytes(key.length, value.length);
        if (tail.isFull(bytes)) {
            seal();
            tail.begin(bytes);
        }
        long offset = tail.add(key, lsn, value);
        noteWaiting();
        return offset;
    }

    public long appendedTo() {
        StoredSegment current = tail.segment();
        return current == null ? 0 : current.number();
    }

    private void noteWaiting() {
        if (tail.closedBytes() > 0) {
            waitingBytes.addAndGet(tail.closedBytes());
            countedBytes.addAndGet(tail.closedCountedBytes());
            context.memory().take(MemoryBudget.Use.VALUE_TAIL, tail.closedCountedBytes());
            holder.lastTaken = context.memory().everTakenBytes();
            tail.forgetClosedBytes();
            worthwhileBytes = (long) WORTHWHILE_ARRAYS * tail.arrayBytes();
        }
    }

    public @Nullable StoredSegment growing() {
        StoredSegment current = tail.segment();
        return current == null || current.isSealed() ? null : current;
    }

    public void seal() {
        StoredSegment ended = tail.segment();
        if (ended != null && !ended.isSealed()) {
            tail.closeChunk(true);
            noteWaiting();
            ended.seal();
            sealed.accept(ended);
        }
    }

    /** Queues all added records for the disk. Pads the segment, so that the next record begins where a write may begin. */
    public void pad() {
        tail.pad();
        tail.closeChunk(false);
        noteWaiting();
    }

    public long addedBytes() {
        return tail.addedBytes();
    }

    public void rest() {
        tail.rest();
    }

    public long waitingBytes() {
        return waitingBytes.get();
    }

    /** Gives up the bytes that were not written yet. The files must be closed before. */
    public void close() {
        context.memory().remove(holder);
        try {
            tail.close();
        } finally {
            waitingBytes.set(0);
            context.memory().release(MemoryBudget.Use.VALUE_TAIL, countedBytes.getAndSet(0));
        }
    }
}
