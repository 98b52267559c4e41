package io.kvstore.bplus.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class FreeSpaceMapTest {

    private record Run(long place, int units) {}

    @Test
    void lowest_free_run_is_given() {
        SplittableRandom random = new SplittableRandom(2);
        FreeSpaceMap places = new FreeSpaceMap();
        BitSet model = new BitSet();
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(5) < 3 || runs.isEmpty()) {
                int units = random.nextInt(4) == 0 ? random.nextInt(1, 90) : 1;
                int expected = lowestRun(model, units);
                assertEquals(expected, places.allocate(units));
                model.set(expected, expected + units);
                runs.add(new Run(expected, units));
            } else {
                Run gone = runs.remove(random.nextInt(runs.size()));
                places.free(gone.place, gone.units);
                model.clear((int) gone.place, (int) gone.place + gone.units);
            }
            assertEquals(model.length(), places.end());
            assertEquals(model.cardinality(), places.takenUnits());
        }
    }

    private static int lowestRun(BitSet model, int units) {
        int from = model.nextClearBit(0);
        for (int end = model.nextSetBit(from); end >= 0 && end - from < units; end = model.nextSetBit(from)) {
            from = model.nextClearBit(end);
        }
        return from;
    }

    @Test
    void a_place_is_taken_and_given_back_once() {
        FreeSpaceMap places = new FreeSpaceMap();
        assertTrue(places.take(5, 3));
        assertFalse(places.take(7, 1));
        assertFalse(places.take(3, 3));
        assertTrue(places.take(3, 2));
        places.free(5, 3);
        assertThrows(IllegalStateException.class, () -> places.free(7, 1));
        assertThrows(IllegalStateException.class, () -> places.free(1_000_000, 1));
        assertEquals(5, places.end());
    }
}
