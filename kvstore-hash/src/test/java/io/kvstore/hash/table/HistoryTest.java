package io.kvstore.hash.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.memory.MemoryBudget;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The history by itself: what it keeps, what it counts, and how much it does at a time. */
final class HistoryTest {

    private static final long SEGMENTS = 300;
    private static final int NODE_BYTES = 48;
    private static final Views NO_VIEW = new Views(Long.MAX_VALUE, new long[0]);

    private final MemoryBudget budget = new MemoryBudget(64 << 20);
    private final History history = new History(budget);
    private final SplittableRandom random = new SplittableRandom(1);

    private long counted() {
        return budget.usedByUse().getOrDefault(MemoryBudget.Use.HISTORY, 0L);
    }

    private long size() {
        return history.bytes() / NODE_BYTES;
    }

    private void add(long segment, long lsn, long replacedBy) {
        history.add(random.nextLong(), Places.of(segment, 40), lsn, replacedBy);
    }

    /** A thread that has the table's lock for a step walks over a few places, however many there are. */
    @Test
    void a_step_is_short() {
        int places = 400_000;
        history.prepare(places, SEGMENTS);
        for (int i = 0; i < places; i++) {
            add(i % SEGMENTS, 1, 2);
        }
        int steps = 0;
        for (int list = 0; list < History.LISTS; steps++) {
            long before = size();
            list = history.forget(list, NO_VIEW);
            assertTrue(before - size() <= 2 * History.WALKED_PLACES, before - size() + " places in one step");
        }
        assertTrue(steps > 100, steps + " steps");
        assertTrue(history.isEmpty());
    }

    /** What no view needs does not pile up while places are added, and what views need stays. */
    @Test
    void places_that_are_added_pay_for_those_that_go() {
        long needed = 20_000;
        history.prepare((int) needed, SEGMENTS);
        for (int i = 0; i < needed; i++) {
            add(0, 5, 20);
        }
        Views views = new Views(Long.MAX_VALUE, new long[] {10});
        long most = 0;
        for (int i = 0; i < 200_000; i++) {
            history.prepare(1, SEGMENTS);
            add(1, 11, 30);
            history.forgetSome(views);
            most = Math.max(most, size());
        }
        assertTrue(most < needed * 4 / 3 + 3_000, most + " places, of which " + needed + " are needed");
        forgetAll(views);
        assertEquals(needed, size());
    }

    private void forgetAll(Views views) {
        for (int list = 0; list < History.LISTS; ) {
            list = history.forget(list, views);
        }
    }

    /** Each place is counted where it lies, and its memory in the budget, whatever comes and goes. */
    @Test
    void segments_and_bytes_are_counted() {
        Map<Long, Integer> expected = new HashMap<>();
        for (int round = 0; round < 300; round++) {
            int places = random.nextInt(1, 200);
            history.prepare(places, Places.SPAN);
            for (int i = 0; i < places; i++) {
                long segment = random.nextLong(round, round + SEGMENTS);
                boolean stays = random.nextInt(4) == 0;
                add(segment, stays ? 1 : 20, 30);
                expected.merge(segment, stays ? 1 : 0, Integer::sum);
            }
            assertTrue(counted() >= history.bytes(), "counted when there is memory for it");
            if (round % 10 == 9) {
                forgetAll(new Views(Long.MAX_VALUE, new long[] {10}));
                long all = 0;
                for (Map.Entry<Long, Integer> segment : expected.entrySet()) {
                    int bits = Places.segmentBits(Places.of(segment.getKey(), 0));
                    assertEquals(segment.getValue() > 0, history.hasAnyIn(bits), "segment " + segment.getKey());
                    all += segment.getValue();
                }
                assertEquals(all, size());
            }
        }
        forgetAll(NO_VIEW);
        history.dropSpares();
        assertTrue(history.isEmpty());
        assertTrue(counted() <= 1_024 * NODE_BYTES, "a few are kept for what comes");
        history.close();
        assertEquals(0, counted());
    }

    /** Memory for a large operation goes when the operation is over, though it was not used. */
    @Test
    void memory_that_was_prepared_goes() {
        history.prepare(100_000, SEGMENTS);
        assertEquals(100_000 * NODE_BYTES, counted());
        history.dropSpares();
        assertEquals(0, counted());
    }

    /** Places of a large operation have paid for a walk over all lists, which small ones after it do in parts. */
    @Test
    void what_was_paid_for_is_done_in_parts() {
        int places = 400_000;
        history.prepare(places, SEGMENTS);
        for (int i = 0; i < places; i++) {
            add(i % SEGMENTS, 1, 2);
        }
        int calls = 0;
        for (; !history.isEmpty(); calls++) {
            long before = size();
            history.forgetSome(NO_VIEW);
            assertTrue(before - size() <= 2 * History.WALKED_PLACES, before - size() + " places in one call");
            assertTrue(before > size(), "paid for and not done");
        }
        assertTrue(calls > 100, calls + " calls");
    }
}
