package io.kvstore.views;

import java.util.Comparator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How the values of a type become bytes and back. A codec has no state and is safe for use by several threads.
 *
 * <p>A codec is a promise about stored data. Another codec for the same table reads other values from the same bytes, or fails.
 * Two values that are equal should have the same bytes, because a table knows nothing but bytes: a key is found by its bytes,
 * and {@code replace(key, expected, value)} compares bytes.
 *
 * @param <T> the type of the values
 */
public interface Codec<T> {

    /**
     * The bytes of a value, in an array that nobody changes later.
     *
     * @throws NullPointerException if the value is null
     * @throws io.kvstore.error.InvalidRequestException if the value has no bytes in this codec
     */
    byte[] encode(T value);

    /**
     * The value with these bytes. The array belongs to the caller; a codec that keeps it, or returns it, makes a copy.
     *
     * @throws IllegalArgumentException if the bytes are not those of a value. A map reports it, and every other exception, as
     *     {@link io.kvstore.error.InvalidRequestException} that names table and key
     */
    T decode(byte[] bytes);

    /**
     * The order of values that is the order of their bytes, unsigned, a prefix first. {@link Comparator#naturalOrder()} says
     * that it is the natural order of the type. Null says that the order of the bytes means nothing: such a codec is for
     * values, and not for keys of maps.
     */
    @Nullable
    Comparator<? super T> order();

    /**
     * A codec made of two functions.
     *
     * @param encode as {@link #encode}
     * @param decode as {@link #decode}
     * @param order as {@link #order()}; the caller promises that the encoding keeps it
     */
    static <T> Codec<T> of(
            Function<? super T, byte[]> encode,
            Function<byte[], ? extends T> decode,
            @Nullable Comparator<? super T> order) {
        return new FunctionCodec<>(encode, decode, order);
    }
}
