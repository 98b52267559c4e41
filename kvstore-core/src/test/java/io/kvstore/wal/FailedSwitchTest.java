package io.kvstore.wal;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.segment.ActiveSegment;
import io.kvstore.wal.segment.LogConfig;
import io.kvstore.wal.segment.LogSegment;
import io.kvstore.wal.segment.SegmentPool;
import io.kvstore.wal.segment.StagedSegment;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A writer fails in the middle of going on in another segment, while a leader waits for the log's lock. */
final class FailedSwitchTest {

    private static final long SEGMENT_BYTES = 64 << 10;

    private final LogBench bench = LogBench.create(LogConfig.Landing.STAGED);
    private final AtomicBoolean durable = new AtomicBoolean();
    private @Nullable WriteAheadLog log;
    private @Nullable Thread leader;

    FailedSwitchTest() throws IOException {}

    /** Throws where the segment is told of its successor, when the leader is where it waits for the lock. */
    private LogSegment failingAtItsEnd(LogSegment segment) {
        return (LogSegment) Proxy.newProxyInstance(
                LogSegment.class.getClassLoader(), new Class<?>[] {LogSegment.class}, (proxy, method, arguments) -> {
                    Object result;
                    try {
                        result = method.invoke(segment, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (method.getName().equals("put") && arguments[0] instanceof byte[] bytes && isSuccessor(bytes)) {
                        awaitLeader();
                        throw new OutOfMemoryError("planted");
                    }
                    return result;
                });
    }

    private static boolean isSuccessor(byte[] frame) {
        return frame.length == LogFormat.FRAME_HEADER_BYTES && frame[20] == LogFormat.SUCCESSOR;
    }

    private void awaitLeader() {
        WriteAheadLog of = log;
        Thread thread = new Thread(() -> durable.set(of != null && of.sync(1)));
        thread.start();
        leader = thread;
        while (thread.getState() != Thread.State.WAITING && thread.isAlive()) {
            Thread.onSpinWait();
        }
    }

    @Test
    @Timeout(120)
    void nothing_becomes_durable_after_it() throws IOException, InterruptedException {
        String path = SegmentPool.pathOf(bench.config, 2);
        LogSegment first = new StagedSegment(2, bench.disk.create(path), SEGMENT_BYTES);
        RecoveredLog recovered = new RecoveredLog(
                List.of(new ActiveSegment(2, path, SEGMENT_BYTES)),
                failingAtItsEnd(first),
                LogFormat.SEGMENT_HEADER_BYTES,
                0,
                3);
        WriteAheadLog opened = new WriteAheadLog(bench.config, recovered);
        log = opened;
        LogRecord record = LogBench.put(1_000);
        assertThrows(OutcomeUnknownException.class, () -> {
            for (long bytes = 0; bytes <= SEGMENT_BYTES; bytes += record.frameBytes()) {
                LogBench.append(opened, record);
            }
        });
        requireNonNull(leader).join();
        assertFalse(durable.get(), "the first record, which is nowhere but in memory, counts as durable");
        assertEquals(0, opened.durableLsn());
        opened.close();
        assertEquals(0, bench.disk.openResources());
        String successor = LogConfig.SEGMENT_NAME.of(3);
        assertTrue(bench.disk.list("wal").contains(successor), "the segment before may name it: " + successor);
    }
}
