package io.kvstore.views;

import static java.util.Objects.requireNonNull;

import io.kvstore.Table;
import io.kvstore.data.Entry;
import io.kvstore.data.KeyOrder;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.OutcomeUnknownException;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the bytes of a table mean. Bytes that mean nothing are reported with the table and the key. A codec that gives null is
 * found out here, because null would be taken for no value: a change would remove its key, and one that was refused seem done.
 */
record Coding<K, V>(Table table, Codec<K> keys, Codec<V> values) {

    private static final String GIVES_NULL = "the codec gives null";

    /** @throws ClassCastException if the key is of another type */
    @SuppressWarnings("unchecked") // the codec finds out, as the comparator of a TreeMap does
    byte[] keyBytes(Object key) {
        return requireNonNull(keys.encode((K) requireNonNull(key, "the key is null")), GIVES_NULL);
    }

    /** @throws ClassCastException if the value is of another type */
    @SuppressWarnings("unchecked") // the codec finds out
    byte[] valueBytes(Object value) {
        return requireNonNull(values.encode((V) requireNonNull(value, "the value is null")), GIVES_NULL);
    }

    K key(byte[] key) {
        try {
            return requireNonNull(keys.decode(key), GIVES_NULL);
        } catch (RuntimeException e) {
            throw new InvalidRequestException(undecodable("the key", key, "", e), e);
        }
    }

    V value(byte[] key, byte[] value) {
        try {
            return requireNonNull(values.decode(value), GIVES_NULL);
        } catch (RuntimeException e) {
            throw new InvalidRequestException(undecodable("the value of key", key, "", e), e);
        }
    }

    /**
     * The value that a key had before a change that is done.
     *
     * @throws OutcomeUnknownException if it cannot be decoded: nobody may take the change for one that was refused
     */
    @Nullable
    V valueBefore(byte[] key, byte @Nullable [] value) {
        try {
            return value == null ? null : requireNonNull(values.decode(value), GIVES_NULL);
        } catch (RuntimeException e) {
            throw new OutcomeUnknownException(
                    undecodable("the change is done, but the value before it of key", key, " and is gone", e), e);
        }
    }

    Map.Entry<K, V> entry(Entry entry) {
        return new SimpleImmutableEntry<>(key(entry.key()), value(entry.key(), entry.value()));
    }

    private String undecodable(String what, byte[] key, String state, RuntimeException cause) {
        return what + " " + KeyOrder.display(key) + " in table " + table.database() + "." + table.name()
                + " cannot be decoded" + state + ": " + reason(cause)
                + "; open the map with the codecs that the table was written with";
    }

    /** Some exceptions have no message, such as those of a buffer that ends too early. */
    private static String reason(RuntimeException cause) {
        String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }
}
