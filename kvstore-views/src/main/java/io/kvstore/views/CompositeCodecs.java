package io.kvstore.views;

import java.text.Collator;
import java.util.Comparator;

/** Codecs that are made of others, by {@link Parts}. */
final class CompositeCodecs {

    private CompositeCodecs() {}

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
