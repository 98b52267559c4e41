package io.kvstore.hash.maintenance;

import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.hash.table.Moves;
import io.kvstore.hash.table.TableState;
import io.kvstore.value.ValueStore;
import io.kvstore.value.policy.ValueGarbage;
import io.kvstore.value.segment.ValueSegmentUse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives the space of replaced and removed values back. The live records of the emptiest segments are written once more, and
 * their entries lead to the new places. A segment is read from front to back, and a few records are moved at a time, between
 * two writers. A move has no log record: after a crash before the next checkpoint, the old place counts.
 */
final class Relocation {

    private static final int BATCH_BYTES = 64 << 10;
    private static final int BATCH_RECORDS = 32;

    /** When this part of a segment is dead in the growing segment of a table that rests, that segment is worth sealing. */
    private static final int GROWING_PART = 16;

    private final TableState state;
    private final ValueStore values;
    private final Moves moves;
    private final Set<Long> damaged = new HashSet<>();
    private final List<Moves.Move> batch = new ArrayList<>();
    private long batchBytes;
    private Work afterBatch = () -> {};
    private final AtomicLong moved = new AtomicLong();
    private volatile boolean stopped;

    /** Work between two segments. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    Relocation(TableState state) {
        this.state = state;
        this.values = state.records().values();
        this.moves = new Moves(state);
    }

    ValueGarbage garbage() {
        return ValueGarbage.knownAtOnce(values.segmentBytes());
    }

    /**
     * Empties the segments that are due, those with the most dead bytes for each live one first. One caller at a time.
     *
     * @param all whether to empty every segment that is worth it
     * @param afterBatch work after each few records: their moves are changes that wait for the index file
     */
    Set<Long> run(boolean all, Work afterSegment, Work afterBatch) throws IOException {
        this.afterBatch = afterBatch;
        List<ValueSegmentUse> segments = sealed();
        Set<Long> chosen = chosen(segments, all);
        List<Long> emptiestFirst = segments.stream()
                .filter(segment -> chosen.contains(segment.number()))
                .sorted(ValueGarbage.EMPTIEST_FIRST)
                .map(ValueSegmentUse::number)
                .toList();
        for (long number : emptiestFirst) {
            if (stopped) {
                break;
            }
            empty(number);
            afterSegment.run();
        }
        return chosen;
    }

    private Set<Long> chosen(List<ValueSegmentUse> segments, boolean all) {
        Set<Long> chosen = garbage().chosen(segments, all);
        segments.stream()
                .map(ValueSegmentUse::number)
                .filter(number -> number < state.records().oldestWanted())
                .forEach(chosen::add);
        return chosen;
    }

    private void empty(long number) throws IOException {
        try {
            values.log().walk(number, (pointer, key, lsn, value) -> add(new Moves.Move(pointer, key, lsn, value)));
        } catch (CorruptionException e) {
            if (damaged.add(number)) {
                Notices.error(Relocation.class, null, "values stay where they are in a damaged segment", e);
            }
        }
        moveBatch();
    }

    private void add(Moves.Move one) throws IOException {
        batch.add(one);
        batchBytes += one.value().length;
        if (batch.size() >= BATCH_RECORDS || batchBytes >= BATCH_BYTES) {
            moveBatch();
        }
    }

    private void moveBatch() throws IOException {
        if (batch.isEmpty()) {
            return;
        }
        try {
            if (!stopped) {
                moved.addAndGet(moves.move(batch));
            }
        } finally {
            batch.clear();
            batchBytes = 0;
        }
        values.log().write();
        afterBatch.run();
    }

    /** The sealed segments that have live records, without damaged ones. */
    private List<ValueSegmentUse> sealed() {
        state.lock().lock();
        try {
            return values.sealed().stream()
                    .filter(segment -> !damaged.contains(segment.number()))
                    .toList();
        } finally {
            state.lock().unlock();
        }
    }

    /** Whether segments other than these are due to be emptied, because values died meanwhile. */
    boolean isMoreDue(Set<Long> tried) {
        return garbage().isMoreDue(sealed(), tried, values.liveBytes());
    }

    /** Dead bytes of damaged segments, which stay as they are. */
    long lostBytes() {
        state.lock().lock();
        try {
            return values.sealed().stream()
                    .filter(segment -> damaged.contains(segment.number()))
                    .mapToLong(ValueSegmentUse::deadBytes)
                    .sum();
        } finally {
            state.lock().unlock();
        }
    }

    /** Seals the growing segment if at least half of it is dead, and that is worth work. */
    void sealIfDead() {
        state.lock().lock();
        try {
            if (values.growingDeadBytes() > values.segmentBytes() / GROWING_PART) {
                values.log().seal();
            }
        } finally {
            state.lock().unlock();
        }
    }

    long moved() {
        return moved.get();
    }

    void stop() {
        stopped = true;
    }
}
