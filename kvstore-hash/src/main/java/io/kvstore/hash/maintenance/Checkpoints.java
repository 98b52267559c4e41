package io.kvstore.hash.maintenance;

import io.kvstore.engine.FileHold;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Measures;
import io.kvstore.error.Notices;
import io.kvstore.hash.file.IndexFile;
import io.kvstore.hash.index.EntryWord;
import io.kvstore.hash.index.PageCopy;
import io.kvstore.hash.table.IndexChanges;
import io.kvstore.hash.table.TableState;
import io.kvstore.io.NoSpaceException;
import io.kvstore.value.ValueHold;
import io.kvstore.value.ValueStore;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Makes the state of the index durable, one state after the other, while writers go on. The index file has images of pages, and
 * changes in their order. No place is used twice, so the state of a commit is: the places of the images and those that were
 * added since the first image, without those that were dropped since. It does not matter when a page is copied for its image.
 *
 * <p>Mostly a checkpoint writes the changes since the one before. When the file has more changes than half of the table's
 * entries, it writes a new file with images of all pages; the last one before the table is closed does so earlier. First the
 * values that a commit leads to are written and synced; then the log is made durable up to its operation; then the commit is
 * written.
 */
public final class Checkpoints {

    /** With fewer changes than this a file is not worth being written anew. */
    private static final long LEAST_CHANGES = 4_096;

    /**
     * A file is written anew when it has one change for so many entries. With fewer changes opening is faster, which makes them
     * one by one, and each of them costs more bytes of images.
     */
    private static final long ENTRIES_A_CHANGE = 2;

    /**
     * The same for the checkpoint before the table is closed. To make a change at opening takes as long as to write so many
     * entries to images.
     */
    private static final long ENTRIES_A_CHANGE_AT_LAST = 16;

    private static final long NANOS_OF_MILLI = 1_000_000;

    private final TableState state;
    private final IndexFile file;
    private final ReentrantLock checkpointing = new ReentrantLock();
    private final AtomicLong made = new AtomicLong();
    private final AtomicLong images = new AtomicLong();

    /** Segments to which the index does not lead any more, and which a view needs or needed. Guarded by the table's lock. */
    private final Set<Long> emptied = new HashSet<>();

    private volatile long durableLsn;
    private volatile long tookNanos;

    /** Segments that are worth another checkpoint: records were moved out of them, but the durable state leads to them. */
    private volatile boolean moved;

    /** What a commit says. */
    private record Captured(
            long lsn, long entries, ValueSegmentList segments, ValueStore.Leases leases, IndexChanges.Part changes) {}

    public Checkpoints(TableState state, IndexFile file) {
        this.state = state;
        this.file = file;
        this.durableLsn = file.committed().lsn();
    }

    public long durableLsn() {
        return durableLsn;
    }

    public long fileBytes() {
        return file.bytes();
    }

    void noteMoved() {
        moved = true;
    }

    /** Makes the present state durable, if it is not. Returns the lsn of the newest durable state. */
    public long make() throws IOException {
        return make(ENTRIES_A_CHANGE, false);
    }

    /** As {@link #make}. The file then has few changes, and the table is opened fast. */
    public long makeLast() throws IOException {
        return make(ENTRIES_A_CHANGE_AT_LAST, true);
    }

    private long make(long entriesAChange, boolean isLast) throws IOException {
        if (state.context().readOnly()) {
            return durableLsn;
        }
        checkpointing.lock();
        try {
            long begun = state.context().clock().nanoTime();
            boolean isNew = state.appliedLsn() > durableLsn || state.changes().count() > 0 || moved;
            boolean isLong = isLong(entriesAChange);
            if (isNew || (isLast && isLong)) {
                moved = false;
                make(isNew, isLong);
                made.incrementAndGet();
                tookNanos = state.context().clock().nanoTime() - begun;
            }
        } finally {
            checkpointing.unlock();
        }
        reclaim();
        return durableLsn;
    }

    /** Holds the files of the newest commit. Waits for a checkpoint that is under way. */
    public FileHold hold() throws IOException {
        checkpointing.lock();
        try {
            ValueHold values = state.records()
                    .values()
                    .hold(state.context(), file.committed().segments());
            try {
                return values.with(file.committed().lsn(), file.hold());
            } catch (Throwable e) {
                values.giveBack();
                throw e;
            }
        } finally {
            checkpointing.unlock();
        }
    }

    /** Whether the file will have more changes than one for so many entries. */
    private boolean isLong(long entriesAChange) {
        long changes = file.changesSinceImage() + state.changes().count();
        return changes > Math.max(LEAST_CHANGES, state.directory().entries() / entriesAChange);
    }

    private void make(boolean isNew, boolean isLong) throws IOException {
        boolean isWritten = isLong && tryWriteAnew();
        if (isNew && !isWritten) {
            commit(capture(0), null);
        }
    }

    /** Writes a new file. Returns false if there is no room for it: the changes alone need less. */
    private boolean tryWriteAnew() throws IOException {
        try (IndexFile.Rewrite rewrite = file.rewrite()) {
            int from = state.settled(() -> state.changes().count());
            writeImages(rewrite);
            commit(capture(from), rewrite);
            images.incrementAndGet();
            return true;
        } catch (NoSpaceException e) {
            Notices.debug(Checkpoints.class, state.context().directory(), "no room for a new index file", e);
            return false;
        }
    }

    private void writeImages(IndexFile.Rewrite rewrite) throws IOException {
        PageCopy page = new PageCopy();
        int[] hashes = {};
        long[] words = {};
        long prefix = 0;
        while (prefix != PageCopy.END) {
            copy(prefix, page);
            if (hashes.length < page.count()) {
                hashes = new int[page.count()];
                words = new long[page.count()];
            }
            for (int i = 0; i < page.count(); i++) {
                hashes[i] = (int) (page.hash(i) >>> Integer.SIZE);
                words[i] = EntryWord.of(page.hash(i), page.place(i));
            }
            rewrite.image((int) prefix, depth(page.next() - prefix), hashes, words, page.count());
            prefix = page.next();
        }
    }

    /** How many bits at the beginning of the hash the entries of a page have in common. */
    private static int depth(long prefixes) {
        return Integer.SIZE - Long.numberOfTrailingZeros(prefixes);
    }

    private void copy(long prefix, PageCopy page) {
        state.lock().lock();
        try {
            state.directory().copy(prefix, page);
        } finally {
            state.lock().unlock();
        }
    }

    private Captured capture(int firstChange) throws IOException {
        return state.settled(() -> {
            ValueStore values = state.records().values();
            ValueSegmentList segments = values.capture(Map.of());
            IndexChanges.Part changes = state.changes().part(firstChange);
            ValueStore.Leases leases = values.lease(segments);
            try {
                return new Captured(state.appliedLsn(), state.directory().entries(), segments, leases, changes);
            } catch (OutOfMemoryError e) {
                values.giveUp(leases);
                throw e;
            }
        });
    }

    private void commit(Captured captured, IndexFile.@Nullable Rewrite rewrite) throws IOException {
        ValueStore values = state.records().values();
        IndexChanges.Part changes = captured.changes;
        boolean committed = false;
        try {
            values.persist(captured.segments);
            if (rewrite == null) {
                file.changes(changes.hashes(), changes.olds(), changes.news(), changes.from(), changes.to());
                file.commit(captured.lsn, captured.entries, captured.segments);
            } else {
                rewrite.changes(changes.hashes(), changes.olds(), changes.news(), changes.from(), changes.to());
                rewrite.commit(captured.lsn, captured.entries, captured.segments);
            }
            committed = true;
            values.committed(captured.leases);
        } finally {
            if (!committed && !file.hasFailed()) {
                values.giveUp(captured.leases); // otherwise the commit may be durable, and keeps its segments
            }
        }
        durableLsn = captured.lsn;
        state.lock().lock();
        try {
            state.changes().forget(changes.to());
        } finally {
            state.lock().unlock();
        }
    }

    /** Gives segments back to which neither the index nor an open view leads. The durable state has leases of its own. */
    void reclaim() {
        if (file.hasFailed()) {
            return;
        }
        ValueStore values = state.records().values();
        state.forgetOld();
        List<Long> free;
        state.lock().lock();
        try {
            values.takeEmptied(emptied::add);
            free = state.unneeded(emptied);
            free.forEach(emptied::remove);
        } finally {
            state.lock().unlock();
        }
        for (int i = 0; i < free.size(); i++) { // takes no memory, so that each segment is given back
            values.unlink(free.get(i)); // takes the lock for files, which is held over writes
        }
        state.lock().lock();
        try {
            state.noteFirstSegment();
        } finally {
            state.lock().unlock();
        }
    }

    /** Bytes of segments that only open views need. */
    long viewBytes() {
        List<Long> numbers;
        state.lock().lock();
        try {
            numbers = List.copyOf(emptied);
        } finally {
            state.lock().unlock();
        }
        return state.records().values().bytesOf(numbers);
    }

    /** Checks the bytes of the index file, while no checkpoint is made. */
    public void verify(Findings findings) throws IOException {
        checkpointing.lock();
        try {
            file.verify(findings);
        } finally {
            checkpointing.unlock();
        }
    }

    public void addTo(Measures measures) {
        measures.add("checkpoints", made.get(), "Checkpoints since the table was opened.");
        measures.add("index_images", images.get(), "Checkpoints that wrote the index file anew.");
        measures.add("checkpoint_millis", tookNanos / NANOS_OF_MILLI, "What the last checkpoint took.");
    }
}
