package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class GenerationsTest {

    private final TreeSet<Long> snapshots = new TreeSet<>();
    private long segmentsEnd = 1;
    private final Generations generations = new Generations(
            () -> snapshots.stream().mapToLong(Long::longValue).toArray(),
            new Generations.State(1, 10, 0),
            () -> segmentsEnd);

    /** Changes the root, under an lsn or, if it is that of the newest state, without one. */
    private void change(long root, long lsn) {
        generations.begin(Math.max(lsn, generations.now().lsn() + 1));
        generations.applied(new Generations.State(root, lsn, 0));
    }

    private long rootAt(long lsn) {
        try (Generations.Look look = generations.look(lsn, 0)) {
            return look.state().rootId();
        }
    }

    @Test
    void what_is_looked_at_stays_as_it_was() {
        try (Generations.Look look = generations.look()) {
            long before = generations.current();
            change(2, 11);
            assertEquals(before, generations.current(), "whoever looks began the next generation");
            assertEquals(1, look.state().rootId());
            assertEquals(2, rootAt(Long.MAX_VALUE));
        }
    }

    @Test
    void a_change_without_an_lsn_is_seen_by_the_next_look() {
        try (Generations.Look old = generations.look()) {
            change(2, 10);
            assertEquals(2, rootAt(Long.MAX_VALUE));
            generations.reclaim();
            assertEquals(2, rootAt(Long.MAX_VALUE), "an older state of the same lsn is looked at still");
            assertEquals(2, rootAt(10));
            assertEquals(1, old.state().rootId());
        }
    }

    @Test
    void a_snapshot_sees_the_state_of_its_lsn_after_changes_with_and_without_one() {
        snapshots.add(10L);
        change(2, 10);
        change(3, 11);
        change(4, 12);
        generations.reclaim();
        long seen = rootAt(10);
        assertEquals(1, seen);
        snapshots.clear();
        generations.reclaim();
        assertThrows(IllegalStateException.class, () -> rootAt(10));
    }

    /** Some changes of the operations 11 to 13 are there; a snapshot of what was before, and one of what comes. */
    @Test
    void a_part_of_operations_is_the_state_of_no_snapshot() {
        snapshots.add(10L);
        generations.beginPart(11);
        assertTrue(generations.isPast(10));
        change(2, 10);
        snapshots.add(13L);
        assertFalse(generations.isPast(13));
        try (Generations.Look part = generations.look(13, 0)) {
            assertEquals(2, part.state().rootId(), "who has the changes looks at it as it is");
            assertTrue(part.isNewest());
            change(3, 10);
            generations.reclaim();
            assertEquals(2, part.state().rootId());
            assertEquals(1, rootAt(10));
        }
        assertEquals(3, rootAt(13));
        change(4, 13);
        generations.whole();
        assertEquals(1, rootAt(10));
        assertEquals(4, rootAt(Long.MAX_VALUE));
        change(5, 14);
        generations.reclaim();
        assertEquals(4, rootAt(13));
        assertEquals(1, rootAt(10));
    }

    /** Lsns of other tables lie between: a snapshot of 11 sees what this one was at 10. */
    @Test
    void a_snapshot_between_the_last_operation_and_a_part_is_kept() {
        snapshots.add(11L);
        generations.beginPart(12);
        change(2, 10);
        change(3, 13);
        generations.whole();
        generations.reclaim();
        assertEquals(1, rootAt(11));
    }

    @Test
    void pages_go_when_no_state_has_them() {
        long first = generations.current();
        try (Generations.Look look = generations.look()) {
            assertNotEquals(first, generations.current());
            change(2, 11);
            generations.retire(7, first);
            generations.retire(8, generations.current());
            assertEquals(List.of(8L), generations.reclaim());
            assertEquals(1, look.state().rootId());
        }
        assertEquals(List.of(7L), generations.reclaim());
        assertEquals(0, generations.retiredPages());
    }

    /** What was begun after a snapshot was opened is not kept for it. */
    @Test
    void segments_go_when_no_state_has_them() {
        segmentsEnd = 7;
        snapshots.add(10L);
        change(2, 11);
        generations.retireSegment(6);
        generations.retireSegment(7);
        assertEquals(new Generations.Segments(List.of(7L), List.of(6L)), generations.reclaimSegments());
        snapshots.clear();
        assertEquals(new Generations.Segments(List.of(6L), List.of()), generations.reclaimSegments());
        assertEquals(0, generations.retiredSegments());
    }

    /** Changes that wait may point into segments that are younger than what the tree points into. */
    @Test
    void segments_of_what_waits_are_kept_for_who_looks() {
        segmentsEnd = 7;
        try (Generations.Look look = generations.look(Long.MAX_VALUE, 9)) {
            change(2, 11);
            generations.retireSegment(8);
            generations.retireSegment(9);
            assertEquals(1, look.state().rootId());
            assertEquals(new Generations.Segments(List.of(9L), List.of(8L)), generations.reclaimSegments());
        }
    }

    /** A state that nobody's lsn lies between is not kept: each page that changes would be copied for it. */
    @Test
    void a_snapshot_of_what_comes_keeps_nothing_of_what_was_before() {
        snapshots.add(20L);
        long before = generations.current();
        generations.beginPart(11);
        change(2, 15);
        generations.whole();
        assertEquals(before, generations.current());
        generations.beginPart(21);
        change(3, 22);
        generations.whole();
        assertEquals(before + 1, generations.current());
        assertEquals(2, rootAt(20));
    }

    /** A checkpoint keeps what it reads, but nobody has to be told that somebody pins it. */
    @Test
    void checkpoint_keeps_segments_without_pinning_them() {
        segmentsEnd = 7;
        try (Generations.Look look = generations.lookForCheckpoint()) {
            change(2, 11);
            generations.retireSegment(6);
            assertEquals(1, look.state().rootId());
            assertEquals(new Generations.Segments(List.of(), List.of()), generations.reclaimSegments());
        }
        assertEquals(new Generations.Segments(List.of(6L), List.of()), generations.reclaimSegments());
    }
}
