package io.kvstore.value.append;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Segments that nobody needs: none is forgotten, whatever happens while one goes. */
final class UnleasedSegmentsTest {

    private final UnleasedSegments segments = new UnleasedSegments();
    private final Set<Long> taken = new HashSet<>();

    private static StoredSegment segment(long number) {
        return new StoredSegment(number, "segment " + number, 1, gone -> {});
    }

    private void add(int from, int to) {
        for (int number = from; number <= to; number++) {
            segments.add(segment(number));
        }
    }

    @Test
    void each_is_taken_once() {
        assertTrue(segments.isEmpty());
        add(1, 5);
        assertFalse(segments.isEmpty());
        segments.takeAll(one -> assertTrue(taken.add(one.number())));
        assertTrue(segments.isEmpty());
        assertEquals(Set.of(1L, 2L, 3L, 4L, 5L), taken);
    }

    @Test
    void a_segment_that_could_not_go_stays_with_those_behind_it() {
        for (int failing = 1; failing <= 5; failing++) {
            taken.clear();
            add(1, 5);
            int at = failing;
            assertThrows(
                    OutOfMemoryError.class,
                    () -> segments.takeAll(one -> {
                        if (taken.size() == at - 1) {
                            segments.add(segment(9));
                            throw new OutOfMemoryError("planted");
                        }
                        taken.add(one.number());
                    }));
            segments.takeAll(one -> assertTrue(taken.add(one.number())));
            assertTrue(segments.isEmpty());
            assertEquals(new TreeSet<>(Set.of(1L, 2L, 3L, 4L, 5L, 9L)), new TreeSet<>(taken));
        }
    }
}
