package io.kvstore.data;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Key ranges in which a table has many entries and none of them can be seen, because the keys were removed. A cursor that
 * walked over such a gap once reports it, and later cursors skip it. So a client that repeatedly takes and removes the
 * first entry of a table does not walk over all removed entries each time until the background drops them.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Consider a put whose operation began after a gap was {@linkplain #watch watched}, and whose key the gap watches.
 *       The put has cut its key out of the gap before it is applied.
 *   <li>All operations above {@code since} of a gap began after the gap was watched.
 *   <li>{@code empty} is a part of the watched keys. Nothing can be seen in it at {@code lsn}, which is not below
 *       {@code since}. By the first two invariants nothing can be seen there at any later lsn either: a reader that has
 *       taken its lsn before it asks knows of all puts up to that lsn.
 * </ol>
 *
 * <p>A gap may reach beyond its removed keys, up to the bound at which a walk began. All removed keys lie in {@code removed},
 * and only they cost a walk.
 *
 * <p>The few gaps are in a list that is replaced as a whole. A gap that is not known as empty yet has an {@code lsn} above
 * all others.
 */
public final class EmptySpans {

    /** A cursor reports a gap after it went past this number of keys. */
    private static final int MANY = 64;

    /** A cursor that skipped a gap reports a longer one after it went past this number of keys. */
    private static final int MANY_BEYOND = 8;

    private static final int MOST_GAPS = 8;

    /** The most gaps that one walk learns of. */
    private static final int MOST_MET = 4;

    private static final int LONGEST_KEY_BYTES = 1 << 10;
    private static final long NEVER = Long.MAX_VALUE;

    private final BooleanSupplier isBetweenOperations;
    private final LongSupplier lastLsn;
    private final AtomicReference<List<Gap>> gaps = new AtomicReference<>(List.of());
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong passedKeys = new AtomicLong();

    /**
     * A gap, or a candidate for one. Numbers ascend as gaps are made, extended or cut. A candidate keeps its number: the thread
     * that made it finds it by that.
     */
    private record Gap(long number, KeySpan watched, KeySpan empty, KeySpan removed, long since, long lsn) {

        /**
         * Adds to {@code result} the parts of this gap that are left without a key that is put: none, one or two gaps. No part
         * is left by a key that is too long to be a bound. A part in which no key was removed saves no walk, so it is dropped:
         * keys that are put one behind the other would leave one each.
         */
        void cut(byte[] key, long fresh, List<Gap> result) {
            if (!watched.has(key)) {
                result.add(this);
                return;
            }
            if (key.length > LONGEST_KEY_BYTES) {
                return;
            }
            KeySpan below = new KeySpan(null, key);
            KeySpan above = new KeySpan(KeySpan.after(key), null);
            boolean isInside = empty.has(key);
            boolean isBehind = empty.to() != null && KeyOrder.compare(empty.to(), key) <= 0;
            if (isInside || isBehind) {
                add(within(below, fresh), result);
            }
            if (isInside || !isBehind) {
                add(within(above, fresh), result);
            }
        }

        private void add(Gap part, List<Gap> result) {
            if (lsn == NEVER || !part.removed().isEmpty()) {
                result.add(part);
            }
        }

        /** The key at which a walk was when it found the gap. Valid while the gap is not known as empty. */
        byte[] anchor() {
            return Objects.requireNonNull(empty.from());
        }

        private Gap within(KeySpan part, long fresh) {
            return lsn == NEVER
                    ? new Gap(number, watched.and(part), empty, removed, since, lsn)
                    : new Gap(fresh, watched.and(part), empty.and(part), removed.and(part), since, lsn);
        }
    }

    /**
     * @param isBetweenOperations whether no operation is between its beginning and its end
     * @param lastLsn the lsn of the operation that was applied last
     */
    public EmptySpans(BooleanSupplier isBetweenOperations, LongSupplier lastLsn) {
        this.isBetweenOperations = isBetweenOperations;
        this.lastLsn = lastLsn;
    }

    public boolean isNone() {
        return gaps.get().isEmpty();
    }

    /** Cuts the keys of puts out of the gaps. Called when an operation has begun and before any change of it is applied. */
    public void cut(List<Mutation> mutations) {
        for (int i = 0; i < mutations.size() && !isNone(); i++) {
            if (mutations.get(i) instanceof Mutation.Put put && isWatched(put.key())) {
                long fresh = numbers.incrementAndGet();
                gaps.updateAndGet(now -> without(now, put.key(), fresh));
            }
        }
    }

    /** Forgets all gaps. Called when no removed key is left that a cursor would have to walk over. */
    public void forget() {
        gaps.set(List.of());
    }

    private boolean isWatched(byte[] key) {
        for (Gap gap : gaps.get()) {
            if (gap.watched().has(key)) {
                return true;
            }
        }
        return false;
    }

    private static List<Gap> without(List<Gap> now, byte[] key, long fresh) {
        List<Gap> result = new ArrayList<>();
        for (Gap gap : now) {
            gap.cut(key, fresh, result);
        }
        return bounded(result);
    }

    /** Drops the oldest gaps if there are too many. Gaps that were made, extended or cut last are worth most. */
    private static List<Gap> bounded(List<Gap> some) {
        if (some.size() <= MOST_GAPS) {
            return List.copyOf(some);
        }
        List<Gap> sorted = new ArrayList<>(some);
        sorted.sort(Comparator.comparingLong(Gap::number).reversed());
        return List.copyOf(sorted.subList(0, MOST_GAPS));
    }

    /** Whether a cursor is to report a gap. */
    public static boolean isWorthwhile(int passed, boolean skippedOne) {
        return passed >= (skippedOne ? MANY_BEYOND : MANY);
    }

    /** Returns a span around a key in which nothing can be seen at an lsn, or null if none is known. */
    public @Nullable KeySpan around(byte[] key, long lsn) {
        for (Gap gap : gaps.get()) {
            if (gap.lsn() <= lsn && gap.empty().has(key)) {
                return gap.empty();
            }
        }
        return null;
    }

    /**
     * Returns the part of a range in which something may be seen at an lsn: behind the gap at the range's beginning, in the
     * direction of the walk. Returns the range itself if no such gap is known, or if the gap has no end.
     */
    public KeyRange behindGap(KeyRange range, long lsn) {
        if (isNone()) {
            return range;
        }
        KeySpan keys = KeySpan.of(range);
        for (Gap gap : gaps.get()) {
            KeySpan empty = gap.empty();
            byte[] end = range.reversed() ? empty.from() : empty.to();
            if (end != null && gap.lsn() <= lsn && (range.reversed() ? empty.hasEndOf(keys) : empty.hasBeginOf(keys))) {
                return range.reversed() ? range.to(end, false) : range.from(end, true);
            }
        }
        return range;
    }

    /**
     * Learns that a cursor saw nothing in some keys at an lsn. Keeps copies of the keys: a bound may be the caller's array.
     *
     * @param first the first of the keys that the cursor went past
     * @param last the last of them
     * @param passed how many there were
     */
    public void learn(KeySpan keys, byte[] first, byte[] last, long lsn, int passed) {
        passedKeys.addAndGet(passed);
        if (keys.isEmpty() || isLong(keys.from()) || isLong(keys.to()) || isLong(first) || isLong(last)) {
            return;
        }
        KeySpan own = keys.copy();
        KeySpan removed = KeySpan.fromTo(first, last).copy();
        if (!learnFrom(first.clone(), own, removed, lsn)) {
            // where keys are put and removed at one end, those at the other end have a gap from before
            boolean _ = learnFrom(last.clone(), own, removed, lsn);
            watchUnless(gaps.get(), first.clone());
        }
    }

    /** Learns in the gap that watches a key, and in those next to it. Returns false if there is none. */
    private boolean learnFrom(byte[] begin, KeySpan keys, KeySpan removed, long lsn) {
        byte[] key = begin;
        for (int i = 0; i < MOST_MET && key != null; i++) {
            List<Gap> now = gaps.get();
            Gap known = watching(now, key, keys, lsn);
            if (known == null) {
                if (i > 0) {
                    watchUnless(now, key);
                }
                return i > 0;
            }
            extend(now, known, keys, removed, lsn);
            key = unwatched(known, keys);
        }
        return true;
    }

    /** Watches all keys if no gap does that has this one. */
    private void watchUnless(List<Gap> now, byte[] key) {
        if (now.stream().noneMatch(gap -> gap.since() != NEVER && gap.watched().has(key))) {
            watch(key);
        }
    }

    /** Returns the key of the span at an end of what a gap watches, or null. It is one that was put and cut out of the gap. */
    private static byte @Nullable [] unwatched(Gap known, KeySpan keys) {
        byte[] end = known.watched().to();
        byte[] begin = known.watched().from();
        byte[] before = begin == null ? null : Arrays.copyOf(begin, begin.length - 1); // a gap begins after such a key
        return end != null && keys.has(end) ? end : before != null && keys.has(before) ? before : null;
    }

    /** Returns a gap that watches the key, or null. Prefers one that is known as empty next to the keys. */
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

    /**
     * Extends a gap by the keys, or adds a gap that watches the same keys if it is known as empty elsewhere. If the gaps were
     * changed meanwhile, nothing is learned.
     */
    private void extend(List<Gap> now, Gap known, KeySpan seen, KeySpan met, long lsn) {
        KeySpan keys = known.watched().and(seen);
        KeySpan removed = keys.and(met);
        boolean isCandidate = known.lsn() == NEVER;
        KeySpan both = isCandidate ? null : known.empty().or(keys);
        KeySpan empty = both == null ? keys : both;
        KeySpan allRemoved = both == null ? removed : known.removed().hull(removed);
        long upTo = both == null ? lsn : Math.max(lsn, known.lsn());
        List<Gap> result = new ArrayList<>();
        result.add(new Gap(numbers.incrementAndGet(), known.watched(), empty, allRemoved, known.since(), upTo));
        for (Gap gap : now) {
            boolean isInside = gap.lsn() == NEVER ? empty.has(gap.anchor()) : empty.covers(gap.empty());
            boolean isReplaced = gap.equals(known) && (isCandidate || both != null);
            if (!isReplaced && !isInside) {
                result.add(gap);
            }
        }
        gaps.compareAndSet(now, bounded(result));
    }

    /** Watches all keys from now on. The gap is dropped again if an operation may be under way that does not know of it. */
    private void watch(byte[] anchor) {
        if (!isBetweenOperations.getAsBoolean()) {
            return; // before the candidate takes the place of a gap
        }
        long number = numbers.incrementAndGet();
        KeySpan nothing = new KeySpan(anchor, anchor);
        Gap fresh = new Gap(number, KeySpan.ALL, nothing, nothing, NEVER, NEVER);
        gaps.updateAndGet(now -> {
            List<Gap> more = new ArrayList<>(now);
            more.add(fresh);
            return bounded(more);
        });
        boolean isKnownToAll = isBetweenOperations.getAsBoolean();
        long since = lastLsn.getAsLong();
        gaps.updateAndGet(now -> now.stream()
                .filter(gap -> gap.number() != number || isKnownToAll)
                .map(gap -> gap.number() != number
                        ? gap
                        : new Gap(number, gap.watched(), gap.empty(), gap.removed(), since, NEVER))
                .toList());
    }

    /** The number of keys that cursors went past one by one, counted where there were many in a row. */
    public long passedKeys() {
        return passedKeys.get();
    }
}
