package io.kvstore.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Bytes are counted, and never more are lent than there are. */
final class MemoryBudgetTest {

    private static final long TOTAL = 1 << 20;

    @Test
    void takes_up_to_the_last_byte_and_not_one_more() {
        MemoryBudget budget = new MemoryBudget(TOTAL);
        assertTrue(budget.tryTake(MemoryBudget.Use.PAGE_BUFFER, TOTAL - 1));
        assertFalse(budget.tryTake(MemoryBudget.Use.FILE_METADATA, 2));
        assertTrue(budget.tryTake(MemoryBudget.Use.FILE_METADATA, 1));
        assertFalse(budget.tryTake(MemoryBudget.Use.FILE_METADATA, 1));
        assertEquals(TOTAL, budget.usedBytes());
        assertEquals(1, budget.usedByUse().get(MemoryBudget.Use.FILE_METADATA));
        budget.take(MemoryBudget.Use.PAGE_BUFFER, 5);
        assertEquals(TOTAL + 5, budget.usedBytes());
        budget.release(MemoryBudget.Use.PAGE_BUFFER, 5);
        budget.release(MemoryBudget.Use.PAGE_BUFFER, TOTAL - 1);
        assertTrue(budget.tryTake(MemoryBudget.Use.MEMTABLE, 1));
        assertEquals(2, budget.usedBytes());
        assertEquals(TOTAL, budget.totalBytes());
    }

    @Test
    void memtables_leave_an_eighth() {
        MemoryBudget budget = new MemoryBudget(TOTAL);
        long most = TOTAL - TOTAL / 8;
        assertTrue(budget.tryTake(MemoryBudget.Use.MEMTABLE, most - 1));
        assertTrue(budget.hasRoom(MemoryBudget.Use.MEMTABLE, 1));
        assertFalse(budget.hasRoom(MemoryBudget.Use.MEMTABLE, 2));
        assertFalse(budget.tryTake(MemoryBudget.Use.MEMTABLE, 2));
        assertTrue(budget.tryTake(MemoryBudget.Use.MEMTABLE, 1));
        assertFalse(budget.tryTake(MemoryBudget.Use.MEMTABLE, 1));
        assertTrue(budget.tryTake(MemoryBudget.Use.VALUE_TAIL, TOTAL / 8));
        assertFalse(budget.hasRoom(MemoryBudget.Use.VALUE_TAIL, 1));
        assertFalse(budget.tryTake(MemoryBudget.Use.MEMTABLE, Long.MAX_VALUE));
        assertEquals(TOTAL, budget.usedBytes());
    }

    @Test
    void what_is_missing_is_added_up_until_it_is_taken() {
        MemoryBudget budget = new MemoryBudget(TOTAL);
        budget.noteRefused(MemoryBudget.Use.MEMTABLE, TOTAL - TOTAL / 8);
        assertFalse(budget.isMissed(), "it is free");
        assertFalse(budget.isNearlyTaken());
        budget.take(MemoryBudget.Use.PAGE_BUFFER, TOTAL);
        assertTrue(budget.isNearlyTaken());
        budget.noteRefused(MemoryBudget.Use.MEMTABLE, 5);
        budget.noteMissing(2);
        assertTrue(budget.isMissed());
        assertEquals(TOTAL / 8 + 7, budget.takeMissingBytes());
        assertFalse(budget.isMissed());
        assertEquals(0, budget.takeMissingBytes());
    }

    @Test
    void changes_on_the_heap_have_a_quarter() {
        MemoryBudget budget = new MemoryBudget(TOTAL);
        assertEquals(TOTAL / 4, budget.mostChangesBytes());
        assertEquals(Runtime.getRuntime().maxMemory() / 4, new MemoryBudget(1L << 50).mostChangesBytes());
        budget.take(MemoryBudget.Use.CHANGES, TOTAL / 4 - 1);
        assertFalse(budget.isFullOfChanges());
        budget.take(MemoryBudget.Use.CHANGES, 1);
        assertTrue(budget.isFullOfChanges());
        assertEquals(0, budget.usedBytes(), "the heap is not memory beside it");
        budget.release(MemoryBudget.Use.CHANGES, 1);
        assertFalse(budget.isFullOfChanges());
    }

    @Test
    void who_has_most_changes_is_asked_where_there_are_many() {
        MemoryBudget budget = new MemoryBudget(TOTAL);
        Holder small = new Holder(budget, TOTAL / 16, false);
        Holder large = new Holder(budget, TOTAL / 8, false);
        Holder memtable = new Holder(budget, TOTAL / 2, false);
        budget.addChanges(small);
        budget.addChanges(large);
        budget.add(memtable);
        budget.take(MemoryBudget.Use.CHANGES, TOTAL / 8);
        budget.askForChanges();
        assertEquals(0, large.asked);
        budget.take(MemoryBudget.Use.CHANGES, TOTAL / 16);
        budget.askForChanges();
        assertTrue(large.asked > 0);
        assertEquals(0, small.asked);
        assertEquals(0, memtable.asked, "memtables give no heap");
        budget.remove(large);
        budget.askForChanges();
        assertTrue(small.asked > 0);
    }

    @Test
    void total_below_its_limit_is_refused() {
        assertThrows(InvalidRequestException.class, () -> new MemoryBudget(TOTAL - 1));
        assertEquals(TOTAL, new MemoryBudget(TOTAL).totalBytes());
    }

    @Test
    void little_is_taken_beyond_it_or_one_that_is_large() {
        MemoryBudget budget = new MemoryBudget(TOTAL);
        long most = TOTAL / 16;
        assertTrue(budget.tryTake(MemoryBudget.Use.PAGE_BUFFER, TOTAL));
        assertTrue(budget.tryTakeBeyond(MemoryBudget.Use.MEMTABLE, most - 1));
        assertTrue(budget.hasRoomBeyond(1));
        assertFalse(budget.hasRoomBeyond(2));
        assertFalse(budget.tryTakeBeyond(MemoryBudget.Use.MEMTABLE, 2));
        assertTrue(budget.tryTakeBeyond(MemoryBudget.Use.MEMTABLE, 1));
        assertEquals(TOTAL + most, budget.usedBytes());
        budget.releaseBeyond(MemoryBudget.Use.MEMTABLE, most);
        assertTrue(budget.tryTakeBeyond(MemoryBudget.Use.MEMTABLE, 2 * TOTAL), "alone");
        assertFalse(budget.tryTakeBeyond(MemoryBudget.Use.MEMTABLE, 1));
        budget.releaseBeyond(MemoryBudget.Use.MEMTABLE, 2 * TOTAL);
        assertEquals(TOTAL, budget.usedBytes());
    }

    /** Has a part of the budget, and gives it back when it is told to. */
    private static final class Holder implements MemoryHolder {
        private final MemoryBudget budget;
        private long bytes;
        private long asked;
        private final long restsFrom;

        Holder(MemoryBudget budget, long bytes, boolean rests) {
            this.budget = budget;
            this.bytes = bytes;
            assertTrue(budget.tryTake(MemoryBudget.Use.MEMTABLE, bytes));
            this.restsFrom = rests ? budget.everTakenBytes() : Long.MAX_VALUE;
            budget.add(this);
        }

        void finish() {
            budget.release(MemoryBudget.Use.MEMTABLE, asked);
            asked = 0;
        }

        @Override
        public long reclaimableBytes() {
            return bytes;
        }

        @Override
        public long comingBytes() {
            return asked;
        }

        @Override
        public long lastTaken() {
            return Math.min(restsFrom, budget.everTakenBytes());
        }

        @Override
        public void giveBack(long wanted) {
            asked += bytes;
            bytes = 0;
        }
    }

    @Test
    void the_largest_gives_back_and_nobody_in_vain() {
        MemoryBudget budget = new MemoryBudget(TOTAL);
        Holder small = new Holder(budget, TOTAL / 8, false);
        Holder large = new Holder(budget, TOTAL / 4, false);
        Holder medium = new Holder(budget, TOTAL * 3 / 16, false);
        budget.askFor(MemoryBudget.Use.MEMTABLE, TOTAL / 4);
        assertEquals(0, small.asked + large.asked + medium.asked, "there is as much");
        budget.askFor(MemoryBudget.Use.MEMTABLE, TOTAL / 2);
        assertEquals(TOTAL / 4, large.asked);
        budget.askFor(MemoryBudget.Use.MEMTABLE, TOTAL / 2);
        assertEquals(0, small.asked + medium.asked, "enough is on its way");
        budget.askFor(MemoryBudget.Use.MEMTABLE, TOTAL * 5 / 8);
        assertEquals(TOTAL * 3 / 16, medium.asked);
        large.finish();
        medium.finish();
        budget.remove(small);
        budget.askFor(MemoryBudget.Use.MEMTABLE, TOTAL);
        assertEquals(0, small.asked, "it has left");
        assertEquals(TOTAL / 8, budget.usedBytes());
    }

    @Test
    void who_rests_gives_back_before_who_is_busy() {
        MemoryBudget budget = new MemoryBudget(TOTAL);
        Holder resting = new Holder(budget, TOTAL / 16, true);
        for (int i = 0; i < 16; i++) {
            assertTrue(budget.tryTake(MemoryBudget.Use.PAGE_BUFFER, TOTAL / 8));
            budget.release(MemoryBudget.Use.PAGE_BUFFER, TOTAL / 8);
        }
        Holder busy = new Holder(budget, TOTAL / 4, false);
        budget.askFor(MemoryBudget.Use.MEMTABLE, TOTAL * 9 / 16 + 1);
        assertEquals(TOTAL / 16, resting.asked);
        assertEquals(0, busy.asked);
    }

    @Test
    void threads_together_never_take_more_than_the_total() throws InterruptedException {
        MemoryBudget budget = new MemoryBudget(TOTAL);
        AtomicBoolean exceeded = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int round = 0; round < 20_000; round++) {
                    if (budget.tryTake(MemoryBudget.Use.MEMTABLE, TOTAL / 3)) {
                        if (budget.usedBytes() > TOTAL) {
                            exceeded.set(true);
                        }
                        budget.release(MemoryBudget.Use.MEMTABLE, TOTAL / 3);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertFalse(exceeded.get());
        assertEquals(0, budget.usedBytes());
    }
}
