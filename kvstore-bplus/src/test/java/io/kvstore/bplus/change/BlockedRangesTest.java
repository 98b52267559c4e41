package io.kvstore.bplus.change;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.error.CorruptionException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What belongs to a damaged page is refused, and nothing beside it. */
final class BlockedRangesTest {

    private final BlockedRanges blocked = new BlockedRanges();
    private final CorruptionException cause = new CorruptionException("pages", 4_096, "is damaged");

    private static byte[] key(int number) {
        return new byte[] {(byte) number};
    }

    private void assertBlocked(int number) {
        CorruptionException failure =
                assertThrows(CorruptionException.class, () -> blocked.requireFree(key(number)), number + " is free");
        assertEquals("pages", failure.file());
        assertEquals(4_096, failure.offset());
        assertThrows(
                CorruptionException.class,
                () -> blocked.requireFree(List.of(new Mutation.Remove(key(1)), new Mutation.Remove(key(number)))));
    }

    private void assertFree(int number) {
        assertDoesNotThrow(() -> blocked.requireFree(key(number)));
        assertDoesNotThrow(() -> blocked.requireFree(List.of(new Mutation.Remove(key(number)))));
    }

    private void assertBlocked(KeyRange range) {
        assertThrows(CorruptionException.class, () -> blocked.requireFree(range), range + " is free");
    }

    @Test
    void keys_from_the_lower_bound_to_before_the_upper_one() {
        blocked.requireNone();
        blocked.add(key(12), key(10), key(20), cause);
        assertThrows(CorruptionException.class, blocked::requireNone);
        assertFree(9);
        assertBlocked(10);
        assertBlocked(19);
        assertFree(20);
        blocked.add(key(30), key(30), null, cause);
        assertFree(29);
        assertBlocked(30);
        assertBlocked(127);
        assertTrue(blocked.holds(key(12)));
    }

    /** The page above a damaged one is damaged as well. */
    @Test
    void a_range_that_begins_like_another_one() {
        blocked.add(key(12), key(10), key(20), cause);
        blocked.add(key(25), key(10), key(30), cause);
        assertBlocked(25);
        assertFree(30);
    }

    @Test
    void ranges_that_have_some_of_them() {
        blocked.add(key(12), key(10), key(20), cause);
        assertBlocked(KeyRange.all());
        assertBlocked(KeyRange.all().reverse());
        assertBlocked(KeyRange.between(key(1), key(11)));
        assertBlocked(KeyRange.between(key(19), key(30)));
        assertBlocked(KeyRange.between(key(12), key(13)));
        assertBlocked(KeyRange.between(key(1), key(30)));
        blocked.requireFree(KeyRange.between(key(1), key(9)));
        blocked.requireFree(KeyRange.between(key(20), key(30)));
        blocked.requireFree(KeyRange.all().from(key(20), true));
    }

    @Test
    void all_of_an_empty_key_and_no_bound() {
        blocked.add(key(3), new byte[0], null, cause);
        assertBlocked(0);
        assertBlocked(KeyRange.between(key(1), key(2)));
    }
}
