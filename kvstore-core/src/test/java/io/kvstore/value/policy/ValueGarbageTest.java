package io.kvstore.value.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.value.segment.ValueSegmentInfo;
import io.kvstore.value.segment.ValueSegmentUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class ValueGarbageTest {

    private static final int SEGMENT_BYTES = 1_000;

    private final ValueGarbage garbage = ValueGarbage.knownLate(SEGMENT_BYTES);

    private static ValueSegmentUse segment(long number, long bytes, long liveBytes) {
        return new ValueSegmentUse(new ValueSegmentInfo(number, bytes, 1), liveBytes);
    }

    private static Set<Long> all(List<ValueSegmentUse> segments) {
        return segments.stream().map(ValueSegmentUse::number).collect(Collectors.toSet());
    }

    @Test
    void what_is_due_and_what_is_small_is_chosen_and_what_was_tried_is_not_due_again() {
        List<ValueSegmentUse> segments = new ArrayList<>(List.of(segment(1, 4_000, 1_000), segment(2, 3_000, 2_600)));
        for (int number = 3; number < 7; number++) {
            segments.add(segment(number, 100, 100));
        }
        assertEquals(Set.of(1L, 3L, 4L, 5L, 6L), garbage.chosen(segments, false));
        assertEquals(Set.of(1L, 2L, 3L, 4L, 5L, 6L), garbage.chosen(segments, true));
        assertTrue(garbage.isMoreDue(segments, Set.of(2L), 4_000));
        assertFalse(garbage.isMoreDue(segments, Set.of(1L), 4_000));
    }

    @Test
    void nothing_is_due_up_to_the_bound() {
        assertEquals(Set.of(), garbage.due(List.of()));
        assertEquals(Set.of(), garbage.due(List.of(segment(1, 1_850, 1_000))));
        assertEquals(Set.of(1L), garbage.due(List.of(segment(1, 1_851, 1_000))));
        assertEquals(Set.of(), garbage.due(List.of(segment(1, 500, 0))));
        assertEquals(Set.of(1L), garbage.due(List.of(segment(1, 501, 0))));
    }

    @Test
    void what_is_known_at_once_may_be_more() {
        ValueGarbage atOnce = ValueGarbage.knownAtOnce(SEGMENT_BYTES);
        assertEquals(Set.of(), atOnce.due(List.of(segment(1, 1_970, 1_000))));
        assertEquals(Set.of(1L), atOnce.due(List.of(segment(1, 1_971, 1_000))));
        assertTrue(atOnce.isTooMuch(971, 1_000));
        assertFalse(atOnce.isTooMuch(970, 1_000));
    }

    /** Every table's bound: half of what is alive and a segment. */
    @Test
    void no_bound_is_beyond_the_one_for_all() {
        for (ValueGarbage one : List.of(garbage, ValueGarbage.knownAtOnce(SEGMENT_BYTES))) {
            for (long live : List.of(0L, 1_000L, 1_000_000L)) {
                assertTrue(one.isTooMuch(live / 2 + SEGMENT_BYTES, live));
            }
        }
    }

    @Test
    void what_is_hidden_leaves_room_for_what_is_known() {
        assertFalse(garbage.mayHideTooMuch(650, 1_000));
        assertTrue(garbage.mayHideTooMuch(651, 1_000));
        long live = 1_000_000;
        long known = 350_500;
        long hidden = 150_500;
        assertFalse(garbage.isTooMuch(known, live));
        assertFalse(garbage.mayHideTooMuch(hidden, live));
        assertEquals(live / 2 + SEGMENT_BYTES, known + hidden);
    }

    @Test
    void emptiest_segments_come_first_and_no_more_than_needed() {
        List<ValueSegmentUse> segments =
                List.of(segment(1, 1_000, 900), segment(2, 1_000, 100), segment(3, 1_000, 990), segment(4, 2_000, 300));
        assertEquals(Set.of(2L, 4L), garbage.due(segments));
    }

    /** Emptying what is due brings the dead bytes below the bound, whatever they were. */
    @Test
    void what_is_due_is_enough() {
        for (ValueGarbage one : List.of(garbage, ValueGarbage.knownAtOnce(SEGMENT_BYTES))) {
            checkWhatIsDue(one);
        }
    }

    private static void checkWhatIsDue(ValueGarbage garbage) {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 2_000; round++) {
            List<ValueSegmentUse> segments = new ArrayList<>();
            for (int i = random.nextInt(30); i >= 0; i--) {
                long bytes = random.nextLong(1, 3_000);
                segments.add(segment(i + 1, bytes, random.nextLong(bytes + 1)));
            }
            Set<Long> due = garbage.due(segments);
            long live = segments.stream().mapToLong(ValueSegmentUse::liveBytes).sum();
            long left = segments.stream()
                    .filter(segment -> !due.contains(segment.number()))
                    .mapToLong(ValueSegmentUse::deadBytes)
                    .sum();
            assertFalse(garbage.isTooMuch(left, live), segments + " but " + due);
        }
    }

    @Test
    void worthwhile_is_a_tenth() {
        assertEquals(Set.of(), garbage.worthwhile(List.of(segment(1, 1_000, 836), segment(2, 40, 8))));
        assertEquals(Set.of(1L), garbage.worthwhile(List.of(segment(1, 1_000, 835))));
    }

    @Test
    void small_segments_join_those_that_are_like_them() {
        List<ValueSegmentUse> alike =
                List.of(segment(1, 60, 60), segment(2, 70, 70), segment(3, 60, 60), segment(4, 249, 249));
        assertEquals(Set.of(1L, 2L, 3L, 4L), garbage.small(alike, all(alike)));
        assertEquals(Set.of(), garbage.small(alike, Set.of(1L, 2L, 3L)), "three are too few");
        List<ValueSegmentUse> mixed =
                List.of(segment(1, 10, 1), segment(2, 10, 1), segment(3, 10, 1), segment(4, 20, 1), segment(5, 101, 1));
        assertEquals(
                Set.of(1L, 2L, 3L, 4L), garbage.small(mixed, all(mixed)), "the last is more than twice the others");
        List<ValueSegmentUse> large = List.of(
                segment(1, 250, 1), segment(2, 250, 1), segment(3, 250, 1), segment(4, 250, 1), segment(5, 249, 1));
        assertEquals(Set.of(), garbage.small(large, all(large)), "a quarter of the usual size is not small");
    }
}
