package io.kvstore.views;

import io.kvstore.data.KeyRange;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** The codec of pairs, see {@link Codecs#pair}. It knows the ranges of its keys. */
public final class PairCodec<A, B> implements Codec<Pair<A, B>> {

    private final Codec<A> first;
    private final Codec<B> second;
    private final @Nullable Comparator<Pair<A, B>> order;

    PairCodec(Codec<A> first, Codec<B> second) {
        this.first = first;
        this.second = second;
        this.order = order(first.order(), second.order());
    }

    private static <A, B> @Nullable Comparator<Pair<A, B>> order(
            @Nullable Comparator<? super A> first, @Nullable Comparator<? super B> second) {
        return first == null || second == null
                ? null
                : Comparator.<Pair<A, B>, A>comparing(Pair::first, first).thenComparing(Pair::second, second);
    }

    @Override
    public byte[] encode(Pair<A, B> pair) {
        return Parts.joined(Parts.ended(first.encode(pair.first())), second.encode(pair.second()));
    }

    @Override
    public Pair<A, B> decode(byte[] bytes) {
        Parts parts = new Parts(bytes);
        return new Pair<>(first.decode(parts.next()), second.decode(parts.rest()));
    }

    @Override
    public @Nullable Comparator<Pair<A, B>> order() {
        return order;
    }

    /**
     * The range of all keys that have this first part. It is a range of tables whose keys were written with this codec. Where
     * the pair is itself a part of a key, or {@linkplain Codecs#descending descends}, the bytes are others.
     */
    public KeyRange startingWith(A value) {
        return KeyRange.prefix(Parts.ended(first.encode(value)));
    }
}
