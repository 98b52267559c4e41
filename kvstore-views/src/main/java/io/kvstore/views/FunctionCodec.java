package io.kvstore.views;

import static java.util.Objects.requireNonNull;

import java.util.Comparator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A codec made of two functions. */
record FunctionCodec<T>(
        Function<? super T, byte[]> encoder,
        Function<byte[], ? extends T> decoder,
        @Nullable Comparator<? super T> order)
        implements Codec<T> {

    FunctionCodec {
        requireNonNull(encoder, "encode");
        requireNonNull(decoder, "decode");
    }

    @Override
    public byte[] encode(T value) {
        return encoder.apply(requireNonNull(value));
    }

    @Override
    public T decode(byte[] bytes) {
        return decoder.apply(bytes);
    }
}
