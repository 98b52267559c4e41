package io.kvstore.bplus.pending;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.data.KeyRange;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The newest change of a key is shown, wherever it is. */
final class WaitingCursorTest {

    private static final long LSN = 7;

    private static byte[] key(char name) {
        return new byte[] {(byte) name};
    }

    private static void put(ChangeArena changes, char key, int value) {
        changes.addValue(key(key), LSN, new byte[] {(byte) value});
    }

    private static void assertNext(WaitingCursor cursor, char key, int value) {
        assertTrue(cursor.next());
        assertArrayEquals(key(key), cursor.key());
        assertFalse(cursor.isRemoval());
        assertArrayEquals(new byte[] {(byte) value}, cursor.found().value());
    }

    /** An operation that was too large for one layer is in two, with one lsn, and changes a key in both. */
    @Test
    void of_one_operation_in_two_layers_the_later_change_counts() {
        ChangeArena older = new ChangeArena(ChangeArena.MAX_BYTES);
        put(older, 'k', 1);
        put(older, 'm', 3);
        ChangeArena newer = new ChangeArena(ChangeArena.MAX_BYTES);
        put(newer, 'a', 4);
        put(newer, 'k', 2);
        put(newer, 'z', 5);
        List<SortedChanges> runs = List.of(newer.sort(), older.sort());
        WaitingCursor forward = new WaitingCursor(runs, KeyRange.all(), LSN);
        assertNext(forward, 'a', 4);
        assertNext(forward, 'k', 2);
        assertNext(forward, 'm', 3);
        assertNext(forward, 'z', 5);
        assertFalse(forward.next());
        WaitingCursor reverse = new WaitingCursor(runs, KeyRange.all().reverse(), LSN);
        assertNext(reverse, 'z', 5);
        assertNext(reverse, 'm', 3);
        assertNext(reverse, 'k', 2);
        assertNext(reverse, 'a', 4);
        assertFalse(reverse.next());
        assertEquals(null, reverse.key());
    }
}
