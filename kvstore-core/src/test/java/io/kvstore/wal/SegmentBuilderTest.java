package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.segment.LogConfig;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SegmentBuilderTest {

    @Test
    void a_segment_that_cannot_be_begun_leaves_nothing() throws IOException {
        SimStorage disk = new SimStorage();
        disk.createDirectory("wal");
        StepClock clock = new StepClock();
        LogConfig config = new LogConfig(
                disk,
                "wal",
                LogBench.STORE,
                LogConfig.Landing.STAGED,
                64 << 10,
                Long.MAX_VALUE,
                1_000,
                new StepBackground(clock),
                cause -> {},
                clock,
                () -> {
                    throw new OutOfMemoryError("for the test");
                });
        LogFormat.SegmentHeader head = new LogFormat.SegmentHeader(1, LogBench.STORE, 0, 0, 1, 0);
        assertThrows(OutOfMemoryError.class, () -> new SegmentBuilder(config, head, 0, 64 << 10));
        assertEquals(0, disk.openResources());
        assertEquals(List.of(), disk.files());
    }
}
