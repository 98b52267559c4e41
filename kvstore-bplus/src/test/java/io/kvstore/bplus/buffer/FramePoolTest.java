package io.kvstore.bplus.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bplus.BPlusEngineProvider;
import io.kvstore.engine.EngineStats;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.Measures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Frames, and the ones that are taken before they are needed. */
final class FramePoolTest {

    private static final long UNIT_BYTES = 4 << 10;
    private static final long CAPACITY_BYTES = 1_024 * UNIT_BYTES;

    /** One less than a sixteenth of 256. */
    private static final int LEFT = 15;

    private final MemoryBudget budget = new MemoryBudget(64L << 20);
    private final FramePool pool = new FramePool(budget, CAPACITY_BYTES);

    @AfterEach
    void end() {
        pool.close();
        assertEquals(0, budget.usedBytes());
    }

    /** Takes frames until more are due; 256 is the least number of which any are taken ahead. */
    private void takeUntilLow() {
        while (!pool.isLow()) {
            if (pool.freeFrames() == 0) {
                pool.grow(1);
            }
            pool.take();
        }
    }

    private long frames() {
        return pool.bytes() / UNIT_BYTES;
    }

    @Test
    void a_sixteenth_is_left_when_more_are_due() {
        takeUntilLow();
        assertEquals(256, frames());
        assertEquals(LEFT, pool.freeFrames());
    }

    @Test
    void a_large_pool_grows_by_a_fourth_at_most() {
        FramePool large = new FramePool(budget, 32L << 20);
        while (large.bytes() < 8 << 20) {
            large.grow(1);
        }
        assertEquals(8 << 20, large.bytes());
        while (large.bytes() < 20 << 20) {
            long before = large.bytes();
            large.grow(1);
            long more = large.bytes() - before;
            assertTrue(8 * more >= before && 4 * more <= before, more + " beside " + before);
        }
        large.close();
    }

    @Test
    void who_comes_late_leaves_it_to_the_next_one() {
        takeUntilLow();
        pool.grow(1);
        assertFalse(pool.isLow(), "the writer was faster");
        assertEquals(0, pool.beginGrowth());
        takeUntilLow();
        assertEquals(512, frames());
        assertEquals(256, pool.beginGrowth());
        pool.grown(null);
    }

    @Test
    void who_needs_many_and_cannot_wait_takes_as_many() {
        takeUntilLow();
        int count = pool.beginGrowth();
        pool.grow(100);
        assertEquals(256 + 100, frames());
        pool.grow(1_000_000);
        assertEquals(256 + 100 + 256, frames(), "no more than a chunk");
        pool.grow(1_000_000);
        assertEquals(1_024 - count, frames(), "what is on its way counts as there");
        pool.grown(FramePool.allocate(count));
        assertEquals(1_024, frames());
    }

    @Test
    void what_is_taken_ahead_is_free_afterwards() {
        takeUntilLow();
        int count = pool.beginGrowth();
        assertEquals(256, count);
        assertEquals(512 * UNIT_BYTES, budget.usedBytes());
        assertEquals(256, frames());
        assertFalse(pool.isLow(), "it is on its way");
        pool.grown(FramePool.allocate(count));
        assertEquals(512, frames());
        assertEquals(LEFT + 256, pool.freeFrames());
        assertFalse(pool.isLow());
        for (int free = pool.freeFrames(); free > 0; free--) {
            pool.memory(pool.take()).fill((byte) free);
        }
    }

    @Test
    void who_cannot_wait_takes_a_few() {
        takeUntilLow();
        int count = pool.beginGrowth();
        pool.grow(1);
        assertEquals(256 + 16, frames());
        assertFalse(pool.isLow(), "it is still on its way");
        pool.grown(FramePool.allocate(count));
        assertEquals(256 + 16 + 256, frames());
    }

    @Test
    void nothing_is_taken_ahead_beyond_the_capacity() {
        for (long frames = 256; frames <= 768; frames += 256) {
            takeUntilLow();
            int count = pool.beginGrowth();
            assertEquals(256, count);
            pool.grown(FramePool.allocate(count));
        }
        assertEquals(1_024, frames());
        while (pool.freeFrames() > 0) {
            pool.take();
            assertFalse(pool.isLow());
        }
        assertEquals(0, pool.beginGrowth());
    }

    @Test
    void a_budget_that_is_taken_is_asked_once() {
        takeUntilLow();
        long others = budget.totalBytes() - budget.usedBytes();
        budget.take(MemoryBudget.Use.MEMTABLE, others);
        assertEquals(0, pool.beginGrowth());
        assertFalse(pool.isLow());
        pool.grown(null);
        assertEquals(256 * UNIT_BYTES, budget.usedBytes() - others);
        budget.release(MemoryBudget.Use.MEMTABLE, others);
    }

    @Test
    void a_pool_is_spent_with_the_last_chunk_that_it_may_have() {
        for (long frames = 256; frames <= 768; frames += 256) {
            takeUntilLow();
            assertEquals(frames, frames());
            assertFalse(pool.isSpent());
            pool.grown(FramePool.allocate(pool.beginGrowth()));
        }
        assertEquals(1_024, frames());
        assertTrue(pool.isSpent());
    }

    @Test
    void a_pool_is_spent_with_the_last_chunk_that_the_budget_has() {
        takeUntilLow();
        long room = 2 * 256 * UNIT_BYTES;
        long others = 0;
        while (budget.hasRoom(MemoryBudget.Use.PAGE_BUFFER, room + UNIT_BYTES)) {
            budget.take(MemoryBudget.Use.MEMTABLE, UNIT_BYTES);
            others += UNIT_BYTES;
        }
        pool.grown(FramePool.allocate(pool.beginGrowth()));
        assertFalse(pool.isSpent(), "there is room for one more");
        takeUntilLow();
        pool.grown(FramePool.allocate(pool.beginGrowth()));
        assertTrue(pool.isSpent());
        assertEquals(768, frames(), "of 1,024");
        budget.release(MemoryBudget.Use.MEMTABLE, others);
    }

    @Test
    void memory_that_there_is_not_is_given_back_to_the_budget() {
        takeUntilLow();
        assertTrue(pool.beginGrowth() > 0);
        pool.grown(null);
        assertEquals(256 * UNIT_BYTES, budget.usedBytes());
        assertEquals(0, pool.beginGrowth());
    }

    @Test
    void what_comes_after_the_end_is_given_back() {
        takeUntilLow();
        int count = pool.beginGrowth();
        FramePool.Grown grown = FramePool.allocate(count);
        pool.close();
        pool.grown(grown);
        assertEquals(0, budget.usedBytes());
        assertFalse(grown.arena().scope().isAlive());
        assertEquals(0, pool.beginGrowth());
    }

    @Test
    void a_table_has_frames_before_writes_need_them() throws IOException {
        Map<String, Long> given = Map.of("BTREE_PAGE_BUFFER_SIZE_BYTES", CAPACITY_BYTES);
        try (EngineHarness harness = EngineHarness.create(new BPlusEngineProvider(), given)) {
            long frames = 0;
            for (int i = 0; frames < 1_024; i++) {
                harness.put(Integer.toString(i).getBytes(StandardCharsets.UTF_8), new byte[400]);
                harness.background().runAll();
                EngineStats stats = harness.engine().stats();
                frames = stats.memoryBytes() / UNIT_BYTES;
                long free = frames - resident(stats);
                assertTrue(frames < 256 || frames == 1_024 || free >= LEFT - 3, free + " of " + frames + " are free");
            }
        }
    }

    private static long resident(EngineStats stats) {
        return (long) Measures.of(stats, "resident_units");
    }
}
