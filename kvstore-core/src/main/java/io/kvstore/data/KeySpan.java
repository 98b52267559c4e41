package io.kvstore.data;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All keys at or after one key and below another one.
 *
 * @param from null for the least of all keys
 * @param to null for no end
 */
public record KeySpan(byte @Nullable [] from, byte @Nullable [] to) {

    public static final KeySpan ALL = new KeySpan(null, null);

    /** The keys within both bounds of a range. */
    static KeySpan of(KeyRange range) {
        byte[] lower = range.lower();
        byte[] upper = range.upper();
        return new KeySpan(
                lower == null || range.lowerInclusive() ? lower : after(lower),
                upper != null && range.upperInclusive() ? after(upper) : upper);
    }

    /**
     * The keys that a walk through a range passes.
     *
     * @param first the first of them, or null for the first of the range, in the direction of the walk
     * @param next the first key behind them, or null for all the rest of the range
     */
    public static KeySpan passed(KeyRange range, byte @Nullable [] first, byte @Nullable [] next) {
        KeySpan all = of(range);
        if (range.reversed()) {
            return new KeySpan(next == null ? all.from : after(next), first == null ? all.to : after(first));
        }
        return new KeySpan(first == null ? all.from : first, next == null ? all.to : next);
    }

    /** Two keys in any order, and all keys between the two. */
    static KeySpan fromTo(byte[] one, byte[] other) {
        boolean ascends = KeyOrder.compare(one, other) <= 0;
        return new KeySpan(ascends ? one : other, after(ascends ? other : one));
    }

    public static byte[] after(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    public boolean has(byte[] key) {
        return isAtOrAfterFrom(key) && (to == null || KeyOrder.compare(key, to) < 0);
    }

    private boolean isAtOrAfterFrom(byte[] key) {
        return from == null || KeyOrder.compare(key, from) >= 0;
    }

    /** Whether this span has the least key that another span may have. */
    boolean hasBeginOf(KeySpan other) {
        return other.from == null ? from == null : has(other.from);
    }

    /** Whether this span has all keys of another one from some key on. */
    boolean hasEndOf(KeySpan other) {
        if (other.to == null) {
            return to == null;
        }
        boolean beginsBefore = from == null || KeyOrder.compare(from, other.to) < 0;
        return beginsBefore && (to == null || KeyOrder.compare(other.to, to) <= 0);
    }

    /** A span of the same keys with arrays of its own. */
    KeySpan copy() {
        return new KeySpan(from == null ? null : from.clone(), to == null ? null : to.clone());
    }

    public boolean isEmpty() {
        return from != null && to != null && KeyOrder.compare(from, to) >= 0;
    }

    /** The keys that are in both spans. May be empty. */
    public KeySpan and(KeySpan other) {
        return new KeySpan(
                other.from != null && isAtOrAfterFrom(other.from) ? other.from : from,
                to == null || (other.to != null && KeyOrder.compare(other.to, to) < 0) ? other.to : to);
    }

    /** The union of both spans, or null if there are keys between the two. */
    public @Nullable KeySpan or(KeySpan other) {
        boolean meet = !isBefore(other) && !other.isBefore(this);
        return meet
                ? new KeySpan(
                        other.from == null || isAtOrAfterFrom(other.from) ? smallerFrom(other) : other.from,
                        to == null || other.to == null ? null : KeyOrder.compare(to, other.to) < 0 ? other.to : to)
                : null;
    }

    /** Both spans and all keys between the two. */
    KeySpan hull(KeySpan other) {
        if (isEmpty() || other.isEmpty()) {
            return isEmpty() ? other : this;
        }
        return Objects.requireNonNullElse(
                or(other), isBefore(other) ? new KeySpan(from, other.to) : new KeySpan(other.from, to));
    }

    private byte @Nullable [] smallerFrom(KeySpan other) {
        return other.from == null ? null : from;
    }

    /** Whether this span ends before the other one begins, with keys between the two. */
    private boolean isBefore(KeySpan other) {
        return to != null && other.from != null && KeyOrder.compare(to, other.from) < 0;
    }

    public boolean covers(KeySpan other) {
        return other.isEmpty() || and(other).equalsSpan(other);
    }

    private boolean equalsSpan(KeySpan other) {
        return Arrays.equals(from, other.from) && Arrays.equals(to, other.to);
    }
}
