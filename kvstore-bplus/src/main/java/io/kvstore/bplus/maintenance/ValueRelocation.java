package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.data.Mutation;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.value.ValueStore;
import io.kvstore.value.policy.ValueGarbage;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegmentUse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Gives the space of replaced and removed values back. The live values of the emptiest segments are written once more, and
 * their entries point to the new places. A segment is read from front to back, and a few values are moved at a time, between
 * two writers.
 *
 * <p>A value is moved only if its key still points to the place where the value was read. That is checked under the lock for
 * writing. The old segment stays until no state that is looked at and no durable checkpoint needs it. A move has no log record:
 * a crash before the next checkpoint forgets the move, and the old segment is found where it was.
 */
final class ValueRelocation {

    private static final int BATCH_BYTES = 64 << 10;
    private static final int BATCH_VALUES = 32;

    /** When this part of a segment is dead in the growing segment of a table that rests, that segment is worth sealing. */
    private static final int GROWING_PART = 16;

    private final Tree tree;
    private final TreeParts parts;
    private final ValueStore values;
    private final PageSupply pages;
    private final Set<Long> damaged = new HashSet<>();
    private final List<Tree.Moving> batch = new ArrayList<>();
    private long batchBytes;
    private long missing;
    private volatile boolean stopped;

    ValueRelocation(Tree tree, TreeParts parts, PageSupply pages) {
        this.tree = tree;
        this.parts = parts;
        this.values = parts.values();
        this.pages = pages;
    }

    /**
     * Empties the segments that are due. Those with the most dead bytes for each live one come first. One caller at a time.
     *
     * @param all whether to empty every segment that is worth it
     * @param afterSegment work that is done while no values wait to be moved
     * @return the segments that were due
     */
    Set<Long> run(boolean all, Maintenance.Work afterSegment) throws IOException {
        List<ValueSegmentUse> segments = sealed();
        Set<Long> chosen = garbage().chosen(segments, all);
        List<Long> emptiestFirst = segments.stream()
                .filter(segment -> chosen.contains(segment.number()))
                .sorted(ValueGarbage.EMPTIEST_FIRST)
                .map(ValueSegmentUse::number)
                .toList();
        for (long number : emptiestFirst) {
            if (stopped) {
                break;
            }
            try {
                values.log().walk(number, (pointer, key, lsn, value) -> add(new Tree.Moving(pointer, key, lsn, value)));
            } catch (CorruptionException e) {
                setAside(number, e);
            }
            finish();
            afterSegment.run();
        }
        return chosen;
    }

    /** The rules for choosing segments to empty, for the current size of segments. */
    ValueGarbage garbage() {
        return ValueGarbage.knownAtOnce(values.segmentBytes());
    }

    /** Dead bytes of damaged segments, which stay as they are. */
    long lostBytes() {
        try (RankedLock.Held _ = parts.putting().hold()) {
            return values.sealed().stream()
                    .filter(segment -> damaged.contains(segment.number()))
                    .mapToLong(ValueSegmentUse::deadBytes)
                    .sum();
        }
    }

    /** Whether segments other than these are due to be emptied, because values died meanwhile. */
    boolean isMoreDue(Set<Long> tried) {
        return garbage().isMoreDue(sealed(), tried, values.liveBytes());
    }

    /** Seals the growing segment. The next value begins another one. */
    void seal() {
        try (RankedLock.Held _ = parts.putting().hold()) {
            values.log().seal();
        }
    }

    /** Whether at least half of the growing segment is dead, and that is worth work. */
    boolean isGrowingDead() {
        try (RankedLock.Held _ = parts.putting().hold()) {
            return values.growingDeadBytes() > values.segmentBytes() / GROWING_PART;
        }
    }

    void sealIfDead() {
        if (isGrowingDead()) {
            seal();
        }
    }

    /** The sealed segments that hold something, without damaged ones. */
    List<ValueSegmentUse> sealed() {
        try (RankedLock.Held _ = parts.putting().hold()) {
            return values.sealed().stream()
                    .filter(segment -> !damaged.contains(segment.number()))
                    .toList();
        }
    }

    /** Moves a value of a sealed segment, now or before {@link #finish} returns. */
    void move(ValuePointer from) throws IOException {
        try {
            values.log().visit(from, (pointer, key, lsn, value) -> add(new Tree.Moving(pointer, key, lsn, value)));
        } catch (CorruptionException e) {
            setAside(from.segment(), e);
        }
    }

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
            // also values that a damaged page keeps from being moved, or else they would be tried first for ever
            parts.buffer().releaseKept();
            batch.clear();
            batchBytes = 0;
        }
        values.log().write();
    }

    /** The most pages that this many values make: a copy and a split of each page on their paths. */
    private int newPages(int count) {
        return 2 * (tree.height() + 1) * count;
    }

    /** Moves the values of the batch from an index on, up to the first whose page is missing. Returns the index of that one. */
    private int tryMove(int from) throws IOException {
        List<Mutation> rest = new ArrayList<>(batch.size());
        batch.subList(from, batch.size()).forEach(one -> rest.add(new Mutation.Put(one.key(), one.value())));
        int newPages = newPages(rest.size());
        pages.makeRoom(newPages); // each time, because pages that were loaded meanwhile took some of the room
        try (RankedLock.Held _ = parts.writing().hold()) {
            parts.buffer().prepare(newPages);
            reserve(rest);
            int done = tree.move(batch, from);
            missing = tree.missingPage();
            return done;
        }
    }

    private void reserve(List<Mutation> mutations) {
        try (RankedLock.Held _ = parts.putting().hold()) {
            values.log().reserve(mutations, 0);
        }
    }

    void stop() {
        stopped = true;
    }
}
