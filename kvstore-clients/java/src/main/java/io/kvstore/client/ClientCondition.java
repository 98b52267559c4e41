package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import org.jspecify.annotations.Nullable;

/**
 * A condition on one key. A write that has this condition is applied only if the condition holds. The array is not copied.
 *
 * @param kind the kind of the condition
 * @param tag the expected tag for {@link Kind#TAG_IS}; 0 for the other kinds
 * @param value the expected value for {@link Kind#VALUE_IS}; null for the other kinds
 */
public record ClientCondition(Kind kind, long tag, byte @Nullable [] value) {

    private static final ClientCondition ABSENT = new ClientCondition(Kind.ABSENT, 0, null);
    private static final ClientCondition EXISTS = new ClientCondition(Kind.EXISTS, 0, null);

    /** The kind of a condition. */
    public enum Kind {
        /** The key has no value. */
        ABSENT,
        /** The key has a value. */
        EXISTS,
        /** The key has a value with the expected tag. */
        TAG_IS,
        /** The key has exactly the expected value. */
        VALUE_IS
    }

    /** @throws io.kvstore.client.error.InvalidRequestException if the kind is VALUE_IS and the value is null */
    public ClientCondition {
        if (kind == Kind.VALUE_IS && value == null) {
            throw KVClientException.invalid("VALUE_IS needs a value; a key without one is ABSENT");
        }
    }

    /** The key has no value. */
    public static ClientCondition absent() {
        return ABSENT;
    }

    /** The key has a value. It may be any value. */
    public static ClientCondition exists() {
        return EXISTS;
    }

    /** The key has a value with this tag. {@link TableReader#getTagged(byte[])} returns the tag of a value. */
    public static ClientCondition tagIs(long tag) {
        return new ClientCondition(Kind.TAG_IS, tag, null);
    }

    /**
     * The key has exactly this value.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the value is null
     */
    public static ClientCondition valueIs(byte[] value) {
        return new ClientCondition(Kind.VALUE_IS, 0, value);
    }
}
