package io.kvstore.lsm.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.memory.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class ChunkArenaTest {

    private static final int CHUNK_BYTES = 8 << 10;

    private final MemoryBudget budget = new MemoryBudget(16 << 20);
    private final MemTableMemory memory = new MemTableMemory(budget, true);

    private ChunkArena chunks(Arena arena, int heapPart) {
        return new ChunkArena(arena, memory, CHUNK_BYTES, 4 * CHUNK_BYTES, heapPart);
    }

    @Test
    void places_do_not_overlap_whatever_region_they_are_in() {
        SplittableRandom random = new SplittableRandom(1);
        List<Integer> places = new ArrayList<>();
        try (Arena arena = Arena.ofShared()) {
            ChunkArena chunks = chunks(arena, 0);
            while (chunks.takenBytes() < 8 << 20) {
                long bytes = random.nextInt(50) == 0 ? random.nextInt(5 * CHUNK_BYTES) + 8 : random.nextInt(1, 600) + 7;
                assertTrue(chunks.ensure(ChunkArena.rounded(bytes)));
                int place = chunks.allocate(bytes);
                assertEquals(0, chunks.segment(place).get(ValueLayout.JAVA_LONG, chunks.offset(place)));
                chunks.segment(place).asSlice(chunks.offset(place), bytes).fill((byte) -1);
                chunks.segment(place).set(ValueLayout.JAVA_LONG, chunks.offset(place), places.size());
                places.add(place);
            }
            for (int i = 0; i < places.size(); i++) {
                int place = places.get(i);
                assertEquals(i, chunks.segment(place).get(ValueLayout.JAVA_LONG, chunks.offset(place)));
            }
            assertEquals(chunks.takenBytes(), budget.usedBytes());
        }
    }

    @Test
    void the_last_memory_is_taken_in_small_pieces() {
        try (Arena arena = Arena.ofShared()) {
            ChunkArena chunks = chunks(arena, 0);
            while (chunks.ensure(CHUNK_BYTES)) {
                chunks.allocate(CHUNK_BYTES);
            }
            assertEquals(budget.totalBytes() / 8 * 7, chunks.takenBytes());
            assertFalse(chunks.ensure(CHUNK_BYTES));
            assertEquals(CHUNK_BYTES, chunks.leastBytes(CHUNK_BYTES));
            assertFalse(
                    memory.tryTakeBeyond(budget.totalBytes() / 16 + 1) && memory.tryTakeBeyond(budget.totalBytes()));
            assertTrue(chunks.ensure(CHUNK_BYTES), "what is taken beyond the budget is there");
        }
    }

    @Test
    void little_is_taken_at_first_and_more_at_a_time_then() {
        try (Arena arena = Arena.ofShared()) {
            ChunkArena chunks = chunks(arena, 0);
            assertTrue(chunks.ensure(8));
            assertEquals(4 << 10, chunks.takenBytes());
            assertTrue(chunks.ensure(4 << 10));
            assertEquals(4 << 10, chunks.takenBytes(), "it has room");
            for (int wanted = 4 << 10; wanted <= 4 * CHUNK_BYTES; wanted *= 2) {
                assertEquals(wanted, chunks.takenBytes());
                for (int i = 0; i < wanted / 4; i += 1 << 10) {
                    assertTrue(chunks.ensure(1 << 10));
                    chunks.allocate(1 << 10);
                }
                assertTrue(chunks.ensure(wanted), "as much as there is already");
            }
            assertEquals(8 * CHUNK_BYTES, chunks.takenBytes());
        }
    }

    @Test
    void what_is_made_of_it_on_the_heap_is_counted() {
        try (Arena arena = Arena.ofShared()) {
            ChunkArena chunks = chunks(arena, 8);
            assertEquals(18 << 10, chunks.leastBytes(16 << 10));
            assertTrue(chunks.ensure(16 << 10));
            assertEquals(16 << 10, chunks.takenBytes());
            assertEquals(18 << 10, budget.usedBytes());
            assertEquals(0, chunks.leastBytes(16 << 10));
            memory.release();
            assertEquals(0, budget.usedBytes());
        }
    }
}
