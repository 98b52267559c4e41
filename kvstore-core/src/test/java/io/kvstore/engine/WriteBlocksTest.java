package io.kvstore.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WriteBlocksTest {

    @Test
    void a_store_has_a_block_for_each_32_mib_and_six_at_most() {
        assertEquals(0, blocksOf((32 << 20) - 1));
        assertEquals(1, blocksOf(32 << 20));
        assertEquals(1, blocksOf((64 << 20) - 1));
        assertEquals(5, blocksOf((192 << 20) - 1));
        assertEquals(6, blocksOf(192 << 20));
        assertEquals(6, blocksOf(1L << 40));
    }

    private static int blocksOf(long budgetBytes) {
        MemoryBudget budget = new MemoryBudget(budgetBytes);
        WriteBlocks blocks = budget.writeBlocks();
        List<MemorySegment> taken = new ArrayList<>();
        for (MemorySegment next = blocks.take(); next != null; next = blocks.take()) {
            taken.add(next);
        }
        assertEquals(taken.size() * (long) WriteBlocks.BLOCK_BYTES, budget.usedBytes());
        for (MemorySegment block : taken) {
            assertEquals(taken.size() * (long) WriteBlocks.BLOCK_BYTES, budget.usedBytes(), "until none is in use");
            blocks.give(block);
        }
        assertEquals(0, budget.usedBytes());
        return taken.size();
    }
}
