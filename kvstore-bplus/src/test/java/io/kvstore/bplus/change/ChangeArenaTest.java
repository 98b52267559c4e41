package io.kvstore.bplus.change;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bplus.tree.Tree;
import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyOrder;
import io.kvstore.value.segment.ValuePointer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of the log come in the order of their keys, and those of one key in that of the log. */
final class ChangeArenaTest {

    private static final long NO_LIMIT = ChangeArena.MAX_BYTES;

    private record Expected(
            byte[] key,
            long lsn,
            byte @Nullable [] value,
            @Nullable ValuePointer pointer) {}

    private final ChangeArena changes = new ChangeArena(NO_LIMIT);
    private final List<Expected> expected = new ArrayList<>();

    private void add(byte[] key, long lsn, SplittableRandom random) {
        switch (random.nextInt(3)) {
            case 0 -> {
                changes.addRemoval(key, lsn);
                expected.add(new Expected(key, lsn, null, null));
            }
            case 1 -> {
                byte[] value = new byte[random.nextInt(40)];
                random.nextBytes(value);
                changes.addValue(key, lsn, value);
                expected.add(new Expected(key, lsn, value, null));
            }
            default -> {
                ValuePointer pointer = new ValuePointer(1 + lsn, Long.MAX_VALUE - lsn, Integer.MAX_VALUE - (int) lsn);
                changes.addPointer(key, lsn, pointer.segment(), pointer.offset(), pointer.valueLength());
                expected.add(new Expected(key, lsn, null, pointer));
            }
        }
    }

    private void assertSorted() {
        assertSorted(changes.sort());
    }

    private void assertSorted(SortedChanges sorted) {
        expected.sort(Comparator.comparing(Expected::key, KeyOrder.COMPARATOR).thenComparingLong(Expected::lsn));
        assertEquals(expected.size(), sorted.size());
        for (int i = 0; i < expected.size(); i++) {
            Expected one = expected.get(i);
            assertArrayEquals(one.key(), sorted.key(i));
            assertEquals(one.lsn(), sorted.lsn(i));
            assertEquals(one.pointer(), sorted.pointer(i));
            Slice value = sorted.value(i);
            assertArrayEquals(one.value(), value == null ? null : bytesOf(value));
            boolean isNewest = i + 1 == expected.size()
                    || !Arrays.equals(one.key(), expected.get(i + 1).key());
            assertEquals(isNewest, sorted.isNewest(i));
        }
    }

    private static byte[] bytesOf(Slice slice) {
        return Arrays.copyOfRange(slice.array(), slice.offset(), slice.offset() + slice.length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "user:", "a prefix that is longer than the head of a key"})
    void changes_come_in_the_order_of_keys_and_of_the_log(String prefix) {
        SplittableRandom random = new SplittableRandom(prefix.length());
        for (int lsn = 1; lsn <= 20_000; lsn++) {
            byte[] tail = new byte[random.nextInt(12)];
            for (int i = 0; i < tail.length; i++) {
                tail[i] = (byte) (random.nextInt(3) - 1); // few bytes, so that many keys agree in many of them
            }
            byte[] head = prefix.getBytes(StandardCharsets.US_ASCII);
            byte[] key = Arrays.copyOf(head, head.length + tail.length);
            System.arraycopy(tail, 0, key, head.length, tail.length);
            add(key, lsn, random);
        }
        assertSorted();
    }

    /** Runs of any length, sorted one after the other while more are added, are in order together. */
    @Test
    void runs_are_merged_to_one() {
        SplittableRandom random = new SplittableRandom(4);
        SortedChanges all = changes.sortedCopy(0, 0);
        for (int round = 0; round < 200; round++) {
            int before = changes.size();
            for (int i = random.nextInt(60); i >= 0; i--) {
                // in the end the keys have less in common than when the first were sorted
                String head = random.nextInt(1 + round) > 150 ? "" : "a head that many share ";
                add((head + random.nextInt(300)).getBytes(UTF_8), expected.size() + 1, random);
            }
            all = all.with(changes.sortedCopy(before, changes.size()));
        }
        assertSorted(all);
    }

    @Test
    void changes_of_a_key_are_found_from_either_end() {
        SplittableRandom random = new SplittableRandom(9);
        int lsn = 0;
        for (int key = 0; key < 50; key++) {
            for (int i = random.nextInt(1, 40); i > 0; i--) {
                add(new byte[] {(byte) (key * 37)}, 2L * ++lsn, random);
            }
        }
        SortedChanges sorted = changes.sort();
        for (int from = 0; from < sorted.size(); ) {
            int to = sorted.endOfKey(from, 1);
            assertEquals(from - 1, sorted.endOfKey(to - 1, -1));
            assertTrue(to == sorted.size() || !Arrays.equals(sorted.key(from), sorted.key(to)));
            assertArrayEquals(sorted.key(from), sorted.key(to - 1));
            assertEquals(from, sorted.countBelow(sorted.key(from), false));
            assertEquals(to, sorted.countBelow(sorted.key(from), true));
            assertEquals(-1, sorted.newestUpTo(from, to, sorted.lsn(from) - 1));
            for (int i = from; i < to; i++) {
                assertEquals(i, sorted.newestUpTo(from, to, sorted.lsn(i)));
                assertEquals(i, sorted.newestUpTo(from, to, sorted.lsn(i) + 1));
            }
            from = to;
        }
    }

    /** Any key parts the changes of a run, also one that does not begin as all of them do. */
    @ParameterizedTest
    @ValueSource(strings = {"", "a", "user:", "a prefix that is longer than the head of a key"})
    void a_key_parts_the_changes_below_it_from_the_others(String prefix) {
        SplittableRandom random = new SplittableRandom(prefix.length());
        List<byte[]> asked = new ArrayList<>(List.of(new byte[0], new byte[] {-1}, (prefix + "z").getBytes(UTF_8)));
        for (int i = 0; i <= prefix.length(); i++) {
            asked.add(prefix.substring(0, i).getBytes(UTF_8));
        }
        for (int lsn = 1; lsn <= 500; lsn++) {
            String tail = Long.toString(random.nextInt(1 << random.nextInt(1, 30)), 3);
            add((prefix + tail).getBytes(UTF_8), lsn, random);
            asked.add((prefix + tail).getBytes(UTF_8));
            asked.add((prefix + tail + '\0').getBytes(UTF_8));
        }
        SortedChanges sorted = changes.sort();
        assertEquals(0, changes.sortedCopy(0, 0).countBelow(asked.getFirst(), true));
        for (byte[] key : asked) {
            long below = expected.stream()
                    .filter(one -> KeyOrder.compare(one.key(), key) < 0)
                    .count();
            long same = expected.stream()
                    .filter(one -> Arrays.equals(one.key(), key))
                    .count();
            assertEquals(below, sorted.countBelow(key, false));
            assertEquals(below + same, sorted.countBelow(key, true));
        }
    }

    @Test
    void one_key_changed_again_and_again_stays_in_the_order_of_the_log() {
        SplittableRandom random = new SplittableRandom(7);
        for (int lsn = 1; lsn <= 5_000; lsn++) {
            add(new byte[] {1, 2, 3}, lsn, random);
        }
        assertSorted();
    }

    @Test
    void the_longest_key_and_value_fit_anywhere() {
        SplittableRandom random = new SplittableRandom(8);
        for (int lsn = 1; lsn <= 40; lsn++) {
            byte[] key = new byte[KeyOrder.MAX_KEY_BYTES - random.nextInt(3)];
            random.nextBytes(key);
            byte[] value = new byte[Tree.MAX_INLINE_BYTES];
            changes.addValue(key, lsn, value);
            expected.add(new Expected(key, lsn, value, null));
            add(new byte[] {(byte) lsn}, 100L + lsn, random);
        }
        assertSorted();
    }

    @Test
    void when_it_is_full_it_says_so_and_is_empty_when_cleared() {
        ChangeArena few = new ChangeArena(3 << 18);
        long lsn = 0;
        while (!few.isFull()) {
            few.addValue(new byte[1_000], ++lsn, new byte[1_000]);
        }
        assertTrue(few.heldBytes() >= 2 << 18 && few.heldBytes() <= 4 << 18, few.heldBytes() + " bytes");
        SortedChanges sorted = few.sort();
        assertEquals(1, sorted.lsn(0));
        assertEquals(lsn, sorted.lsn(sorted.size() - 1));
        few.clear();
        assertEquals(0, few.size());
        assertFalse(few.isFull());
        assertTrue(few.heldBytes() < 4_096);
        few.addRemoval(new byte[] {5}, 9);
        SortedChanges one = few.sort();
        assertArrayEquals(new byte[] {5}, one.key(0));
        assertNull(one.value(0));
        assertNull(one.pointer(0));
    }

    @Test
    void memory_of_changes_that_are_forgotten_has_others() {
        SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < 6; round++) {
            int most = 10 + random.nextInt(20_000);
            for (int lsn = 1; lsn <= most; lsn++) {
                add(("round " + round + " " + random.nextInt(5_000)).getBytes(UTF_8), lsn, random);
            }
            long held = changes.heldBytes();
            assertSorted();
            changes.clearKeepingMemory();
            expected.clear();
            assertEquals(0, changes.size());
            assertTrue(changes.heldBytes() < held);
        }
        byte[] longest = new byte[KeyOrder.MAX_KEY_BYTES];
        add(longest, 1, random);
        assertSorted();
    }

    @Test
    void more_than_addresses_reach_is_refused() {
        assertThrows(IllegalArgumentException.class, () -> new ChangeArena(NO_LIMIT + 1));
    }
}
