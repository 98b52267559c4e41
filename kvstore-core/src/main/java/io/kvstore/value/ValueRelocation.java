package io.kvstore.value;

import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.value.policy.ValueGarbage;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegmentUse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Gives the space of replaced and removed values back. The live values of the emptiest segments are written once more, and
 * their entries lead to the new places. A segment is read from front to back, and a few values are moved at a time, between two
 * writers.
 *
 * <p>The engine moves a value only if the key's entry still leads to the place where the value was read. The old segment stays
 * until no state that is looked at and no durable checkpoint needs it. A move has no log record: a crash before the next
 * checkpoint forgets the move, and the old place counts.
 *
 * <p>Used by one thread at a time, but for {@link #isGrowingDead} and {@link #stop}.
 */
public final class ValueRelocation {

    private static final int BATCH_BYTES = 64 << 10;
    private static final int BATCH_VALUES = 32;

    /** When this part of a segment is dead in the growing segment of a table that rests, that segment is worth sealing. */
    private static final int GROWING_PART = 16;

    private final ValueStore values;
    private final Engine engine;
    private final Set<Long> damaged = new HashSet<>();
    private final List<LiveValue> batch = new ArrayList<>();
    private long batchBytes;
    private Work afterBatch = () -> {};
    private volatile boolean stopped;

    /** The engine whose values are moved. */
    public interface Engine {

        /** Runs a look at segments under the lock under which values are added to them. */
        <T> T locked(Supplier<T> look);

        /** Moves those of the values that are alive, now. The list is used again afterwards. */
        void move(List<LiveValue> some) throws IOException;

        /** Whether a segment is to be emptied however much of it is alive. */
        default boolean isUnwanted(long segment) {
            return false;
        }
    }

    /** Work between two moves. */
    @FunctionalInterface
    public interface Work {
        void run() throws IOException;
    }

    public ValueRelocation(ValueStore values, Engine engine) {
        this.values = values;
        this.engine = engine;
    }

    /**
     * Empties the segments that are due. Those with the most dead bytes for each live one come first.
     *
     * @param all whether to empty every segment that is worth it
     * @param afterBatch work after each few values
     * @param afterSegment work after each segment; no values wait to be moved then
     * @return the segments that were due
     */
    public Set<Long> run(boolean all, Work afterBatch, Work afterSegment) throws IOException {
        this.afterBatch = afterBatch;
        List<ValueSegmentUse> segments = sealed();
        Set<Long> chosen = garbage().chosen(segments, all);
        segments.stream()
                .map(ValueSegmentUse::number)
                .filter(engine::isUnwanted)
                .forEach(chosen::add);
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
                values.log().walk(number, (place, key, lsn, value) -> add(new LiveValue(place, key, lsn, value)));
            } catch (CorruptionException e) {
                setAside(number, e);
            }
            finish();
            afterSegment.run();
        }
        return chosen;
    }

    /** Moves a value of a sealed segment, now or before {@link #finish} returns. */
    public void move(ValuePointer from) throws IOException {
        try {
            values.log().visit(from, (place, key, lsn, value) -> add(new LiveValue(place, key, lsn, value)));
        } catch (CorruptionException e) {
            setAside(from.segment(), e);
        }
    }

    private void add(LiveValue one) throws IOException {
        batch.add(one);
        batchBytes += one.value().length;
        if (batch.size() >= BATCH_VALUES || batchBytes >= BATCH_BYTES) {
            finish();
        }
    }

    /** Moves the values that wait to be moved. */
    public void finish() throws IOException {
        if (batch.isEmpty()) {
            return;
        }
        try {
            if (!stopped) {
                engine.move(batch);
            }
        } finally {
            // Also values that cannot be moved, or else they would be tried first for ever.
            batch.clear();
            batchBytes = 0;
        }
        values.log().write();
        afterBatch.run();
    }

    private void setAside(long number, CorruptionException cause) {
        if (damaged.add(number)) {
            Notices.error(ValueRelocation.class, null, "values stay where they are in a damaged segment", cause);
        }
    }

    /** The rules for choosing segments to empty, for the current size of segments. */
    public ValueGarbage garbage() {
        return ValueGarbage.knownAtOnce(values.segmentBytes());
    }

    /** The sealed segments that hold something, without damaged ones. */
    public List<ValueSegmentUse> sealed() {
        return engine.locked(() -> values.sealed().stream()
                .filter(segment -> !damaged.contains(segment.number()))
                .toList());
    }

    /** Whether segments other than these are due to be emptied, because values died meanwhile. */
    public boolean isMoreDue(Set<Long> tried) {
        return garbage().isMoreDue(sealed(), tried, values.liveBytes());
    }

    /** Dead bytes of damaged segments, which stay as they are. */
    public long lostBytes() {
        return engine.locked(() -> values.sealed().stream()
                .filter(segment -> damaged.contains(segment.number()))
                .mapToLong(ValueSegmentUse::deadBytes)
                .sum());
    }

    /** Whether at least half of the growing segment is dead, and that is worth work. */
    public boolean isGrowingDead() {
        return engine.locked(() -> values.growingDeadBytes() > values.segmentBytes() / GROWING_PART);
    }

    /** Seals the growing segment. The next value begins another one. */
    public void seal() {
        engine.locked(() -> {
            values.log().seal();
            return true;
        });
    }

    public void sealIfDead() {
        if (isGrowingDead()) {
            seal();
        }
    }

    /** Lets the work end soon. */
    public void stop() {
        stopped = true;
    }
}
