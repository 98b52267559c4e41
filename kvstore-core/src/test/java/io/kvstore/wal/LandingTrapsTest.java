package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.io.WritableMapping;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.segment.ActiveSegment;
import io.kvstore.wal.segment.LogConfig;
import io.kvstore.wal.segment.LogSegment;
import io.kvstore.wal.segment.MappedSegment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What can go wrong under a mapping, and the log's answer: it fails for good before anything is acknowledged. */
final class LandingTrapsTest {

    /** A mapping that misbehaves as told. */
    private record Trap(MemorySegment memory) implements WritableMapping {

        @Override
        public void force(long offset, long bytes) {
            throw new UncheckedIOException(new IOException("planted"));
        }

        @Override
        public void close() {
            // nothing is held
        }
    }

    private static WriteAheadLog over(LogBench bench, MemorySegment memory) {
        LogSegment segment = new MappedSegment(2, "wal/trap", new Trap(memory));
        return new WriteAheadLog(
                bench.config,
                new RecoveredLog(
                        List.of(new ActiveSegment(2, "wal/trap", memory.byteSize())),
                        segment,
                        LogFormat.SEGMENT_HEADER_BYTES,
                        0,
                        3));
    }

    private static void assertFailedForGood(LogBench bench, WriteAheadLog log) throws IOException {
        assertNotNull(bench.failure.get());
        assertThrows(StoreFailedException.class, () -> log.append(LogBench.put(1), false));
        assertFalse(log.sync(1));
        log.close();
    }

    @Test
    void an_unchecked_error_out_of_a_force_is_final() throws IOException {
        LogBench bench = LogBench.create(LogConfig.Landing.MAPPED);
        WriteAheadLog log = over(bench, Arena.ofAuto().allocate(64 << 10));
        long lsn = LogBench.append(log, LogBench.put(100));
        assertTrue(log.land(lsn), "a mapped record has landed when it was copied");
        assertFalse(log.sync(lsn));
        assertFailedForGood(bench, log);
    }

    @Test
    void a_fault_while_a_record_is_copied_is_final_and_its_outcome_unknown() throws IOException {
        LogBench bench = LogBench.create(LogConfig.Landing.MAPPED);
        WriteAheadLog log = over(bench, Arena.ofAuto().allocate(64 << 10).asReadOnly());
        assertThrows(OutcomeUnknownException.class, () -> LogBench.append(log, LogBench.put(100)));
        assertFailedForGood(bench, log);
    }

    @Test
    void a_page_that_does_not_hold_what_was_stored_is_noticed() {
        MemorySegment memory = Arena.ofAuto().allocate(64 << 10);
        MappedSegment segment = new MappedSegment(2, "wal/trap", new Trap(memory));
        byte[] record = new byte[9_003];
        Arrays.fill(record, (byte) 1);
        segment.put(record, 0, record.length, 100);
        segment.readBack(record, 0, record.length, 100);
        for (int lost : new int[] {4_095, 8_191, 9_102}) {
            byte held = memory.get(ValueLayout.JAVA_BYTE, lost);
            memory.set(ValueLayout.JAVA_BYTE, lost, (byte) 0);
            assertThrows(
                    IllegalStateException.class,
                    () -> segment.readBack(record, 0, record.length, 100),
                    "a store lost at " + lost);
            memory.set(ValueLayout.JAVA_BYTE, lost, held);
        }
    }
}
