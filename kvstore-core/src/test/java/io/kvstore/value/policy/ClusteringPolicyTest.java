package io.kvstore.value.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.value.segment.ValueSegmentInfo;
import io.kvstore.value.segment.ValueSegmentUse;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which segments are written once more for scans, and how many at a time. */
final class ClusteringPolicyTest {

    private static final int PATIENCE = 4;

    private final ClusteringPolicy policy = new ClusteringPolicy(PATIENCE);

    private static ValueSegmentUse segment(long number, long liveBytes) {
        return new ValueSegmentUse(new ValueSegmentInfo(number, 2 * liveBytes, 10), liveBytes);
    }

    @Test
    void one_wait_for_each_value_is_enough_and_several_where_they_are_in_order() {
        assertFalse(policy.isWaitedFor(0, 0, false));
        for (int values : new int[] {1, 10, 1_000}) {
            assertFalse(policy.isWaitedFor(values, values, false));
            assertTrue(policy.isWaitedFor(values + 1, values, false));
            assertFalse(policy.isWaitedFor((long) PATIENCE * values, values, true));
            assertTrue(policy.isWaitedFor((long) PATIENCE * values + 1, values, true));
        }
    }

    @Test
    void a_run_has_as_many_segments_as_there_is_room_for() {
        List<ValueSegmentUse> chosen =
                List.of(segment(9, 40), segment(3, 60), segment(5, 30), segment(7, 11), segment(12, 500));
        assertEquals(List.of(Set.of(3L, 5L), Set.of(7L, 9L), Set.of(12L)), ClusteringPolicy.runs(chosen, 100, 10));
        assertEquals(List.of(Set.of(3L, 5L, 7L), Set.of(9L), Set.of(12L)), ClusteringPolicy.runs(chosen, 101, 10));
        assertEquals(List.of(), ClusteringPolicy.runs(List.of(), 100, 10));
    }

    @Test
    void two_segments_are_written_where_there_is_no_room() {
        List<ValueSegmentUse> chosen = List.of(segment(1, 10), segment(2, 10), segment(3, 10));
        assertEquals(List.of(Set.of(1L, 2L), Set.of(3L)), ClusteringPolicy.runs(chosen, -5, 10));
    }
}
