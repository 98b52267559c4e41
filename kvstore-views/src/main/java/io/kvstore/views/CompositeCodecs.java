package io.kvstore.views;

import java.text.Collator;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Codecs that are made of others, by {@link Parts}. */
final class CompositeCodecs {

    private CompositeCodecs() {}

    static <A, B> Codec<Pair<A, B>> pair(Codec<A> first, Codec<B> second) {
        return Codec.of(
                pair -> Parts.joined(Parts.ended(first.encode(pair.first())), second.encode(pair.second())),
                bytes -> {
                    Parts parts = new Parts(bytes);
                    return new Pair<>(first.decode(parts.next()), second.decode(parts.rest()));
                },
                order(first.order(), second.order()));
    }

    private static <A, B> @Nullable Comparator<Pair<A, B>> order(
            @Nullable Comparator<? super A> first, @Nullable Comparator<? super B> second) {
        return first == null || second == null
                ? null
                : Comparator.<Pair<A, B>, A>comparing(Pair::first, first).thenComparing(Pair::second, second);
    }

    static <A, B, C> Codec<Triple<A, B, C>> triple(Codec<A> first, Codec<B> second, Codec<C> third) {
        return Codec.of(
                triple -> Parts.joined(
                        Parts.ended(first.encode(triple.first())),
                        Parts.ended(second.encode(triple.second())),
                        third.encode(triple.third())),
                bytes -> {
                    Parts parts = new Parts(bytes);
                    return new Triple<>(
                            first.decode(parts.next()), second.decode(parts.next()), third.decode(parts.rest()));
                },
                order(first.order(), second.order(), third.order()));
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

    /**
     * Each byte is replaced by its complement. That alone would leave a prefix before what it begins, so the bytes get an end
     * mark first, after which none of them is the beginning of others.
     */
    static <T> Codec<T> descending(Codec<T> ascending) {
        Comparator<? super T> order = ascending.order();
        return Codec.of(
                value -> complement(Parts.ended(ascending.encode(value))),
                bytes -> {
                    Parts parts = new Parts(complement(bytes));
                    byte[] encoded = parts.next();
                    parts.expectEnd();
                    return ascending.decode(encoded);
                },
                order == null ? null : order.reversed());
    }

    private static byte[] complement(byte[] bytes) {
        byte[] complement = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            complement[i] = (byte) ~bytes[i];
        }
        return complement;
    }

    /**
     * The collation key, which decides, then the String, which is read back.
     *
     * @param given copied, because its strength and decomposition can be changed
     */
    static Codec<String> collated(Collator given) {
        Collator collator = (Collator) given.clone();
        return Codec.of(
                text -> {
                    byte[] utf8 = Texts.utf8(text);
                    return Parts.joined(
                            Parts.ended(collator.getCollationKey(text).toByteArray()), utf8);
                },
                bytes -> {
                    Parts parts = new Parts(bytes);
                    parts.next();
                    return Texts.ofUtf8(parts.rest());
                },
                Comparator.comparing(collator::getCollationKey).thenComparing(Texts.BY_CODE_POINTS));
    }
}
