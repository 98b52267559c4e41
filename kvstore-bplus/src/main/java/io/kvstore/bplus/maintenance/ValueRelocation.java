package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.data.Mutation;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.value.ValueGarbage;
import io.kvstore.value.ValuePointer;
import io.kvstore.value.ValueSegmentUse;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * Gives the space of replaced and removed values back: what is alive of the emptiest segments is written once more, and its
 * entries point there. Reads a segment from front to back and moves a few values at a time, between two writers.
 *
 * <p>A value is moved only if its key still points to where it was read; that is looked at under the lock for writing. The old
 * segment stays until no state that is looked at and no durable checkpoint needs it. A move has no log record: a crash before
 * the next checkpoint forgets it, and finds the old segment where it was.
 */
final class ValueRelocation {

    private static final int BATCH_BYTES = 64 << 10;
    private static final int BATCH_VALUES = 32;

    /** So much of what a segment may have is worth that one which rests is not written any more. */
    private static final int GROWING_PART = 16;

    private final Tree tree;
    private final PageBuffer buffer;
    private final ValueStore values;
    private final ReentrantLock writing;
    private final ReentrantLock putting;
    private final PageSupply pages;
    private final Set<Long> damaged = new HashSet<>();
    private final List<Tree.Moving> batch = new ArrayList<>();
    private long batchBytes;
    private long missing;
    private volatile boolean stopped;

    ValueRelocation(Tree tree, TreeParts parts, PageSupply pages) {
        this.tree = tree;
        this.buffer = parts.buffer();
        this.values = parts.values();
        this.writing = parts.writing();
        this.putting = parts.putting();
        this.pages = pages;
    }

    /** What is done after each segment; nothing waits to be moved then. */
    @FunctionalInterface
    interface Pauses {

        void afterSegment() throws IOException;
    }

    /**
     * Empties the segments that are due, those with the most dead bytes for each live one first; one caller at a time.
     *
     * @param all whether to empty every segment that is worth it
     * @return which were due
     */
    Set<Long> run(boolean all, Pauses pauses) throws IOException {
        Set<Long> chosen = chosen(all);
        for (long number : emptiestFirst(chosen)) {
            if (stopped) {
                break;
            }
            try {
                values.walk(number, (pointer, key, lsn, value) -> add(new Tree.Moving(pointer, key, lsn, value)));
            } catch (CorruptionException e) {
                setAside(number, e);
            }
            finish();
            pauses.afterSegment();
        }
        return chosen;
    }

    private List<Long> emptiestFirst(Set<Long> chosen) {
        return sealed().stream()
                .filter(segment -> chosen.contains(segment.number()))
                .sorted(Comparator.comparingDouble(
                        segment -> (double) segment.liveBytes() / segment.info().bytes()))
                .map(ValueSegmentUse::number)
                .toList();
    }

    /** When to empty what, as large as segments are now. */
    ValueGarbage garbage() {
        return ValueGarbage.knownAtOnce(values.segmentBytes());
    }

    /** Dead bytes of segments that stay as they are because they are damaged. */
    long lostBytes() {
        putting.lock();
        try {
            return values.sealed().stream()
                    .filter(segment -> damaged.contains(segment.number()))
                    .mapToLong(ValueSegmentUse::deadBytes)
                    .sum();
        } finally {
            putting.unlock();
        }
    }

    /** Whether more segments than these are due to be emptied, because values died meanwhile. */
    boolean isMoreDue(Set<Long> tried) {
        long dead = sealed().stream()
                .filter(segment -> !tried.contains(segment.number()))
                .mapToLong(ValueSegmentUse::deadBytes)
                .sum();
        return garbage().isTooMuch(dead, values.liveBytes());
    }

    /** No segment grows any more, until the next value comes. */
    void seal() {
        putting.lock();
        try {
            values.seal();
        } finally {
            putting.unlock();
        }
    }

    /** Whether most of the segment that grows is dead, and that is worth work. */
    boolean isGrowingDead() {
        putting.lock();
        try {
            return values.growingDeadBytes() > values.segmentBytes() / GROWING_PART;
        } finally {
            putting.unlock();
        }
    }

    /** The segment that grows does not any more if most of it is dead. */
    void sealIfDead() {
        if (isGrowingDead()) {
            seal();
        }
    }

    /** The segments that are not written any more and hold something, but for damaged ones. */
    List<ValueSegmentUse> sealed() {
        putting.lock();
        try {
            return values.sealed().stream()
                    .filter(segment -> !damaged.contains(segment.number()))
                    .toList();
        } finally {
            putting.unlock();
        }
    }

    private Set<Long> chosen(boolean all) {
        List<ValueSegmentUse> segments = sealed();
        Set<Long> numbers = segments.stream().map(ValueSegmentUse::number).collect(Collectors.toSet());
        Set<Long> chosen =
                new HashSet<>(all ? garbage().worthwhile(segments) : garbage().due(segments));
        chosen.addAll(garbage().small(segments, numbers));
        return chosen;
    }

    /** Moves a value of a sealed segment, now or before {@link #finish} returns. */
    void move(ValuePointer from) throws IOException {
        try {
            values.visit(from, (pointer, key, lsn, value) -> add(new Tree.Moving(pointer, key, lsn, value)));
        } catch (CorruptionException e) {
            setAside(from.segment(), e);
        }
    }

    /** Moves what was not moved yet. */
    void finish() throws IOException {
        if (!batch.isEmpty()) {
            moveBatch();
        }
    }

    private void setAside(long number, CorruptionException cause) {
        if (damaged.add(number)) {
            Notices.error(ValueRelocation.class, null, "values stay where they are in a damaged segment", cause);
        }
    }

    private void add(Tree.Moving one) throws IOException {
        batch.add(one);
        batchBytes += one.value().length;
        if (batch.size() >= BATCH_VALUES || batchBytes >= BATCH_BYTES) {
            moveBatch();
        }
    }

    private void moveBatch() throws IOException {
        try {
            int done = tryMove(0);
            while (done < batch.size() && !stopped) {
                pages.load(List.of(missing));
                done = tryMove(done);
            }
        } finally {
            // also what a damaged page keeps from being moved, or else it would be tried first for ever
            buffer.releaseKept();
            batch.clear();
            batchBytes = 0;
        }
        values.write();
    }

    /** The most pages that so many values make: a copy and a split of each on its paths. */
    private int newPages(int count) {
        return 2 * (tree.height() + 1) * count;
    }

    /** Moves the batch from one of its values on, up to the first whose page is missing. */
    private int tryMove(int from) throws IOException {
        List<Mutation> rest = new ArrayList<>(batch.size());
        batch.subList(from, batch.size()).forEach(one -> rest.add(new Mutation.Put(one.key(), one.value())));
        int newPages = newPages(rest.size());
        pages.makeRoom(newPages); // each time, for what had to be loaded meanwhile has taken some of it
        writing.lock();
        try {
            buffer.prepare(newPages);
            reserve(rest);
            int done = tree.move(batch, from);
            missing = tree.missingPage();
            return done;
        } finally {
            writing.unlock();
        }
    }

    private void reserve(List<Mutation> mutations) {
        putting.lock();
        try {
            values.reserve(mutations, 0);
        } finally {
            putting.unlock();
        }
    }

    /** Ends soon, and never begins again. */
    void stop() {
        stopped = true;
    }
}
