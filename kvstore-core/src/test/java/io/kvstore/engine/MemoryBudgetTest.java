package io.kvstore.engine;

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
        assertFalse(budget.tryTake(MemoryBudget.Use.BLOCK_CACHE, 2));
        assertTrue(budget.tryTake(MemoryBudget.Use.BLOCK_CACHE, 1));
        assertFalse(budget.tryTake(MemoryBudget.Use.BLOCK_CACHE, 1));
        assertEquals(TOTAL, budget.usedBytes());
        assertEquals(1, budget.usedByUse().get(MemoryBudget.Use.BLOCK_CACHE));
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
    void total_below_its_limit_is_refused() {
        assertThrows(InvalidRequestException.class, () -> new MemoryBudget(TOTAL - 1));
        assertEquals(TOTAL, new MemoryBudget(TOTAL).totalBytes());
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
