package io.kvstore.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.testkit.StepClock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a backup rests, and for how long. */
final class RestsTest {

    private static final long LOOK_MILLIS = TimeUnit.NANOSECONDS.toMillis(Rests.LOOK_NANOS);
    private static final long REMEMBERED_MILLIS = TimeUnit.NANOSECONDS.toMillis(Rests.REMEMBERED_NANOS);
    private static final long BUSY = Rests.BUSY_OPERATIONS * LOOK_MILLIS / 1_000;
    private static final long FIRST_LSN = 77;

    private final StepClock clock = new StepClock();
    private final Rests rests = new Rests(clock, FIRST_LSN);

    private long dueMillis(long operations) {
        return TimeUnit.NANOSECONDS.toMillis(rests.due(FIRST_LSN + operations));
    }

    @ParameterizedTest
    @CsvSource({"-1, 0", "0, 4", "1, 4"})
    void it_rests_while_writers_make_so_many_operations(long more, long restMillis) {
        clock.advance(LOOK_MILLIS);
        dueMillis(BUSY + more);
        rests.rested();
        clock.advance(10);
        assertEquals(restMillis, dueMillis(BUSY + more));
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "10, 4", "120, 48", "125, 50", "130, 50", "1000, 50"})
    void a_rest_is_a_part_of_the_work_up_to_a_limit(long workMillis, long restMillis) {
        clock.advance(LOOK_MILLIS);
        dueMillis(BUSY);
        rests.rested();
        clock.advance(workMillis);
        assertEquals(restMillis, dueMillis(1_000_000));
    }

    @Test
    void work_that_was_rested_for_does_not_count_again() {
        clock.advance(LOOK_MILLIS);
        assertEquals(TimeUnit.NANOSECONDS.toMillis(Rests.LONGEST_REST_NANOS), dueMillis(BUSY));
        clock.advance(40);
        rests.rested();
        assertEquals(0, dueMillis(BUSY));
    }

    /** A writer that waits for the background writes nothing, and needs the processors most. */
    @ParameterizedTest
    @CsvSource({"-1, 50", "0, 0"})
    void busy_writers_are_remembered_for_a_while(long more, long restMillis) {
        clock.advance(LOOK_MILLIS);
        dueMillis(BUSY);
        rests.rested();
        clock.advance(REMEMBERED_MILLIS + more);
        assertEquals(restMillis, dueMillis(BUSY));
    }

    @Test
    void work_beside_quiet_writers_is_not_rested_for_later() {
        clock.advance(10 * LOOK_MILLIS);
        assertEquals(0, dueMillis(BUSY));
        clock.advance(LOOK_MILLIS);
        assertEquals(0, dueMillis(BUSY));
        clock.advance(2);
        assertEquals(0, dueMillis(BUSY));
    }
}
