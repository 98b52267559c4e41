package io.kvstore.bplus.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.InterruptedThread;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class TreeVersionsTest {

    private final TreeSet<Long> snapshots = new TreeSet<>();
    private long segmentsEnd = 1;
    private final TreeVersions versions = new TreeVersions(
            () -> snapshots.stream().mapToLong(Long::longValue).toArray(),
            new TreeVersions.State(1, 10, 0),
            () -> segmentsEnd);

    /** Changes the root, under an lsn or, if it is that of the newest state, without one. */
    private void change(long root, long lsn) {
        versions.begin(Math.max(lsn, versions.now().lsn() + 1));
        versions.applied(new TreeVersions.State(root, lsn, 0));
    }

    private long rootAt(long lsn) {
        try (TreeVersions.Look look = versions.look(lsn, 0)) {
            return look.state().rootId();
        }
    }

    @Test
    void what_is_looked_at_stays_as_it_was() {
        try (TreeVersions.Look look = versions.look()) {
            long before = versions.current();
            change(2, 11);
            assertEquals(before, versions.current(), "whoever looks began the next generation");
            assertEquals(1, look.state().rootId());
            assertEquals(2, rootAt(Long.MAX_VALUE));
        }
    }

    @Test
    void a_change_without_an_lsn_is_seen_by_the_next_look() {
        try (TreeVersions.Look old = versions.look()) {
            change(2, 10);
            assertEquals(2, rootAt(Long.MAX_VALUE));
            versions.reclaim();
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
        versions.reclaim();
        long seen = rootAt(10);
        assertEquals(1, seen);
        snapshots.clear();
        versions.reclaim();
        assertThrows(IllegalStateException.class, () -> rootAt(10));
    }

    /** Some changes of the operations 11 to 13 are there; a snapshot of what was before, and one of what comes. */
    @Test
    void a_part_of_operations_is_the_state_of_no_snapshot() {
        snapshots.add(10L);
        versions.beginPart(11);
        assertTrue(versions.isPast(10));
        change(2, 10);
        snapshots.add(13L);
        assertFalse(versions.isPast(13));
        try (TreeVersions.Look part = versions.look(13, 0)) {
            assertEquals(2, part.state().rootId(), "who has the changes looks at it as it is");
            assertTrue(part.isNewest());
            change(3, 10);
            versions.reclaim();
            assertEquals(2, part.state().rootId());
            assertEquals(1, rootAt(10));
        }
        assertEquals(3, rootAt(13));
        change(4, 13);
        versions.whole();
        assertEquals(1, rootAt(10));
        assertEquals(4, rootAt(Long.MAX_VALUE));
        change(5, 14);
        versions.reclaim();
        assertEquals(4, rootAt(13));
        assertEquals(1, rootAt(10));
    }

    /** Lsns of other tables lie between: a snapshot of 11 sees what this one was at 10. */
    @Test
    void a_snapshot_between_the_last_operation_and_a_part_is_kept() {
        snapshots.add(11L);
        versions.beginPart(12);
        change(2, 10);
        change(3, 13);
        versions.whole();
        versions.reclaim();
        assertEquals(1, rootAt(11));
    }

    @Test
    void pages_go_when_no_state_has_them() {
        long first = versions.current();
        try (TreeVersions.Look look = versions.look()) {
            assertNotEquals(first, versions.current());
            change(2, 11);
            versions.retire(7, first);
            versions.retire(8, versions.current());
            assertEquals(List.of(8L), versions.reclaim());
            assertEquals(1, look.state().rootId());
        }
        assertEquals(List.of(7L), versions.reclaim());
        assertEquals(0, versions.retiredPages());
    }

    private void assertSegments(List<Long> free, List<Long> pinned) {
        List<Long> taken = LongStream.generate(versions::takeFreeSegment)
                .takeWhile(number -> number != TreeVersions.NO_SEGMENT)
                .boxed()
                .toList();
        assertEquals(free, taken);
        assertEquals(pinned, versions.pinnedSegments());
    }

    /** A failure after one segment must not lose the others, so each is taken when the one before was given back. */
    @Test
    void free_segments_are_taken_one_at_a_time() {
        segmentsEnd = 9;
        change(2, 11);
        versions.retireSegment(6);
        versions.retireSegment(7);
        assertEquals(6, versions.takeFreeSegment());
        assertEquals(1, versions.retiredSegments());
        assertSegments(List.of(7L), List.of());
    }

    /** What was begun after a snapshot was opened is not kept for it. */
    @Test
    void segments_go_when_no_state_has_them() {
        segmentsEnd = 7;
        snapshots.add(10L);
        change(2, 11);
        versions.retireSegment(6);
        versions.retireSegment(7);
        assertSegments(List.of(7L), List.of(6L));
        snapshots.clear();
        assertSegments(List.of(6L), List.of());
        assertEquals(0, versions.retiredSegments());
    }

    /** Changes that wait may point into segments that are younger than what the tree points into. */
    @Test
    void segments_of_what_waits_are_kept_for_who_looks() {
        segmentsEnd = 7;
        try (TreeVersions.Look look = versions.look(Long.MAX_VALUE, 9)) {
            change(2, 11);
            versions.retireSegment(8);
            versions.retireSegment(9);
            assertEquals(1, look.state().rootId());
            assertSegments(List.of(9L), List.of(8L));
        }
    }

    /** A state that nobody's lsn lies between is not kept: each page that changes would be copied for it. */
    @Test
    void a_snapshot_of_what_comes_keeps_nothing_of_what_was_before() {
        snapshots.add(20L);
        long before = versions.current();
        versions.beginPart(11);
        change(2, 15);
        versions.whole();
        assertEquals(before, versions.current());
        versions.beginPart(21);
        change(3, 22);
        versions.whole();
        assertEquals(before + 1, versions.current());
        assertEquals(2, rootAt(20));
    }

    /** A pause without a length lets nobody look. */
    @Test
    void an_interrupted_thread_that_makes_many_changes_lets_others_look() throws InterruptedException {
        Thread looking = new Thread(() -> versions.look().close());
        synchronized (versions) {
            looking.start();
            while (looking.isAlive() && looking.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            InterruptedThread changing = InterruptedThread.start(() -> {
                versions.letLook();
                versions.letLook();
            });
            changing.end();
            assertTrue(changing.hasPaused(2), "it makes no pause");
        }
        looking.join();
    }

    /** A checkpoint keeps what it reads, but nobody has to be told that somebody pins it. */
    @Test
    void checkpoint_keeps_segments_without_pinning_them() {
        segmentsEnd = 7;
        try (TreeVersions.Look look = versions.lookForCheckpoint()) {
            change(2, 11);
            versions.retireSegment(6);
            assertEquals(1, look.state().rootId());
            assertSegments(List.of(), List.of());
        }
        assertSegments(List.of(6L), List.of());
    }
}
