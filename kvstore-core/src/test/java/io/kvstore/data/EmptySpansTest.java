package io.kvstore.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EmptySpansTest {

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    @Test
    void a_put_cuts_a_gap_in_two() {
        long[] lsn = {10};
        boolean[] isFree = {false};
        EmptySpans gaps = new EmptySpans(() -> isFree[0], () -> lsn[0]);
        KeySpan all = new KeySpan(key(100), key(200));
        gaps.learn(all, key(100), key(199), 10, 100);
        assertTrue(gaps.isNone(), "an operation may be under way that does not know");
        isFree[0] = true;
        gaps.learn(all, key(100), key(199), 10, 100);
        assertNull(gaps.around(key(150), 10), "what was put between the look and now is not known");
        gaps.learn(all, key(100), key(199), 9, 100);
        assertNull(gaps.around(key(150), 10), "that look was too early");
        gaps.learn(all, key(100), key(199), 10, 100);
        assertNull(gaps.around(key(150), 9));
        assertNull(gaps.around(key(200), 10));
        KeySpan known = gaps.around(key(150), 10);
        assertNotNull(known);
        assertArrayEquals(key(100), known.from());
        assertArrayEquals(key(200), known.to());
        gaps.cut(List.of(new Mutation.Remove(key(120)), new Mutation.Put(key(150), new byte[0])));
        assertNull(gaps.around(key(150), 11));
        KeySpan below = gaps.around(key(120), 11);
        KeySpan above = gaps.around(key(151), 11);
        assertNotNull(below);
        assertNotNull(above);
        assertArrayEquals(key(150), below.to());
        assertArrayEquals(KeySpan.after(key(150)), above.from());
        assertArrayEquals(key(200), above.to());
        assertEquals(400, gaps.passedKeys());
    }

    /** Spans with no operation under way. */
    private static EmptySpans known(int from, int to) {
        EmptySpans spans = new EmptySpans(() -> true, () -> 10);
        learn(spans, new KeySpan(key(from), key(to)));
        return spans;
    }

    private static void learn(EmptySpans spans, KeySpan span) {
        byte[] from = span.from();
        assertNotNull(from);
        byte[] to = span.to();
        learn(spans, span, from, to == null ? from : to);
    }

    private static void learn(EmptySpans spans, KeySpan span, byte[] first, byte[] last) {
        spans.learn(span, first, last, 10, 100); // makes a candidate
        spans.learn(span, first, last, 10, 100);
    }

    private static void put(EmptySpans spans, byte[] key) {
        spans.cut(List.of(new Mutation.Put(key, new byte[0])));
    }

    /** Puts near the first key of a large span cut small spans off. The oldest small ones are forgotten. */
    @ParameterizedTest
    @ValueSource(ints = {7, 8, 9, 100})
    void a_large_span_outlives_the_pieces_that_are_cut_off(int puts) {
        EmptySpans spans = known(0, 1_000);
        for (int i = 1; i <= puts; i++) {
            put(spans, key(2 * i));
        }
        assertNotNull(spans.around(key(900), 10));
        int pieces = 0;
        for (int i = 0; i <= puts; i++) {
            pieces += spans.around(key(2 * i + 1), 10) == null ? 0 : 1;
        }
        assertEquals(Math.min(8, puts + 1), pieces);
    }

    /** A span is known if no key that bounds it is longer than 1 KiB. */
    @ParameterizedTest
    @ValueSource(ints = {1_023, 1_024, 1_025})
    void bounds_are_at_most_1024_bytes_long(int length) {
        EmptySpans learned = new EmptySpans(() -> true, () -> 10);
        learn(learned, new KeySpan(key(1), Arrays.copyOf(key(2), length)));
        assertEquals(length <= 1_024, learned.around(key(1), 10) != null);
        EmptySpans cut = known(1, 9);
        put(cut, Arrays.copyOf(key(5), length));
        assertEquals(length <= 1_024, cut.around(key(1), 10) != null);
        assertNull(cut.around(Arrays.copyOf(key(5), length), 10));
    }

    /** A walk begins behind the gap in which its range begins, in the direction of the walk. */
    @Test
    void a_range_that_begins_in_a_gap_begins_behind_it() {
        EmptySpans spans = known(10, 20);
        KeyRange all = KeyRange.all();
        for (int lower = 9; lower <= 21; lower++) {
            KeyRange from = all.from(key(lower), true).limit(7);
            boolean isInside = lower >= 10 && lower < 20;
            assertEquals(isInside ? from.from(key(20), true) : from, spans.behindGap(from, 10), from::toString);
            KeyRange to = all.to(key(lower), false).reverse();
            boolean isEndInside = lower > 10 && lower <= 20;
            assertEquals(isEndInside ? to.to(key(10), false) : to, spans.behindGap(to, 10), to::toString);
        }
        KeyRange behindNine = all.from(key(9), false);
        assertEquals(behindNine, spans.behindGap(behindNine, 10), "a longer key may lie between 9 and 10");
        KeyRange behindTen = all.from(key(10), false);
        assertEquals(all.from(key(20), true), spans.behindGap(behindTen, 10));
        assertEquals(behindTen, spans.behindGap(behindTen, 9), "at lsn 9 it is not known");
        KeyRange upToTwenty = all.to(key(20), true).reverse();
        assertEquals(upToTwenty, spans.behindGap(upToTwenty, 10));
        assertEquals(all, spans.behindGap(all, 10));
        assertEquals(all.reverse(), spans.behindGap(all.reverse(), 10));
        EmptySpans ends = new EmptySpans(() -> true, () -> 10);
        learn(ends, new KeySpan(null, key(5)), key(1), key(4));
        learn(ends, new KeySpan(key(90), null), key(99), key(90));
        assertEquals(all.from(key(5), true), ends.behindGap(all, 10));
        assertEquals(all.reverse().to(key(90), false), ends.behindGap(all.reverse(), 10));
        KeyRange last = all.from(key(95), true);
        assertEquals(last, ends.behindGap(last, 10), "nothing is behind that gap");
    }

    @Test
    void the_keys_that_a_walk_passes_lie_between_two_entries_or_bounds() {
        KeyRange range = KeyRange.all().from(key(1), false).to(key(9), true);
        byte[] begin = KeySpan.after(key(1));
        byte[] end = KeySpan.after(key(9));
        assertSpan(begin, end, KeySpan.passed(range, null, null));
        assertSpan(key(3), key(7), KeySpan.passed(range, key(3), key(7)));
        assertSpan(begin, end, KeySpan.passed(range.reverse(), null, null));
        assertSpan(KeySpan.after(key(3)), KeySpan.after(key(7)), KeySpan.passed(range.reverse(), key(7), key(3)));
        assertSpan(null, null, KeySpan.passed(KeyRange.all(), null, null));
        assertSpan(
                key(1), key(9), KeySpan.passed(KeyRange.between(key(1), key(9)).reverse(), null, null));
    }

    private static void assertSpan(byte @Nullable [] from, byte @Nullable [] to, KeySpan span) {
        assertArrayEquals(from, span.from());
        assertArrayEquals(to, span.to());
    }

    /** A queue at each end of a table, or one for each of several prefixes. */
    @Test
    void spans_that_do_not_meet_are_known_side_by_side() {
        EmptySpans spans = known(0, 10);
        for (int i = 1; i < 8; i++) {
            learn(spans, new KeySpan(key(100 * i), key(100 * i + 10)));
        }
        for (int i = 0; i < 8; i++) {
            assertNotNull(spans.around(key(100 * i + 5), 10), i + " of eight spans");
            assertNull(spans.around(key(100 * i + 10), 10));
        }
        put(spans, key(705));
        assertNull(spans.around(key(705), 10));
        assertNotNull(spans.around(key(105), 10));
        learn(spans, new KeySpan(key(110), key(160)));
        KeySpan joined = spans.around(key(150), 10);
        assertNotNull(joined);
        assertArrayEquals(key(100), joined.from());
    }

    /** Each such put parts the span. A part in which no key was removed is dropped, so the parts do not drive out the span. */
    @Test
    void puts_beside_what_was_removed_keep_its_span() {
        EmptySpans up = new EmptySpans(() -> true, () -> 10);
        learn(up, new KeySpan(null, key(500)), key(100), key(499));
        EmptySpans down = new EmptySpans(() -> true, () -> 10);
        learn(down, new KeySpan(key(100), null), key(499), key(100));
        for (int i = 1; i <= 20; i++) {
            put(up, key(100 - i));
            assertNull(up.around(key(0), 10), "nothing was removed there");
            put(down, key(499 + i));
            assertNull(down.around(key(900), 10), "nothing was removed there");
            for (EmptySpans spans : List.of(up, down)) {
                assertNotNull(spans.around(key(100), 10));
                assertNotNull(spans.around(key(499), 10));
            }
        }
    }

    /** A stack whose keys are new each time: each walk begins at keys that no span watched when they were put. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_span_grows_at_either_end(boolean reversed) {
        EmptySpans spans = known(1_000, 2_000);
        for (int round = 1; round <= 20; round++) {
            int far = reversed ? 2_000 + 10 * round : 1_000 - 10 * round;
            for (int i = 0; i < 10; i++) {
                put(spans, key(reversed ? far - 10 + i : far + 9 - i));
            }
            int near = reversed ? 1_000 - round : 2_000 + round;
            KeySpan seen = reversed ? new KeySpan(key(near), key(far)) : new KeySpan(key(far), key(near));
            spans.learn(seen, key(reversed ? far - 1 : far), key(reversed ? near : near - 1), 10, 12);
            assertNotNull(spans.around(key(1_500), 10), "round " + round);
            assertNotNull(spans.around(key(reversed ? near : near - 1), 10), "round " + round);
        }
    }

    /** A walk over 64 removed keys is reported, and one over 8 if it skipped a known span. */
    @Test
    void short_walks_are_not_reported() {
        for (int passed : new int[] {0, 7, 8, 9, 63, 64, 65}) {
            assertEquals(passed >= 64, EmptySpans.isWorthwhile(passed, false), passed + " keys");
            assertEquals(passed >= 8, EmptySpans.isWorthwhile(passed, true), passed + " keys beyond a span");
        }
    }

    /** A cursor beside a writer that never pauses makes no other span unknown. */
    @Test
    void a_watch_that_fails_drops_no_span() {
        boolean[] isFree = {true};
        EmptySpans spans = new EmptySpans(() -> isFree[0], () -> 10);
        learn(spans, new KeySpan(key(0), key(10)));
        for (int i = 0; i < 7; i++) { // eight pieces
            put(spans, key(i + 2));
        }
        put(spans, key(50)); // cuts what is watched
        isFree[0] = false;
        learn(spans, new KeySpan(key(50), key(60)));
        for (int i = 0; i < 2; i++) {
            assertNotNull(spans.around(key(i), 10));
        }
        spans.forget();
        assertTrue(spans.isNone());
    }
}
