package io.kvstore.hash.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.OverloadedException;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PlaceSetTest {

    @Test
    void has_what_was_added() {
        PlaceSet set = new PlaceSet();
        Set<Long> model = new HashSet<>();
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            long place = Places.of(random.nextInt(50), 32 + random.nextInt(2_000));
            set.add(place);
            model.add(place);
        }
        for (int segment = 0; segment < 60; segment++) {
            for (int offset = 32; offset < 2_100; offset++) {
                long place = Places.of(segment, offset);
                assertEquals(model.contains(place), set.contains(place));
            }
        }
    }

    @Test
    void more_than_the_heap_should_have_is_refused() {
        PlaceSet set = new PlaceSet(64 << 10);
        OverloadedException refusal = assertThrows(OverloadedException.class, () -> {
            for (int i = 1; i < 10_000; i++) {
                set.add(i);
            }
        });
        assertTrue(String.valueOf(refusal.getMessage()).contains("-Xmx"), refusal.getMessage());
        assertTrue(set.contains(4_096));
    }
}
