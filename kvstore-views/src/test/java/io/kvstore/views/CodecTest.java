package io.kvstore.views;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.testkit.Seeds;
import java.text.Collator;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class CodecTest {

    private static final int VALUES = 2_000;

    static List<CodecCase<?>> cases() {
        return CodecCase.all();
    }

    /** In the order of bytes, neighbours are in the order of values; then all others are, too. */
    @ParameterizedTest
    @MethodSource("cases")
    <T> void bytes_are_in_the_order_of_values(CodecCase<T> tried) {
        Comparator<? super T> order = requireNonNull(tried.codec().order());
        Seeds.each(1, 1, seed -> {
            List<T> values = values(tried, seed);
            values.sort(Comparator.comparing(tried.codec()::encode, KeyOrder.COMPARATOR));
            for (int i = 1; i < values.size(); i++) {
                T left = values.get(i - 1);
                T right = values.get(i);
                int ofBytes = KeyOrder.compare(
                        tried.codec().encode(left), tried.codec().encode(right));
                assertEquals(Integer.signum(ofBytes), Integer.signum(order.compare(left, right)), left + ", " + right);
                assertEquals(-Integer.signum(ofBytes), Integer.signum(order.compare(right, left)), left + ", " + right);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("cases")
    <T> void what_was_encoded_is_decoded(CodecCase<T> tried) {
        Comparator<? super T> order = requireNonNull(tried.codec().order());
        Seeds.each(2, 1, seed -> {
            for (T value : values(tried, seed)) {
                byte[] bytes = tried.codec().encode(value);
                T decoded = tried.codec().decode(bytes);
                assertEquals(0, order.compare(value, decoded), value + " became " + decoded);
                assertArrayEquals(bytes, tried.codec().encode(decoded));
            }
        });
    }

    private static <T> List<T> values(CodecCase<T> tried, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<T> values = new ArrayList<>(tried.edges());
        while (values.size() < VALUES) {
            values.add(tried.any(random));
        }
        return values;
    }

    @ParameterizedTest
    @MethodSource("cases")
    @SuppressWarnings("NullAway") // null is what is tried
    <T> void null_is_refused(CodecCase<T> tried) {
        assertThrows(NullPointerException.class, () -> tried.codec().encode(null));
    }

    /** What is stored now is read by every later release. */
    @Test
    void encodings_stay_as_they_are() {
        assertBytes("80000001", Codecs.INT, 1);
        assertBytes("7fffffff", Codecs.INT, -1);
        assertBytes("8000000000000001", Codecs.LONG, 1L);
        assertBytes("bff0000000000000", Codecs.DOUBLE, 1.0);
        assertBytes("400fffffffffffff", Codecs.DOUBLE, -1.0);
        assertBytes("7fffffffffffffff", Codecs.DOUBLE, -0.0);
        assertBytes("fff8000000000000", Codecs.DOUBLE, Double.longBitsToDouble(-1));
        assertBytes("61c3a4f0908080", Codecs.STRING, "a\u00E4\uD800\uDC00");
        assertBytes("006100e4d800", Codecs.STRING_UTF16, "a\u00E4\uD800");
        assertBytes(
                "00112233445566778899aabbccddeeff",
                Codecs.UUID,
                UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"));
        assertBytes("00ff", Codecs.BYTES, new byte[] {0, -1});
        assertBytes("7fffffffffffffff3b9ac9ff", Codecs.INSTANT, Instant.EPOCH.minusNanos(1));
        assertBytes("01", Codecs.BOOLEAN, true);
        assertBytes("44415953", Codecs.byName(TimeUnit.class), TimeUnit.DAYS);
        assertBytes("9eff00ffff", Codecs.descending(Codecs.BYTES), new byte[] {0x61, 0});
        assertBytes(
                "6100ff00000062", Codecs.pair(Codecs.BYTES, Codecs.STRING), new Pair<>(new byte[] {0x61, 0}, "\0b"));
        assertBytes(
                "61000000000163",
                Codecs.triple(Codecs.STRING, Codecs.STRING, Codecs.BYTES),
                new Triple<>("a", "", new byte[] {1, 0x63}));
    }

    private static <T> void assertBytes(String hex, Codec<T> codec, T value) {
        assertEquals(hex, HexFormat.of().formatHex(codec.encode(value)), () -> "of " + value);
    }

    @ParameterizedTest
    @CsvSource({
        "INT, 000000",
        "INT, 0000000000",
        "LONG, 00000000",
        "DOUBLE, ''",
        "UUID, 00",
        "BOOLEAN, 02",
        "BOOLEAN, 0101",
        "INSTANT, 800000000000000000000000000000",
        "INSTANT, 80000000000000003b9aca00",
        "INSTANT, 8000000000000000ffffffff",
        "INSTANT, ffffffffffffffff00000000",
        "INSTANT, 000000000000000000000000",
        "STRING, 61ff",
        "STRING, c080",
        "STRING, eda080",
        "STRING, e282",
        "STRING_UTF16, 006100",
        "byName, 64617973",
        "descending BYTES, 9e",
        "descending BYTES, 9effff00",
        "descending BYTES, 9effaa",
        "'(STRING, INT)', 61",
        "'(STRING, INT)', 610000",
        "'(STRING, INT)', 61000180000000",
        "'(STRING, INT)', 6100",
    })
    void other_bytes_are_refused(String name, String hex) {
        CodecCase<?> tried = CodecCase.all().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThrows(IllegalArgumentException.class, () -> tried.codec().decode(bytes));
    }

    @Test
    void the_letter_that_stands_for_damage_is_a_letter() {
        assertEquals("a\uFFFDb", Codecs.STRING.decode(Codecs.STRING.encode("a\uFFFDb")));
    }

    @Test
    void a_surrogate_alone_has_no_utf8() {
        for (String text : List.of("\uD800", "a\uD800b", "\uDC00", "\uDC00\uD800", "\uD83D\uDE00\uD83D")) {
            String message =
                    String.valueOf(assertThrows(InvalidRequestException.class, () -> Codecs.STRING.encode(text))
                            .getMessage());
            assertTrue(message.contains("STRING_UTF16"), message);
        }
    }

    @Test
    void strings_have_the_two_orders_that_they_name() {
        String privateUse = "\uE000";
        String emoji = "\uD83D\uDE00";
        assertTrue(requireNonNull(Codecs.STRING.order()).compare(privateUse, emoji) < 0);
        assertTrue(requireNonNull(Codecs.STRING_UTF16.order()).compare(privateUse, emoji) > 0);
    }

    @Test
    void arrays_are_copied_both_ways() {
        byte[] given = {1};
        byte[] encoded = Codecs.BYTES.encode(given);
        assertNotSame(given, encoded);
        assertNotSame(encoded, Codecs.BYTES.decode(encoded));
    }

    @Test
    void a_collator_that_is_changed_later_changes_nothing() {
        Collator collator = Collator.getInstance(Locale.GERMAN);
        Codec<String> codec = Codecs.collated(collator);
        byte[] before = codec.encode("\u00C4pfel");
        collator.setStrength(Collator.PRIMARY);
        assertArrayEquals(before, codec.encode("\u00C4pfel"));
        Comparator<? super String> order = requireNonNull(codec.order());
        assertTrue(order.compare("\u00C4pfel", "Birne") < 0);
        assertTrue(order.compare("apfel", "\u00C4pfel") < 0);
    }

    @Test
    void keys_with_one_first_part_are_a_range() {
        PairCodec<String, Integer> pairs = Codecs.pair(Codecs.STRING, Codecs.INT);
        KeyRange range = pairs.startingWith("a");
        assertTrue(range.contains(pairs.encode(new Pair<>("a", Integer.MIN_VALUE))));
        assertTrue(range.contains(pairs.encode(new Pair<>("a", Integer.MAX_VALUE))));
        for (String other : List.of("", "A", "a\0", "aa", "b")) {
            assertFalse(range.contains(pairs.encode(new Pair<>(other, 0))), other);
        }
    }

    @Test
    void triples_with_one_or_two_first_parts_are_a_range() {
        TripleCodec<String, String, String> triples = Codecs.triple(Codecs.STRING, Codecs.STRING, Codecs.STRING);
        List<String> texts = List.of("", "\0", "a", "a\0", "ab", "b");
        for (String first : texts) {
            for (String second : texts) {
                for (String third : texts) {
                    byte[] key = triples.encode(new Triple<>(first, second, third));
                    assertEquals(first.equals("a"), triples.startingWith("a").contains(key));
                    assertEquals(
                            first.equals("a") && second.equals("ab"),
                            triples.startingWith("a", "ab").contains(key));
                }
            }
        }
    }

    /** A pair within a key has other bytes than a pair that is a key: its own marks are escaped. */
    @Test
    void a_first_part_may_be_a_pair() {
        PairCodec<String, String> inner = Codecs.pair(Codecs.STRING, Codecs.STRING);
        PairCodec<Pair<String, String>, String> outer = Codecs.pair(inner, Codecs.STRING);
        byte[] key = outer.encode(new Pair<>(new Pair<>("a", "b"), "c"));
        assertTrue(outer.startingWith(new Pair<>("a", "b")).contains(key));
        assertFalse(outer.startingWith(new Pair<>("a", "")).contains(key));
        assertFalse(inner.startingWith("a").contains(key), "the range of keys of another codec");
    }

    /** The figures of the documentation, which tell how long a String can be. */
    @Test
    void a_letter_in_the_order_of_a_language_has_its_price() {
        Collator collator = Collator.getInstance(Locale.GERMAN);
        int[] strengths = {Collator.PRIMARY, Collator.SECONDARY, Collator.TERTIARY};
        for (int i = 0; i < strengths.length; i++) {
            collator.setStrength(strengths[i]);
            int letters = 1_000;
            assertEquals(10 + (4 + 3 * i) * letters, Codecs.collated(collator).encode("x".repeat(letters)).length);
        }
        assertEquals(Collator.TERTIARY, Collator.getInstance(Locale.GERMAN).getStrength());
    }

    @Test
    void what_has_a_part_without_order_has_none() {
        Codec<String> unordered =
                Codec.of(text -> text.getBytes(ISO_8859_1), bytes -> new String(bytes, ISO_8859_1), null);
        assertNull(Codecs.pair(Codecs.INT, unordered).order());
        assertNull(Codecs.pair(unordered, Codecs.INT).order());
        assertNull(Codecs.triple(Codecs.INT, Codecs.INT, unordered).order());
        assertNull(Codecs.descending(unordered).order());
    }
}
