package io.kvstore.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WriteBlocksTest {

    private static final long BLOCK = WriteBlocks.BLOCK_BYTES;

    @Test
    void a_store_has_a_block_for_each_32_mib_and_six_at_most() {
        assertEquals(0, takeAll(new MemoryBudget((32 << 20) - 1)).size());
        assertEquals(1, takeAll(new MemoryBudget(32 << 20)).size());
        assertEquals(1, takeAll(new MemoryBudget((64 << 20) - 1)).size());
        assertEquals(5, takeAll(new MemoryBudget((192 << 20) - 1)).size());
        assertEquals(6, takeAll(new MemoryBudget(192 << 20)).size());
        assertEquals(6, takeAll(new MemoryBudget(1L << 40)).size());
    }

    @Test
    void the_same_ones_are_taken_again_and_counted_once() {
        MemoryBudget budget = new MemoryBudget(128 << 20);
        List<MemorySegment> first = takeAll(budget);
        assertEquals(4 * BLOCK, budget.usedBytes());
        assertEquals(0, budget.writeBlocks().keptBytes());
        first.forEach(budget.writeBlocks()::give);
        assertEquals(4 * BLOCK, budget.usedBytes());
        assertEquals(4 * BLOCK, budget.writeBlocks().keptBytes());
        assertEquals(new HashSet<>(first), new HashSet<>(takeAll(budget)));
        assertEquals(4 * BLOCK, budget.usedBytes());
    }

    @Test
    void pages_and_files_leave_room_for_those_to_come() {
        for (MemoryBudget.Use use :
                List.of(MemoryBudget.Use.PAGE_BUFFER, MemoryBudget.Use.FILE_METADATA, MemoryBudget.Use.HASH_INDEX)) {
            MemoryBudget budget = new MemoryBudget(64 << 20);
            long most = budget.totalBytes() - 2 * BLOCK;
            assertFalse(budget.tryTake(use, most + 1));
            assertTrue(budget.tryTake(use, most - 1));
            assertFalse(budget.hasRoom(use, 2));
            assertTrue(budget.tryTake(use, 1));
            List<MemorySegment> blocks = takeAll(budget);
            assertEquals(2, blocks.size());
            assertEquals(budget.totalBytes(), budget.usedBytes(), "all there is, and no more");
            blocks.forEach(budget.writeBlocks()::give);
            assertFalse(budget.tryTake(use, 1), "they are kept");
            budget.release(use, 1);
            assertTrue(budget.tryTake(use, 1), "and not counted twice");
        }
    }

    private static List<MemorySegment> takeAll(MemoryBudget budget) {
        List<MemorySegment> taken = new ArrayList<>();
        WriteBlocks blocks = budget.writeBlocks();
        for (MemorySegment next = blocks.take(); next != null; next = blocks.take()) {
            taken.add(next);
        }
        return taken;
    }
}
