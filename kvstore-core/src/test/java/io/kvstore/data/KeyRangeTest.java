package io.kvstore.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Bounds, and the order they are in. */
final class KeyRangeTest {

    private static final byte[] B = {'b'};
    private static final byte[] D = {'d'};

    @Test
    void bounds_include_or_exclude_their_own_key() {
        for (boolean lowerIn : new boolean[] {true, false}) {
            for (boolean upperIn : new boolean[] {true, false}) {
                KeyRange range = KeyRange.all().from(B, lowerIn).to(D, upperIn);
                assertFalse(range.contains(new byte[] {'a', 'z'}));
                assertEquals(lowerIn, range.contains(B));
                assertTrue(range.contains(new byte[] {'b', 0}));
                assertTrue(range.contains(new byte[] {'c'}));
                assertEquals(upperIn, range.contains(D));
                assertFalse(range.contains(new byte[] {'d', 0}));
                assertEquals(!lowerIn, range.isBelow(B));
                assertEquals(!upperIn, range.isAbove(D));
            }
        }
        assertEquals(KeyRange.all().from(B, true).to(D, false), KeyRange.between(B, D));
    }

    @Test
    void no_bound_excludes_nothing() {
        assertTrue(KeyRange.all().contains(new byte[0]));
        assertTrue(KeyRange.all().contains(new byte[] {-1, -1}));
    }

    @Test
    void prefix_ends_where_its_keys_end() {
        KeyRange range = KeyRange.prefix(new byte[] {1, (byte) 0xFF});
        assertArrayEquals(new byte[] {2}, range.upper());
        assertTrue(range.contains(new byte[] {1, (byte) 0xFF}));
        assertTrue(range.contains(new byte[] {1, (byte) 0xFF, (byte) 0xFF}));
        assertFalse(range.contains(new byte[] {2}));
        assertFalse(range.contains(new byte[] {1, (byte) 0xFE}));
        assertNull(KeyRange.prefix(new byte[] {-1, -1}).upper());
        assertNull(KeyRange.prefix(new byte[0]).upper());
    }

    @Test
    void prefix_contains_exactly_the_keys_that_begin_so() {
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 20_000; i++) {
            byte[] prefix = someKey(random, 3);
            byte[] key = someKey(random, 4);
            boolean beginsSo = Arrays.equals(prefix, Arrays.copyOf(key, Math.min(key.length, prefix.length)));
            assertEquals(beginsSo, KeyRange.prefix(prefix).contains(key));
        }
    }

    @Test
    void order_is_that_of_unsigned_bytes_with_a_prefix_first() {
        List<byte[]> ordered = List.of(
                new byte[0],
                new byte[] {0},
                new byte[] {0, 0},
                new byte[] {0x7F},
                new byte[] {(byte) 0x80},
                new byte[] {(byte) 0xFF},
                new byte[] {(byte) 0xFF, 0});
        List<byte[]> sorted = new ArrayList<>(ordered.reversed());
        sorted.sort(KeyOrder.COMPARATOR);
        assertEquals(ordered, sorted);
        assertTrue(KeyOrder.compare(new byte[] {(byte) 0x80}, new byte[] {0x7F}) > 0);
    }

    @Test
    void refinements_keep_the_rest() {
        KeyRange range = KeyRange.between(B, D).reverse().limit(5).withoutValues();
        assertTrue(range.reversed() && range.keysOnly());
        assertEquals(5, range.limit());
        assertArrayEquals(B, range.lower());
        assertArrayEquals(D, range.upper());
        assertFalse(range.reverse().reversed());
    }

    @Test
    void limits_and_bounds_are_checked() {
        assertThrows(InvalidRequestException.class, () -> KeyRange.all().limit(0));
        assertEquals(1, KeyRange.all().limit(1).limit());
        byte[] longest = new byte[KeyOrder.MAX_KEY_BYTES];
        KeyRange.all().from(longest, true).to(longest, true);
        byte[] tooLong = new byte[KeyOrder.MAX_KEY_BYTES + 1];
        assertThrows(InvalidRequestException.class, () -> KeyRange.all().from(tooLong, true));
        assertThrows(InvalidRequestException.class, () -> KeyRange.all().to(tooLong, true));
        assertThrows(InvalidRequestException.class, () -> KeyRange.prefix(tooLong));
    }

    @Test
    void equality_is_of_bytes() {
        assertEquals(KeyRange.between(B, D), KeyRange.between(B.clone(), D.clone()));
        assertEquals(
                KeyRange.between(B, D).hashCode(),
                KeyRange.between(B.clone(), D.clone()).hashCode());
        assertNotEquals(KeyRange.between(B, D), KeyRange.between(B, B));
        assertNotEquals(KeyRange.between(B, D), KeyRange.between(B, D).reverse());
        assertEquals(new Entry(B, D), new Entry(B.clone(), D.clone()));
        assertNotEquals(new Entry(B, D), new Entry(B, B));
    }

    @Test
    void keys_are_displayed_in_ascii_and_cut() {
        assertEquals("\"a\\x00\\xff\\x22\\x5c\"", KeyOrder.display(new byte[] {'a', 0, -1, '"', '\\'}));
        byte[] many = new byte[41];
        Arrays.fill(many, (byte) 'x');
        assertEquals("\"" + "x".repeat(40) + "\"...", KeyOrder.display(many));
        assertEquals("Entry[\"b\", 1 bytes]", new Entry(B, D).toString());
    }

    private static byte[] someKey(SplittableRandom random, int maxLength) {
        byte[] key = new byte[random.nextInt(maxLength + 1)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(4) - 2);
        }
        return key;
    }

    /** Behind a key that lies before the bounds, among the keys between them, and after them. */
    @Test
    void what_is_behind_a_key_is_a_bound_where_keys_have_an_order() {
        byte[] a = {'a'};
        byte[] c = {'c'};
        KeyRange range = KeyRange.between(B, D).limit(3).withoutValues();
        assertEquals(range, range.inKeyOrder());
        assertEquals(range, range.after(a).inKeyOrder());
        assertEquals(range.from(B, false), range.after(B).inKeyOrder());
        assertEquals(range.from(c, false), range.after(c).inKeyOrder());
        assertFalse(range.after(D).inKeyOrder().contains(D));
        KeyRange reversed = range.reverse();
        assertEquals(reversed, reversed.after(D).inKeyOrder());
        assertEquals(reversed.to(c, false), reversed.after(c).inKeyOrder());
        assertEquals(range.to(c, false).reverse(), range.after(c).reverse().inKeyOrder());
        assertFalse(reversed.after(B).inKeyOrder().contains(B));
        assertEquals(
                KeyRange.all().from(new byte[0], false),
                KeyRange.all().after(new byte[0]).inKeyOrder());
    }

    @Test
    void a_key_to_go_on_behind_is_part_of_the_range() {
        KeyRange range = KeyRange.all().after(B);
        assertNotEquals(KeyRange.all(), range);
        assertEquals(range, KeyRange.all().after(new byte[] {'b'}));
        assertEquals(range.hashCode(), KeyRange.all().after(new byte[] {'b'}).hashCode());
        assertArrayEquals(
                B,
                range.limit(2)
                        .reverse()
                        .withoutValues()
                        .from(B, true)
                        .to(D, true)
                        .after());
        assertFalse(range.needsOrder());
        assertTrue(range.reverse().needsOrder());
        assertEquals("KeyRange[first .. last], after \"b\"", range.toString());
        byte[] longest = new byte[KeyOrder.MAX_KEY_BYTES];
        assertArrayEquals(longest, KeyRange.all().after(longest).after());
        InvalidRequestException tooLong = assertThrows(
                InvalidRequestException.class, () -> KeyRange.all().after(new byte[KeyOrder.MAX_KEY_BYTES + 1]));
        assertEquals(
                "the key to go on behind has 65536 bytes; a key has at most 65535",
                String.valueOf(tooLong.getMessage()));
    }
}
