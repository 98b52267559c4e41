package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.testkit.SimStorage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What stores may have of a machine. */
final class MachineMemoryTest {

    private static final long GIB = 1L << 30;

    private final MachineMemory machine = new MachineMemory(23 * GIB, 6 * GIB);

    @Test
    void more_than_there_is_beside_the_heap_is_refused_with_both_figures() {
        long most = 17 * GIB;
        assertEquals(most, machine.mostBytes());
        assertDoesNotThrow(() -> machine.check(0));
        assertDoesNotThrow(() -> machine.check(most - 1));
        assertDoesNotThrow(() -> machine.check(most));
        String refusal = String.valueOf(assertThrows(InvalidRequestException.class, () -> machine.check(most + 1))
                .getMessage());
        assertTrue(refusal.contains("" + (most + 1)) && refusal.contains("" + most), refusal);
    }

    @Test
    void options_beyond_this_machine_are_refused() {
        long most = MemoryOptions.mostBytes();
        assertEquals(
                most, KVStoreOptions.defaults().withMemoryBytes(most).memory().bytes());
        assertThrows(
                InvalidRequestException.class, () -> KVStoreOptions.defaults().withMemoryBytes(most + 1));
        assertThrows(
                InvalidRequestException.class, () -> KVStoreOptions.defaults().withMemoryBytes(Long.MAX_VALUE));
    }

    @Test
    void a_heap_as_large_as_the_machine_leaves_a_quarter() {
        assertEquals(GIB / 2, new MachineMemory(2 * GIB, 4 * GIB).mostBytes());
    }

    @Test
    void any_number_of_stores_that_do_not_say_fits() {
        List<MachineMemory.Share> shares = new ArrayList<>();
        long sum = 0;
        for (int i = 0; i < 50; i++) {
            shares.add(machine.take(0));
            sum += shares.getLast().bytes();
            assertTrue(shares.getLast().bytes() >= 8 << 20);
        }
        assertEquals(17 * GIB / 4, shares.getFirst().bytes());
        assertTrue(sum <= 17 * GIB + 50 * (8L << 20), "" + sum);
        shares.forEach(MachineMemory.Share::close);
        shares.getFirst().close();
        assertEquals(17 * GIB / 4, machine.take(0).bytes());
    }

    @Test
    void what_one_was_given_the_next_does_not_have() {
        try (MachineMemory.Share asked = machine.take(9 * GIB)) {
            assertEquals(9 * GIB, asked.bytes());
            assertEquals(2 * GIB, machine.take(0).bytes());
        }
    }

    /** Also when opening fails. */
    @Test
    void a_store_gives_its_share_back() {
        long alone = budget();
        assertEquals(17 * GIB / 4, alone);
        KVStoreOptions readOnly = KVStoreOptions.defaults().withReadOnly(true).withStorage(new SimStorage());
        assertThrows(InvalidRequestException.class, () -> new KVStore(Path.of("unused"), readOnly, machine));
        assertEquals(alone, budget());
    }

    /** It uses its memory. */
    @Test
    @SuppressWarnings("try") // to close in the middle is what is tested
    void a_store_that_refuses_to_be_closed_keeps_its_share() {
        long alone = budget();
        KVStoreOptions options = KVStoreOptions.defaults().withStorage(new SimStorage());
        try (KVStore store = new KVStore(Path.of("unused"), options, machine)) {
            long beside = budget();
            assertTrue(beside < alone, beside + " of " + alone);
            store.createDB("d");
            Table table = store.createTable("d", "t", "MODEL");
            table.put("a", new byte[1]);
            try (Cursor cursor = table.scan(KeyRange.all())) {
                assertThrows(
                        InvalidRequestException.class,
                        () -> cursor.visit((key, value) -> {
                            store.close();
                            return true;
                        }));
            }
            assertEquals(beside, budget());
        }
        assertEquals(alone, budget());
    }

    private long budget() {
        KVStoreOptions options = KVStoreOptions.defaults().withStorage(new SimStorage());
        try (KVStore store = new KVStore(Path.of("unused"), options, machine)) {
            return store.stats().memoryBudgetBytes();
        }
    }
}
