package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import org.jspecify.annotations.Nullable;

/**
 * What must hold of one key for a write to be applied.
 *
 * @param kind what is compared
 * @param tag the tag, for {@link Kind#TAG_IS}; else 0
 * @param value the value, for {@link Kind#VALUE_IS}; else null
 */
public record ClientCondition(Kind kind, long tag, byte @Nullable [] value) {

    private static final ClientCondition ABSENT = new ClientCondition(Kind.ABSENT, 0, null);
    private static final ClientCondition EXISTS = new ClientCondition(Kind.EXISTS, 0, null);

    /** What is compared. */
    public enum Kind {
        /** The key has no value. */
        ABSENT,
        /** The key has a value. */
        EXISTS,
        /** The key's value has the tag. */
        TAG_IS,
        /** The key's value has exactly these bytes. */
        VALUE_IS
    }

    /** @throws io.kvstore.client.error.InvalidRequestException if it is VALUE_IS without a value */
    public ClientCondition {
        if (kind == Kind.VALUE_IS && value == null) {
            throw KVClientException.invalid("VALUE_IS needs a value; a key without one is ABSENT");
        }
    }

    /** The key has no value. */
    public static ClientCondition absent() {
        return ABSENT;
    }

    /** The key has a value, whichever. */
    public static ClientCondition exists() {
        return EXISTS;
    }

    /** The key has a value with this tag, see {@link TableReader#getTagged(byte[])}. */
    public static ClientCondition tagIs(long tag) {
        return new ClientCondition(Kind.TAG_IS, tag, null);
    }

    /** The key has exactly this value. */
    public static ClientCondition valueIs(byte[] value) {
        return new ClientCondition(Kind.VALUE_IS, 0, value);
    }
}
