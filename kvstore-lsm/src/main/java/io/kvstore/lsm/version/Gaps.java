package io.kvstore.lsm.version;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.Mutation;
import io.kvstore.lsm.entry.KeySpan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a table has many entries and none that can be seen, because they were removed: cursors that walked over such a gap once
 * tell of it, and others go past it at once. So who takes the first entry of a table and removes it, again and again, does not
 * walk over all that are gone, until they are gone from the files.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Every put whose operation was begun after a gap was {@linkplain #watch watched} and that is of a key which the gap
 *       watches, has cut that key out of it before it is applied.
 *   <li>All operations above {@code since} of a gap were begun after it was watched.
 *   <li>In {@code empty}, which is a part of what is watched, nothing can be seen at {@code lsn}, and that is not below
 *       {@code since}. So by the first two nothing can be seen there at any lsn from it on: who has taken its lsn before it
 *       asks knows of all puts up to that.
 * </ol>
 *
 * <p>The few gaps are in a list that is replaced as a whole. One that is not known as empty yet has an {@code lsn} above all.
 */
public final class Gaps {

    /** Entries that a cursor goes past before it is worth telling of. */
    static final int MANY = 64;

    private static final int MOST_GAPS = 8;

    /** A walk learns of so many at a time. */
    private static final int MOST_MET = 4;

    private static final int LONGEST_KEY_BYTES = 1 << 10;
    private static final long NEVER = Long.MAX_VALUE;

    private final BooleanSupplier isBetweenOperations;
    private final LongSupplier lastLsn;
    private final AtomicReference<List<Gap>> gaps = new AtomicReference<>(List.of());
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong passedKeys = new AtomicLong();

    /**
     * A gap, or what may become one.
     *
     * @param number of when it was made; what is made of it keeps it
     */
    private record Gap(long number, KeySpan watched, KeySpan empty, long since, long lsn) {

        /** Without a key, of which there is a put: nothing more, or one or two gaps. */
        void cut(byte[] key, List<Gap> result) {
            if (!watched.has(key)) {
                result.add(this);
                return;
            }
            KeySpan below = new KeySpan(null, key);
            KeySpan above = new KeySpan(KeySpan.after(key), null);
            boolean isInside = empty.has(key);
            boolean isBehind = empty.to() != null && KeyOrder.compare(empty.to(), key) <= 0;
            if (isInside || isBehind) {
                add(within(below), result);
            }
            if (isInside || !isBehind) {
                add(within(above), result);
            }
        }

        private void add(Gap part, List<Gap> result) {
            if (lsn == NEVER || !part.empty().isEmpty()) {
                result.add(part);
            }
        }

        /** Where a gap is to be found out. */
        byte[] anchor() {
            return Objects.requireNonNull(empty.from());
        }

        private Gap within(KeySpan part) {
            return new Gap(number, watched.and(part), lsn == NEVER ? empty : empty.and(part), since, lsn);
        }
    }

    /**
     * None is known.
     *
     * @param isBetweenOperations whether none is between its beginning and its end
     * @param lastLsn that of the last operation that was applied
     */
    public Gaps(BooleanSupplier isBetweenOperations, LongSupplier lastLsn) {
        this.isBetweenOperations = isBetweenOperations;
        this.lastLsn = lastLsn;
    }

    public boolean isNone() {
        return gaps.get().isEmpty();
    }

    /** Of the writer, when it has begun an operation and before anything of it is applied. */
    public void cut(List<Mutation> mutations) {
        for (int i = 0; i < mutations.size() && !isNone(); i++) {
            if (mutations.get(i) instanceof Mutation.Put put && isWatched(put.key())) {
                gaps.updateAndGet(now -> without(now, put.key()));
            }
        }
    }

    private boolean isWatched(byte[] key) {
        for (Gap gap : gaps.get()) {
            if (gap.watched().has(key)) {
                return true;
            }
        }
        return false;
    }

    private static List<Gap> without(List<Gap> now, byte[] key) {
        List<Gap> result = new ArrayList<>();
        for (Gap gap : now) {
            gap.cut(key, result);
        }
        return bounded(result);
    }

    /** Those that are known as empty, and the newest, are worth most. */
    private static List<Gap> bounded(List<Gap> some) {
        if (some.size() <= MOST_GAPS) {
            return List.copyOf(some);
        }
        List<Gap> sorted = new ArrayList<>(some);
        sorted.sort(Comparator.comparingLong(Gap::number).reversed());
        return List.copyOf(sorted.subList(0, MOST_GAPS));
    }

    /** Keys around a key among which nothing can be seen at an lsn; null if that is not known. */
    public @Nullable KeySpan around(byte[] key, long lsn) {
        for (Gap gap : gaps.get()) {
            if (gap.lsn() <= lsn && gap.empty().has(key)) {
                return gap.empty();
            }
        }
        return null;
    }

    /**
     * A cursor saw nothing among some keys at an lsn.
     *
     * @param anchor the first of them that it met
     * @param passed how many it went past one by one
     */
    public void learn(KeySpan keys, byte[] anchor, long lsn, int passed) {
        passedKeys.addAndGet(passed);
        if (keys.isEmpty() || isLong(keys.from()) || isLong(keys.to()) || anchor.length > LONGEST_KEY_BYTES) {
            return;
        }
        byte @Nullable [] key = anchor;
        for (int i = 0; i < MOST_MET && key != null; i++) {
            key = learnAround(keys, key, lsn);
        }
    }

    /** Returns a key that was not known to be watched, if there is one. */
    private byte @Nullable [] learnAround(KeySpan keys, byte[] key, long lsn) {
        List<Gap> now = gaps.get();
        Gap known = watching(now, key, keys, lsn);
        if (known == null) {
            if (!isWatched(key)) {
                watch(key);
            }
            return null;
        }
        extend(now, known, known.watched().and(keys), lsn);
        byte[] end = known.watched().to();
        byte[] begin = keys.from();
        boolean isBefore = begin != null && !known.watched().has(begin);
        return end != null && keys.has(end) ? end : isBefore ? begin : null;
    }

    /** That of which more is known, if there are several. */
    private static @Nullable Gap watching(List<Gap> now, byte[] key, KeySpan keys, long lsn) {
        Gap best = null;
        for (Gap gap : now) {
            boolean isUsable = gap.since() <= lsn && gap.watched().has(key);
            boolean isBetter = gap.lsn() != NEVER && gap.empty().or(keys) != null;
            if (isUsable && (best == null || isBetter)) {
                best = gap;
            }
        }
        return best;
    }

    private static boolean isLong(byte @Nullable [] key) {
        return key != null && key.length > LONGEST_KEY_BYTES;
    }

    /** If it was cut meanwhile, nothing is learned. */
    private void extend(List<Gap> now, Gap known, KeySpan keys, long lsn) {
        KeySpan both = known.lsn() == NEVER ? null : known.empty().or(keys);
        KeySpan empty = both == null ? keys : both;
        long seen = both == null ? lsn : Math.max(lsn, known.lsn());
        List<Gap> result = new ArrayList<>();
        result.add(new Gap(numbers.incrementAndGet(), known.watched(), empty, known.since(), seen));
        for (Gap gap : now) {
            boolean isInside = gap.lsn() == NEVER ? empty.has(gap.anchor()) : empty.covers(gap.empty());
            if (!gap.equals(known) && !isInside) {
                result.add(gap);
            }
        }
        gaps.compareAndSet(now, bounded(result));
    }

    /** From now on puts are looked at, unless one may be under way that does not know. */
    private void watch(byte[] anchor) {
        long number = numbers.incrementAndGet();
        KeySpan nothing = new KeySpan(anchor, anchor);
        Gap fresh = new Gap(number, KeySpan.ALL, nothing, NEVER, NEVER);
        gaps.updateAndGet(now -> {
            List<Gap> more = new ArrayList<>(now);
            more.add(fresh);
            return bounded(more);
        });
        boolean isKnownToAll = isBetweenOperations.getAsBoolean();
        long since = lastLsn.getAsLong();
        gaps.updateAndGet(now -> {
            List<Gap> result = new ArrayList<>();
            for (Gap gap : now) {
                if (gap.number() != number) {
                    result.add(gap);
                } else if (isKnownToAll) {
                    result.add(new Gap(number, gap.watched(), gap.empty(), since, NEVER));
                }
            }
            return List.copyOf(result);
        });
    }

    /** Keys that cursors went past one by one, where there were many in a row. */
    public long passedKeys() {
        return passedKeys.get();
    }
}
