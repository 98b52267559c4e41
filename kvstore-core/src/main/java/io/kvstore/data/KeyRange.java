package io.kvstore.data;

import io.kvstore.error.InvalidRequestException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a table to visit, and the way to visit them: bounds, direction, limit, with or without values. Immutable.
 * Start from {@link #all()}, {@link #between} or {@link #prefix}, and refine the range. Arrays are not copied and must not
 * change afterwards.
 *
 * <p>A table whose engine keeps no order of keys has an order of its own, which is the same for all time. It refuses bounds and
 * the other direction. {@link #after} goes on behind a key in any table.
 *
 * @param lower the lower bound, or null for none
 * @param lowerInclusive whether a key equal to the lower bound belongs to the range
 * @param upper the upper bound, or null for none
 * @param upperInclusive whether a key equal to the upper bound belongs to the range
 * @param reversed whether to visit from the greatest key down
 * @param limit the most entries to visit, 1 or more; {@link Long#MAX_VALUE} for no limit
 * @param keysOnly whether values may be left out; values that are left out are empty
 * @param after the key behind which to begin, in the order of the visit, or null to begin with the first entry
 */
public record KeyRange(
        byte @Nullable [] lower,
        boolean lowerInclusive,
        byte @Nullable [] upper,
        boolean upperInclusive,
        boolean reversed,
        long limit,
        boolean keysOnly,
        byte @Nullable [] after) {

    private static final KeyRange ALL = new KeyRange(null, true, null, false, false, Long.MAX_VALUE, false, null);

    /** @throws InvalidRequestException if the limit is below 1 or a bound is longer than a key may be */
    public KeyRange {
        if (limit < 1) {
            throw new InvalidRequestException("limit is " + limit + "; give 1 or more");
        }
        checkBound("lower bound", lower);
        checkBound("upper bound", upper);
        checkBound("key to go on behind", after);
    }

    private static void checkBound(String name, byte @Nullable [] bound) {
        if (bound != null && bound.length > KeyOrder.MAX_KEY_BYTES) {
            throw new InvalidRequestException(
                    "the " + name + " has " + bound.length + " bytes; a key has at most " + KeyOrder.MAX_KEY_BYTES);
        }
    }

    /** Every entry, from the least key up. */
    public static KeyRange all() {
        return ALL;
    }

    /** From {@code lower}, inclusive, to {@code upper}, exclusive. */
    public static KeyRange between(byte[] lower, byte[] upper) {
        return ALL.from(lower, true).to(upper, false);
    }

    /** Every key that begins with {@code prefix}. */
    public static KeyRange prefix(byte[] prefix) {
        KeyRange from = ALL.from(prefix, true);
        byte[] end = successor(prefix);
        return end == null ? from : from.to(end, false);
    }

    /** This range with another lower bound. */
    public KeyRange from(byte[] bound, boolean inclusive) {
        return new KeyRange(bound, inclusive, upper, upperInclusive, reversed, limit, keysOnly, after);
    }

    /** This range with another upper bound. */
    public KeyRange to(byte[] bound, boolean inclusive) {
        return new KeyRange(lower, lowerInclusive, bound, inclusive, reversed, limit, keysOnly, after);
    }

    /** This range in the other direction. */
    public KeyRange reverse() {
        return new KeyRange(lower, lowerInclusive, upper, upperInclusive, !reversed, limit, keysOnly, after);
    }

    /** This range with at most {@code entries} entries. */
    public KeyRange limit(long entries) {
        return new KeyRange(lower, lowerInclusive, upper, upperInclusive, reversed, entries, keysOnly, after);
    }

    /** This range without values. */
    public KeyRange withoutValues() {
        return new KeyRange(lower, lowerInclusive, upper, upperInclusive, reversed, limit, true, after);
    }

    /**
     * The entries of this range behind a key, in the order of the visit. In a table with an order of keys these are the
     * greater ones, or the smaller ones if the range is reversed. In any other table they are those that a visit of the whole
     * table gives after the key. So the last key of a page finds the next page, also if that key was removed since.
     */
    public KeyRange after(byte[] key) {
        return new KeyRange(lower, lowerInclusive, upper, upperInclusive, reversed, limit, keysOnly, key);
    }

    /** This range with bounds instead of {@link #after}, for a table with an order of keys. */
    public KeyRange inKeyOrder() {
        if (after == null) {
            return this;
        }
        KeyRange whole = new KeyRange(lower, lowerInclusive, upper, upperInclusive, reversed, limit, keysOnly, null);
        if (reversed) {
            return isAbove(after) ? whole : whole.to(after, false);
        }
        return isBelow(after) ? whole : whole.from(after, false);
    }

    /** Whether the range has bounds or a direction, which ask for an order of keys. */
    public boolean needsOrder() {
        return lower != null || upper != null || reversed;
    }

    /** Whether {@code key} lies within both bounds. */
    public boolean contains(byte[] key) {
        return !isBelow(key) && !isAbove(key);
    }

    /** Whether {@code key} lies before the lower bound. */
    public boolean isBelow(byte[] key) {
        if (lower == null) {
            return false;
        }
        int order = KeyOrder.compare(key, lower);
        return lowerInclusive ? order < 0 : order <= 0;
    }

    /** Whether {@code key} lies after the upper bound. */
    public boolean isAbove(byte[] key) {
        if (upper == null) {
            return false;
        }
        int order = KeyOrder.compare(key, upper);
        return upperInclusive ? order > 0 : order >= 0;
    }

    /** The least key greater than every key with this prefix, or null if there is none. */
    private static byte @Nullable [] successor(byte[] prefix) {
        for (int i = prefix.length - 1; i >= 0; i--) {
            if (prefix[i] != (byte) 0xFF) {
                byte[] end = Arrays.copyOf(prefix, i + 1);
                end[i]++;
                return end;
            }
        }
        return null;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KeyRange that
                && Arrays.equals(lower, that.lower)
                && lowerInclusive == that.lowerInclusive
                && Arrays.equals(upper, that.upper)
                && upperInclusive == that.upperInclusive
                && reversed == that.reversed
                && limit == that.limit
                && keysOnly == that.keysOnly
                && Arrays.equals(after, that.after);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Arrays.hashCode(lower) + Arrays.hashCode(upper)) + Arrays.hashCode(after);
    }

    /** The bounds as an interval, and what else is not the default, such as {@code KeyRange["a" .. "b"), limit 10}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("KeyRange").append(lower == null || lowerInclusive ? '[' : '(');
        text.append(lower == null ? "first" : KeyOrder.display(lower)).append(" .. ");
        text.append(upper == null ? "last" : KeyOrder.display(upper))
                .append(upper == null || upperInclusive ? ']' : ')');
        text.append(reversed ? ", reversed" : "").append(keysOnly ? ", keys only" : "");
        text.append(after == null ? "" : ", after " + KeyOrder.display(after));
        return limit == Long.MAX_VALUE ? text.toString() : text + ", limit " + limit;
    }
}
