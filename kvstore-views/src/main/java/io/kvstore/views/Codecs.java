package io.kvstore.views;

import io.kvstore.data.KeyOrder;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.text.Collator;
import java.time.Instant;
import java.util.Comparator;
import java.util.UUID;

/**
 * The codecs of the usual types. The bytes of each are in the order that its {@link Codec#order()} says, so each can be the
 * codec of keys, alone or as a part of others. The encodings are fixed: what is stored now is read by every later release.
 */
public final class Codecs {

    private static final long SIGN = Long.MIN_VALUE;

    // A byte buffer around the bytes of a number is an object that the compiler does not always get rid of.
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final int UUID_BYTES = 2 * Long.BYTES;
    private static final int INSTANT_BYTES = Long.BYTES + Integer.BYTES;
    private static final int MAX_NANOS = 999_999_999;

    /** 4 bytes, big-endian, the sign bit flipped. Natural order. */
    public static final Codec<Integer> INT = Codec.of(
            value -> {
                byte[] bytes = new byte[Integer.BYTES];
                INTS.set(bytes, 0, value ^ Integer.MIN_VALUE);
                return bytes;
            },
            bytes -> (int) INTS.get(whole(bytes, Integer.BYTES), 0) ^ Integer.MIN_VALUE,
            Comparator.naturalOrder());

    /** 8 bytes, big-endian, the sign bit flipped. Natural order. */
    public static final Codec<Long> LONG = Codec.of(
            value -> bytesOf(value ^ SIGN),
            bytes -> (long) LONGS.get(whole(bytes, Long.BYTES), 0) ^ SIGN,
            Comparator.naturalOrder());

    /**
     * 8 bytes, big-endian, the sign bit of positive numbers flipped and all bits of negative ones. Natural order, which is that
     * of {@link Double#compare}: -0.0 is less than 0.0, and NaN, of which there is one, is greater than all others.
     */
    public static final Codec<Double> DOUBLE = Codec.of(
            value -> bytesOf(inOrder(Double.doubleToLongBits(value))),
            bytes -> Double.longBitsToDouble(outOfOrder((long) LONGS.get(whole(bytes, Long.BYTES), 0))),
            Comparator.naturalOrder());

    /**
     * Strict UTF-8. The order is that of code points, and not that of {@link String#compareTo}: the two differ for code points
     * above U+FFFF. A String with a surrogate that stands alone is refused with
     * {@link io.kvstore.error.InvalidRequestException}.
     */
    public static final Codec<String> STRING = Codec.of(Texts::utf8, Texts::ofUtf8, Texts.BY_CODE_POINTS);

    /**
     * UTF-16, big-endian: 2 bytes for each char, one more than UTF-8 has for ASCII. Natural order, exactly that of
     * {@link String#compareTo}. Takes every String.
     */
    public static final Codec<String> STRING_UTF16 = Codec.of(Texts::utf16, Texts::ofUtf16, Comparator.naturalOrder());

    /**
     * The 16 bytes that a UUID is written with. The order is that of these bytes, which is the order of the UUID as text, and
     * for UUIDs of version 7 the order of time. {@link UUID#compareTo} differs: it compares two signed numbers.
     */
    public static final Codec<UUID> UUID = Codec.of(
            value -> ByteBuffer.allocate(UUID_BYTES)
                    .putLong(value.getMostSignificantBits())
                    .putLong(value.getLeastSignificantBits())
                    .array(),
            Codecs::uuid,
            Comparator.comparing(java.util.UUID::getMostSignificantBits, Long::compareUnsigned)
                    .thenComparing(java.util.UUID::getLeastSignificantBits, Long::compareUnsigned));

    /**
     * Bytes as they are, copied both ways. The order is that of unsigned bytes, a prefix first. A map with such keys compares
     * them by content, and so breaks the rule that equal keys are {@link Object#equals equal}.
     */
    public static final Codec<byte[]> BYTES = Codec.of(byte[]::clone, byte[]::clone, KeyOrder.COMPARATOR);

    /**
     * 12 bytes: the seconds since 1970 as {@link #LONG}, and the nanoseconds within the second. Natural order. All instants
     * from {@link Instant#MIN} to {@link Instant#MAX}.
     */
    public static final Codec<Instant> INSTANT = Codec.of(
            value -> ByteBuffer.allocate(INSTANT_BYTES)
                    .putLong(value.getEpochSecond() ^ SIGN)
                    .putInt(value.getNano())
                    .array(),
            Codecs::instant,
            Comparator.naturalOrder());

    /** 1 byte, 0 or 1. Natural order: false first. */
    public static final Codec<Boolean> BOOLEAN =
            Codec.of(value -> new byte[] {(byte) (value ? 1 : 0)}, Codecs::truth, Comparator.naturalOrder());

    private Codecs() {}

    /**
     * The constants of an enum as their names in UTF-8. They keep their places when constants are added or moved. A constant
     * that is renamed is not found any more.
     *
     * @return a codec in the order of names
     */
    public static <E extends Enum<E>> Codec<E> byName(Class<E> type) {
        return Codec.of(
                value -> Texts.utf8(value.name()),
                bytes -> Enum.valueOf(type, Texts.ofUtf8(bytes)),
                Comparator.comparing(Enum::name, Texts.BY_CODE_POINTS));
    }

    /**
     * The values of a codec in the other direction: the complement of their bytes, with 2 bytes more for the end and 1 for each
     * zero byte.
     */
    public static <T> Codec<T> descending(Codec<T> codec) {
        return CompositeCodecs.descending(codec);
    }

    /**
     * Strings in the order of a language. The bytes are the collation key and then the String, so Strings that the collator
     * takes for equal are still different keys, in the order of code points. An ASCII letter takes 10 bytes, or 7 if the
     * collator's strength is {@link Collator#SECONDARY}, or 4 if it is {@link Collator#PRIMARY}; a key has 10 bytes more.
     * Letters that the collator's language does not have may take twice as many. So a key, which has 65,535 bytes at most, has
     * room for 6,500 letters.
     *
     * <p>The bytes come from the collator's rules. Where the rules change, because of another strength, another decomposition
     * or another release of Java, keys that were stored before are not found any more: write them anew.
     *
     * @param collator such as {@code Collator.getInstance(Locale.GERMAN)}; copied, so later changes of it have no effect
     */
    public static Codec<String> collated(Collator collator) {
        return CompositeCodecs.collated(collator);
    }

    /**
     * Pairs, in the order of the first part, then of the second. The first part has 2 bytes more for its end and 1 for each of
     * its zero bytes. All pairs with one first part lie beside each other, see {@link PairCodec#startingWith}.
     */
    public static <A, B> PairCodec<A, B> pair(Codec<A> first, Codec<B> second) {
        return new PairCodec<>(first, second);
    }

    /**
     * Triples, in the order of the first part, then of the second, then of the third. Each part but the third one is as the
     * first part of a pair.
     */
    public static <A, B, C> TripleCodec<A, B, C> triple(Codec<A> first, Codec<B> second, Codec<C> third) {
        return new TripleCodec<>(first, second, third);
    }

    /** A number that is, as a signed one, in the order of {@link Double#compare}; flipped to be so as an unsigned one. */
    private static long inOrder(long bits) {
        return bits < 0 ? ~bits : bits ^ SIGN;
    }

    private static long outOfOrder(long ordered) {
        return ordered < 0 ? ordered ^ SIGN : ~ordered;
    }

    private static UUID uuid(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(whole(bytes, UUID_BYTES));
        return new UUID(buffer.getLong(), buffer.getLong());
    }

    private static Instant instant(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(whole(bytes, INSTANT_BYTES));
        long second = buffer.getLong() ^ SIGN;
        int nanos = buffer.getInt();
        if (second < Instant.MIN.getEpochSecond()
                || second > Instant.MAX.getEpochSecond()
                || nanos < 0
                || nanos > MAX_NANOS) {
            throw new IllegalArgumentException("no instant has second " + second + " and nanosecond " + nanos);
        }
        return Instant.ofEpochSecond(second, nanos);
    }

    private static boolean truth(byte[] bytes) {
        byte truth = whole(bytes, 1)[0];
        if (truth != 0 && truth != 1) {
            throw new IllegalArgumentException("the byte is " + truth + ", neither 0 nor 1");
        }
        return truth == 1;
    }

    private static byte[] bytesOf(long number) {
        byte[] bytes = new byte[Long.BYTES];
        LONGS.set(bytes, 0, number);
        return bytes;
    }

    private static byte[] whole(byte[] bytes, int length) {
        if (bytes.length != length) {
            throw new IllegalArgumentException("there are " + bytes.length + " bytes instead of " + length);
        }
        return bytes;
    }
}
