package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.SimStorage;
import io.kvstore.wal.format.FrameScanner;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.segment.LogConfig.Landing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Damaged records that no table needs are passed over and told of; those that one needs refuse the log. */
final class DamagedRecordsTest {

    private static final int RECORDS = 200;

    /** Where a frame is; the lsn is that of the record, or of the one before a mark. */
    private record Frame(String path, long offset, long end, long lsn, boolean isRecord) {}

    private final LogBench bench = closed();
    private final List<Frame> frames = frames();

    /** Several segments, closed in order. */
    private static LogBench closed() {
        try {
            LogBench bench = LogBench.create(Landing.STAGED);
            WriteAheadLog log = bench.open();
            for (int i = 1; i <= RECORDS; i++) {
                long lsn = LogBench.append(log, LogBench.put(900));
                bench.background.runAll();
                if (i % 7 == 0) {
                    log.sync(lsn);
                }
            }
            log.close();
            return bench;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<Frame> frames() {
        List<Frame> all = new ArrayList<>();
        try {
            for (String name : bench.disk.list("wal")) {
                String path = "wal/" + name;
                long id = Long.parseLong(name.substring(0, name.indexOf('.')));
                try (FrameScanner scanner = new FrameScanner(
                        bench.disk.openReadOnly(path), id, LogFormat.SEGMENT_HEADER_BYTES, Long.MAX_VALUE)) {
                    while (scanner.next()) {
                        long end = scanner.position() + LogFormat.frameBytes(scanner.frame().length);
                        all.add(new Frame(path, scanner.position(), end, scanner.frame().lsn, scanner.isRecord()));
                    }
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return all;
    }

    private LogBench damaged(Frame first, Frame last) throws IOException {
        return damagedAt(first.path, (int) first.offset, (int) last.end);
    }

    private LogBench damagedAt(String path, int from, int to) throws IOException {
        SimStorage copy = bench.disk.kill();
        byte[] bytes = copy.bytes(path);
        for (int i = from; i < to; i++) {
            bytes[i] ^= 0x5A;
        }
        copy.replace(path, bytes);
        return bench.on(copy);
    }

    private static void assertPassedOver(LogBench after, long held, List<Long> lost) throws IOException {
        after.heldLsn = held;
        for (int opening = 0; opening < 3; opening++) {
            after.open().close();
            List<Long> expected =
                    new ArrayList<>(LongStream.rangeClosed(1, RECORDS).boxed().toList());
            expected.removeAll(lost);
            assertEquals(expected, after.replayed);
            LogRecovery recovery = Objects.requireNonNull(after.recovery);
            assertTrue(!recovery.damages().isEmpty(), "nothing is told of the damage");
            assertEquals(RECORDS, recovery.lastLsn());
        }
    }

    @Test
    void one_record_wherever_it_is_damaged() throws IOException {
        for (Frame frame : frames) {
            for (int at : new int[] {0, 5, 20, 40, 600}) {
                if (frame.isRecord && frame.lsn < RECORDS) {
                    int damaged = (int) frame.offset + at;
                    LogBench after = damagedAt(frame.path, damaged, damaged + 1);
                    after.heldLsn = frame.lsn - 1;
                    assertThrows(CorruptionException.class, () -> after.open());
                    assertPassedOver(after, frame.lsn, List.of(frame.lsn));
                }
            }
        }
    }

    @Test
    void several_records_in_a_row() throws IOException {
        for (int i = 3; i + 5 < frames.size(); i += 5) {
            Frame first = frames.get(i);
            Frame last = frames.get(i + 4);
            if (first.path.equals(last.path) && last.lsn < RECORDS) {
                LogBench after = damaged(first, last);
                List<Long> lost = frames.subList(i, i + 5).stream()
                        .filter(Frame::isRecord)
                        .map(Frame::lsn)
                        .toList();
                after.heldLsn = last.lsn - 1;
                assertThrows(CorruptionException.class, () -> after.open());
                assertPassedOver(after, last.lsn, lost);
            }
        }
    }

    /** Nothing is missing between two frames with one lsn, so nobody needs it whatever they hold. */
    @Test
    void a_watermark_tells_of_nothing_that_could_be_lost() throws IOException {
        int marks = 0;
        for (int i = 1; i + 2 < frames.size(); i++) {
            Frame frame = frames.get(i);
            boolean last = !frames.get(i + 1).path.equals(frame.path);
            if (!frame.isRecord && !last && frames.get(i + 1).lsn < RECORDS) {
                assertPassedOver(damaged(frame, frame), 0, List.of());
                marks++;
            }
        }
        assertTrue(marks > 10, "few watermarks");
    }
}
