package io.kvstore.views;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a map shows of its table: bounds, and a direction. Everything that maps, sub-maps and sets of keys know of
 * order is here. Immutable.
 *
 * @param range the bounds; reversed for a map that descends; without a limit
 */
record KeyWindow(KeyRange range) {

    /** All keys, from the least one up. */
    static final KeyWindow ALL = new KeyWindow(KeyRange.all());

    /** One end of a part of a window. */
    record Bound(byte[] key, boolean inclusive) {}

    boolean isAll() {
        return range.lower() == null && range.upper() == null;
    }

    boolean isDescending() {
        return range.reversed();
    }

    boolean contains(byte[] key) {
        return range.contains(key);
    }

    KeyWindow reversed() {
        return new KeyWindow(range.reverse());
    }

    /**
     * The part of this window between two bounds, given in the direction of the window; null leaves an end where it is.
     *
     * @throws IllegalArgumentException if a bound lies outside of the window, or the first bound behind the second
     */
    KeyWindow part(@Nullable Bound from, @Nullable Bound to) {
        Bound lower = isDescending() ? to : from;
        Bound upper = isDescending() ? from : to;
        KeyRange part = range;
        if (lower != null) {
            requireInside(lower, range.lower(), range.lowerInclusive(), 1);
            part = part.from(lower.key(), lower.inclusive());
        }
        if (upper != null) {
            requireInside(upper, range.upper(), range.upperInclusive(), -1);
            part = part.to(upper.key(), upper.inclusive());
        }
        byte[] least = part.lower();
        byte[] greatest = part.upper();
        if (least != null && greatest != null && KeyOrder.compare(least, greatest) > 0) {
            throw new IllegalArgumentException("the bounds " + KeyOrder.display(isDescending() ? greatest : least)
                    + " and " + KeyOrder.display(isDescending() ? least : greatest) + " are in the wrong order");
        }
        return new KeyWindow(part);
    }

    /** @param inwards 1 if keys of the window are greater than this end, -1 if they are less */
    private static void requireInside(Bound bound, byte @Nullable [] end, boolean endInclusive, int inwards) {
        if (end != null) {
            int order = KeyOrder.compare(bound.key(), end) * inwards;
            if (order < 0 || (order == 0 && bound.inclusive() && !endInclusive)) {
                throw new IllegalArgumentException("the bound " + KeyOrder.display(bound.key())
                        + " is outside of this map, which ends at " + KeyOrder.display(end));
            }
        }
    }

    /**
     * The keys of the window that lie ahead of a key, or behind it, beginning with the one next to it.
     *
     * @param key any key, in the window or not
     * @param inclusive whether the key itself counts
     * @param ahead whether to go on in the direction of the window, or back
     * @return null if there can be none
     */
    @Nullable
    KeyRange beside(byte[] key, boolean inclusive, boolean ahead) {
        KeyRange walk = ahead ? range : range.reverse();
        boolean isUpward = !walk.reversed();
        if (isUpward ? range.isAbove(key) : range.isBelow(key)) {
            return null;
        }
        if (isUpward ? range.isBelow(key) : range.isAbove(key)) {
            return walk;
        }
        return isUpward ? walk.from(key, inclusive) : walk.to(key, inclusive);
    }

    /** What is left of a walk after a key was reached. */
    static KeyRange rest(KeyRange walk, byte[] reached) {
        return walk.reversed() ? walk.to(reached, false) : walk.from(reached, false);
    }
}
