package io.kvstore.views;

import java.text.Collator;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A codec with values to try it with.
 *
 * @param edges values that are easily mistaken
 * @param random makes other values
 */
record CodecCase<T>(String name, Codec<T> codec, List<T> edges, Function<SplittableRandom, T> random) {

    private static final int LONGEST = 6;
    private static final int SIZES = 64;

    /** Code points where UTF-8, UTF-16 and their orders part. */
    private static final int[] LETTERS = {
        0, 1, 0x20, 'a', 'b', 'z', 0x7F, 0x80, 0xFF, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF
    };

    private static final byte[] BYTES = {0, 1, 0x7F, (byte) 0x80, (byte) 0xFE, (byte) 0xFF};

    private static final CodecCase<Integer> INTS = new CodecCase<>(
            "INT",
            Codecs.INT,
            List.of(Integer.MIN_VALUE, -256, -1, 0, 1, 255, 256, Integer.MAX_VALUE),
            random -> random.nextInt() >> random.nextInt(Integer.SIZE));

    private static final CodecCase<String> STRINGS =
            new CodecCase<>("STRING", Codecs.STRING, List.of("", "\0", "\0\0", "a", "a\0", "ab"), CodecCase::text);

    private static final CodecCase<byte[]> ARRAYS = new CodecCase<>(
            "BYTES", Codecs.BYTES, List.of(new byte[0], new byte[1], new byte[2], new byte[] {-1}), CodecCase::bytes);

    /** Every codec there is, and some that are made of others. */
    static List<CodecCase<?>> all() {
        List<CodecCase<?>> cases = new ArrayList<>(List.of(INTS, STRINGS, ARRAYS));
        cases.addAll(numbers());
        cases.add(new CodecCase<>(
                "STRING_UTF16",
                Codecs.STRING_UTF16,
                List.of("", "\0", "\uD800", "\uDC00a"),
                random -> text(random) + (char) random.nextInt(0xD7F0, 0xE010)));
        List<TimeUnit> units = List.of(TimeUnit.values());
        cases.add(new CodecCase<>(
                "byName", Codecs.byName(TimeUnit.class), units, random -> units.get(random.nextInt(units.size()))));
        cases.add(collated(Collator.TERTIARY, Collator.CANONICAL_DECOMPOSITION));
        cases.add(collated(Collator.PRIMARY, Collator.NO_DECOMPOSITION));
        List.copyOf(cases).forEach(one -> cases.add(descending(one)));
        cases.add(descending(descending(STRINGS)));
        cases.add(pair(STRINGS, INTS));
        cases.add(pair(ARRAYS, ARRAYS));
        cases.add(pair(descending(STRINGS), STRINGS));
        cases.add(pair(pair(ARRAYS, STRINGS), ARRAYS));
        cases.add(descending(pair(STRINGS, ARRAYS)));
        cases.add(triple(STRINGS, ARRAYS, STRINGS));
        cases.add(triple(INTS, descending(ARRAYS), pair(STRINGS, STRINGS)));
        return cases;
    }

    private static List<CodecCase<?>> numbers() {
        return List.of(
                new CodecCase<>(
                        "LONG",
                        Codecs.LONG,
                        List.of(Long.MIN_VALUE, -1L << 32, -1L, 0L, 1L, 1L << 32, Long.MAX_VALUE),
                        random -> random.nextLong() >> random.nextInt(Long.SIZE)),
                new CodecCase<>(
                        "DOUBLE",
                        Codecs.DOUBLE,
                        List.of(
                                Double.NEGATIVE_INFINITY,
                                -Double.MAX_VALUE,
                                -1.0,
                                -Double.MIN_VALUE,
                                -0.0,
                                0.0,
                                Double.MIN_VALUE,
                                Double.MIN_NORMAL,
                                Double.MAX_VALUE,
                                Double.POSITIVE_INFINITY,
                                Double.NaN),
                        random -> Double.longBitsToDouble(random.nextLong())),
                new CodecCase<>(
                        "UUID",
                        Codecs.UUID,
                        List.of(new UUID(0, 0), new UUID(-1, -1), new UUID(1, -1), new UUID(Long.MIN_VALUE, 0)),
                        random -> new UUID(random.nextLong() >> random.nextInt(SIZES), random.nextLong())),
                new CodecCase<>(
                        "INSTANT",
                        Codecs.INSTANT,
                        List.of(Instant.MIN, Instant.EPOCH.minusNanos(1), Instant.EPOCH, Instant.MAX),
                        random -> Instant.ofEpochSecond(random.nextLong(-5, 5), random.nextLong(1_000_000_000))),
                new CodecCase<>("BOOLEAN", Codecs.BOOLEAN, List.of(false, true), SplittableRandom::nextBoolean));
    }

    private static CodecCase<String> collated(int strength, int decomposition) {
        Collator collator = Collator.getInstance(Locale.GERMAN);
        collator.setStrength(strength);
        collator.setDecomposition(decomposition);
        return new CodecCase<>(
                "collated " + strength,
                Codecs.collated(collator),
                List.of("", "a", "A", "\u00E4", "a\u0308", "ae", "b", "Strasse", "Stra\u00DFe"),
                CodecCase::text);
    }

    private static <T> CodecCase<T> descending(CodecCase<T> of) {
        return new CodecCase<>("descending " + of.name, Codecs.descending(of.codec), of.edges, of.random);
    }

    private static <A, B> CodecCase<Pair<A, B>> pair(CodecCase<A> first, CodecCase<B> second) {
        List<Pair<A, B>> edges = new ArrayList<>();
        first.edges.forEach(a -> second.edges.forEach(b -> edges.add(new Pair<>(a, b))));
        return new CodecCase<>(
                "(" + first.name + ", " + second.name + ")",
                Codecs.pair(first.codec, second.codec),
                edges,
                random -> new Pair<>(first.any(random), second.any(random)));
    }

    private static <A, B, C> CodecCase<Triple<A, B, C>> triple(
            CodecCase<A> first, CodecCase<B> second, CodecCase<C> third) {
        return new CodecCase<>(
                "(" + first.name + ", " + second.name + ", " + third.name + ")",
                Codecs.triple(first.codec, second.codec, third.codec),
                List.of(),
                random -> new Triple<>(first.any(random), second.any(random), third.any(random)));
    }

    /** An edge or another value. */
    T any(SplittableRandom random) {
        return random.nextInt(3) == 0 && !edges.isEmpty()
                ? edges.get(random.nextInt(edges.size()))
                : this.random.apply(random);
    }

    private static String text(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(LONGEST); i > 0; i--) {
            text.appendCodePoint(LETTERS[random.nextInt(LETTERS.length)]);
        }
        return text.toString();
    }

    private static byte[] bytes(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(LONGEST)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = BYTES[random.nextInt(BYTES.length)];
        }
        return bytes;
    }

    @Override
    public String toString() {
        return name;
    }
}
