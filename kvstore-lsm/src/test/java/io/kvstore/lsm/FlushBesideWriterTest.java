package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.kvstore.data.Mutation;
import io.kvstore.engine.Background;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A flush that comes in the middle of an operation. */
final class FlushBesideWriterTest {

    private static final long NO_STALL = 0;

    private static List<Mutation> put(int key) {
        return List.of(new Mutation.Put(new byte[] {(byte) key}, new byte[10]));
    }

    /** How long a writer waits for room has nothing to do with it. */
    @Test
    void it_waits_for_the_end_of_the_operation_where_writers_wait_for_nothing() throws IOException {
        SimStorage disk = new SimStorage();
        disk.createDirectory(LoneTable.DIRECTORY);
        disk.syncDirectory("");
        StepClock clock = new StepClock();
        StepBackground background = new StepBackground(clock);
        MemoryBudget memory = new MemoryBudget(16 << 20, 16 << 20);
        LsmOptions options = new LsmOptions(1 << 20, 16, 0.01, 24, 100, null, LsmOptions.usualSlackBytes(1 << 20));
        try (LsmEngine engine =
                LsmEngine.open(LoneTable.on(disk, memory, clock, background, NO_STALL), options)) {
            assertNull(engine.reserve(put(1)));
            engine.apply(1, put(1));
            List<Mutation> underWay = put(2);
            assertNull(engine.reserve(underWay));
            int[] rounds = new int[1];
            Runnable writer = () -> {
                if (rounds[0]++ == 0) {
                    engine.apply(2, underWay);
                }
            };
            try (Background.Ticket _ = background.every(5, writer)) {
                assertEquals(2, engine.checkpoint());
            }
        }
    }
}
