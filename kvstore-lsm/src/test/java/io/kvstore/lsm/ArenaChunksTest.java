package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class ArenaChunksTest {

    private static final int CHUNK_BYTES = 8 << 10;

    private final MemoryBudget budget = new MemoryBudget(16 << 20);

    @Test
    void places_do_not_overlap_whatever_region_they_are_in() {
        SplittableRandom random = new SplittableRandom(1);
        List<Integer> places = new ArrayList<>();
        try (Arena arena = Arena.ofShared()) {
            ArenaChunks chunks = new ArenaChunks(arena, budget, CHUNK_BYTES, 4 * CHUNK_BYTES);
            while (chunks.takenBytes() < 8 << 20) {
                long bytes = random.nextInt(50) == 0 ? random.nextInt(5 * CHUNK_BYTES) + 8 : random.nextInt(1, 600) + 7;
                assertTrue(chunks.ensure(ArenaChunks.rounded(bytes), false));
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
            ArenaChunks chunks = new ArenaChunks(arena, budget, CHUNK_BYTES, 4 * CHUNK_BYTES);
            while (chunks.ensure(CHUNK_BYTES, false)) {
                chunks.allocate(CHUNK_BYTES);
            }
            assertEquals(budget.totalBytes() / 8 * 7, chunks.takenBytes());
            assertFalse(chunks.ensure(CHUNK_BYTES, false));
            assertTrue(chunks.ensure(CHUNK_BYTES, true), "what has to be there is taken beyond the budget");
        }
    }

    @Test
    void little_is_taken_at_first_and_more_at_a_time_then() {
        try (Arena arena = Arena.ofShared()) {
            ArenaChunks chunks = new ArenaChunks(arena, budget, CHUNK_BYTES, 4 * CHUNK_BYTES);
            assertTrue(chunks.ensure(8, false));
            assertEquals(CHUNK_BYTES, chunks.takenBytes());
            assertTrue(chunks.ensure(CHUNK_BYTES, false));
            assertEquals(CHUNK_BYTES, chunks.takenBytes(), "it has room");
            chunks.allocate(8);
            assertTrue(chunks.ensure(CHUNK_BYTES, false));
            assertEquals(5 * CHUNK_BYTES, chunks.takenBytes());
        }
    }
}
