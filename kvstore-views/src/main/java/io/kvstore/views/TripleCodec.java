package io.kvstore.views;

import io.kvstore.data.KeyRange;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** The codec of triples, see {@link Codecs#triple}. It knows the ranges of its keys. */
public final class TripleCodec<A, B, C> implements Codec<Triple<A, B, C>> {

    private final Codec<A> first;
    private final Codec<B> second;
    private final Codec<C> third;
    private final @Nullable Comparator<Triple<A, B, C>> order;

    TripleCodec(Codec<A> first, Codec<B> second, Codec<C> third) {
        this.first = first;
        this.second = second;
        this.third = third;
        this.order = order(first.order(), second.order(), third.order());
    }

    private static <A, B, C> @Nullable Comparator<Triple<A, B, C>> order(
            @Nullable Comparator<? super A> first,
            @Nullable Comparator<? super B> second,
            @Nullable Comparator<? super C> third) {
        return first == null || second == null || third == null
                ? null
                : Comparator.<Triple<A, B, C>, A>comparing(Triple::first, first)
                        .thenComparing(Triple::second, second)
                        .thenComparing(Triple::third, third);
    }

    @Override
    public byte[] encode(Triple<A, B, C> triple) {
        return Parts.joined(
                Parts.ended(first.encode(triple.first())),
                Parts.ended(second.encode(triple.second())),
                third.encode(triple.third()));
    }

    @Override
    public Triple<A, B, C> decode(byte[] bytes) {
        Parts parts = new Parts(bytes);
        return new Triple<>(first.decode(parts.next()), second.decode(parts.next()), third.decode(parts.rest()));
    }

    @Override
    public @Nullable Comparator<Triple<A, B, C>> order() {
        return order;
    }

    /** The range of all keys that have this first part, as {@link PairCodec#startingWith}. */
    public KeyRange startingWith(A value) {
        return KeyRange.prefix(Parts.ended(first.encode(value)));
    }

    /** The range of all keys that have these first two parts, as {@link PairCodec#startingWith}. */
    public KeyRange startingWith(A value, B next) {
        return KeyRange.prefix(Parts.joined(Parts.ended(first.encode(value)), Parts.ended(second.encode(next))));
    }
}
