package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.data.TableMutations;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.segment.LogConfig.Landing;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A caller that changes a value while it is put harms that value only: the log stays one that can be read. */
final class ChangedArrayTest {

    private static LogRecord of(byte[] value) {
        return LogRecord.of(List.of(new TableMutations(LogBench.TABLE, List.of(new Mutation.Put(new byte[1], value)))));
    }

    @ParameterizedTest
    @EnumSource(Landing.class)
    void between_making_the_record_and_appending_it(Landing landing) throws IOException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = bench.open();
        int size = Mutation.COPIED_VALUE_BYTES + 1;
        for (int i = 0; i < 40; i++) {
            byte[] value = new byte[size];
            LogRecord record = of(value);
            value[i * 25] = 1;
            log.sync(LogBench.append(log, record));
        }
        assertReadable(bench, log);
    }

    @ParameterizedTest
    @EnumSource(Landing.class)
    void at_any_moment(Landing landing) throws IOException, InterruptedException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = bench.open();
        byte[] value = new byte[3 * 4096];
        AtomicBoolean stop = new AtomicBoolean();
        Thread changing = new Thread(() -> {
            for (int i = 0; !stop.get(); i = (i + 7) % value.length) {
                value[i]++;
            }
        });
        changing.start();
        try {
            for (int i = 0; i < 500; i++) {
                log.land(LogBench.append(log, of(value)));
            }
        } finally {
            stop.set(true);
            changing.join();
        }
        assertTrue(log.sync(log.lastLsn()));
        assertReadable(bench, log);
    }

    private static void assertReadable(LogBench bench, WriteAheadLog log) throws IOException {
        long last = log.lastLsn();
        log.close();
        assertNull(bench.failure.get());
        LogBench after = bench.on(bench.disk.kill());
        after.open().close();
        assertEquals(LongStream.rangeClosed(1, last).boxed().toList(), after.replayed);
    }
}
