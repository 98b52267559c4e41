package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import org.jspecify.annotations.Nullable;

/**
 * The keys between two bounds, each of them optional, or all keys with a prefix. Keys are ordered as unsigned bytes. A String
 * stands for its UTF-8 bytes. Arrays are not copied.
 *
 * @param lower the lower bound, or null for none
 * @param lowerInclusive whether the lower bound itself belongs to the range
 * @param upper the upper bound, or null for none
 * @param upperInclusive whether the upper bound itself belongs to the range
 * @param prefix the beginning of all keys of the range; null for a range with bounds
 */
public record ClientRange(
        byte @Nullable [] lower,
        boolean lowerInclusive,
        byte @Nullable [] upper,
        boolean upperInclusive,
        byte @Nullable [] prefix) {

    private static final ClientRange ALL = new ClientRange(null, true, null, false, null);

    /** @throws io.kvstore.client.error.InvalidRequestException if the range has a prefix and a bound */
    public ClientRange {
        if (prefix != null && (lower != null || upper != null)) {
            throw KVClientException.invalid("a range has a prefix or bounds, not both");
        }
    }

    /** All keys. */
    public static ClientRange all() {
        return ALL;
    }

    /** The keys from {@code lower}, inclusive, to {@code upper}, exclusive. */
    public static ClientRange between(byte[] lower, byte[] upper) {
        return ALL.from(lower, true).to(upper, false);
    }

    /** The keys from {@code lower}, inclusive, to {@code upper}, exclusive. */
    public static ClientRange between(String lower, String upper) {
        return between(Utf8.bytes(lower), Utf8.bytes(upper));
    }

    /** All keys that begin with {@code prefix}. */
    public static ClientRange prefix(byte[] prefix) {
        return new ClientRange(null, true, null, false, prefix);
    }

    /** All keys that begin with {@code prefix}. */
    public static ClientRange prefix(String prefix) {
        return prefix(Utf8.bytes(prefix));
    }

    /**
     * This range with another lower bound.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if this range has a prefix
     */
    public ClientRange from(byte[] bound, boolean inclusive) {
        return new ClientRange(bound, inclusive, upper, upperInclusive, prefix);
    }

    /**
     * This range with another upper bound.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if this range has a prefix
     */
    public ClientRange to(byte[] bound, boolean inclusive) {
        return new ClientRange(lower, lowerInclusive, bound, inclusive, prefix);
    }
}
