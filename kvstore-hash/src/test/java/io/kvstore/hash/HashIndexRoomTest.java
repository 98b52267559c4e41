package io.kvstore.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.OverloadedException;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.memory.MemoryHolder;
import io.kvstore.testkit.EngineHarness;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** New keys of a table whose index may not grow, beside others that have the memory. */
final class HashIndexRoomTest {

    private static final int KEYS = 5_000;
    private static final int MORE_KEYS = 20_000;

    /** A holder of all memory that the index has not. */
    private static final class Others implements MemoryHolder {

        private final MemoryBudget budget;
        private final boolean gives;
        private long bytes;
        private long promised;
        private int looks;
        private int asked;

        Others(MemoryBudget budget, boolean gives, long promised) {
            this.budget = budget;
            this.gives = gives;
            this.promised = promised;
            budget.add(this);
            takeAll();
        }

        final void takeAll() {
            for (long step = budget.totalBytes(); step > 0; step /= 2) {
                bytes += budget.tryTake(MemoryBudget.Use.PAGE_BUFFER, step) ? step : 0;
            }
        }

        @Override
        public long reclaimableBytes() {
            looks++;
            return gives ? bytes : 0;
        }

        @Override
        public long comingBytes() {
            return promised;
        }

        @Override
        public long lastTaken() {
            return 0;
        }

        @Override
        public void giveBack(long wanted) {
            asked++;
            long given = Math.min(bytes, wanted);
            bytes -= given;
            budget.release(MemoryBudget.Use.PAGE_BUFFER, given);
        }

        void leave() {
            budget.remove(this);
            budget.release(MemoryBudget.Use.PAGE_BUFFER, bytes);
        }
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static EngineHarness filled(TableEngineProvider provider) throws IOException {
        EngineHarness table = EngineHarness.create(provider, Map.of());
        for (int i = 0; i < KEYS; i++) {
            table.put(key(i), key(i));
        }
        return table;
    }

    /** The index grows when others give memory back, however often they take it all again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void others_are_asked_before_a_new_key_is_refused(boolean isCrowded) throws IOException {
        try (EngineHarness table = filled(isCrowded ? new CrowdedEngineProvider() : new HashEngineProvider())) {
            Others others = new Others(table.memory(), true, 0);
            for (int i = 0; i < MORE_KEYS; i++) {
                table.put(key(KEYS + i), key(i));
                if (i % 100 == 0) {
                    others.takeAll();
                }
            }
            assertTrue(others.asked > 2, others.asked + " times");
            table.check();
            others.leave();
        }
    }

    /** Where nobody has anything to give, a new key is refused without a wait, and what needs no room goes on. */
    @Test
    void new_keys_are_refused_soon_when_nobody_has_memory_to_give() throws IOException {
        try (EngineHarness table = filled(new HashEngineProvider())) {
            Others others = new Others(table.memory(), false, 0);
            int before = putUntilRefused(table);
            assertTrue(others.looks < 10, others.looks + " looks");
            assertEquals(0, others.asked);
            for (int i = 0; i < before; i++) {
                table.put(key(i), key(-i));
            }
            table.remove(key(0));
            table.check();
            others.leave();
            putAll(table, before);
            table.check();
        }
    }

    /** A promise of memory is waited for until the stall time-out, which the steps of the background let pass. */
    @Test
    void a_promise_that_is_not_kept_ends_with_the_time_out() throws IOException {
        try (EngineHarness table = filled(new HashEngineProvider())) {
            Others others = new Others(table.memory(), false, Long.MAX_VALUE / 2);
            int before = putUntilRefused(table);
            assertTrue(others.asked == 0, "what is on its way is not asked for");
            others.promised = 0;
            others.leave();
            putAll(table, before);
            table.check();
        }
    }

    private static int putUntilRefused(EngineHarness table) throws IOException {
        for (int i = KEYS; i < KEYS + MORE_KEYS; i++) {
            int next = i;
            byte[] value = key(i);
            try {
                table.put(key(i), value);
            } catch (OverloadedException e) {
                String message = String.valueOf(e.getMessage());
                assertTrue(message.contains("has " + next + " keys and no memory for more"), message);
                assertThrows(OverloadedException.class, () -> table.put(key(next), value));
                return i;
            }
        }
        throw new AssertionError("no key was refused");
    }

    private static void putAll(EngineHarness table, int from) throws IOException {
        for (int i = from; i < KEYS + MORE_KEYS; i++) {
            table.put(key(i), key(i));
        }
    }
}
