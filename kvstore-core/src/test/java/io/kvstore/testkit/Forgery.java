package io.kvstore.testkit;

import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.FileHeader;
import io.kvstore.value.segment.ValueSegmentFormat;
import io.kvstore.wal.format.LogFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * A part of a file whose bytes can be altered so that all checksums of the file are right afterwards. A checksum does not tell
 * what a faulty program or a faulty memory wrote before it was computed.
 *
 * @param kind of the part, for reports
 * @param from where the part begins
 * @param to where it ends
 * @param isTold whether a check has to name what a value that differs comes from. Not so for keys, values, names and records
 *     of the log: there every content is a possible one
 * @param seal makes the checksums of the part right
 */
public record Forgery(String kind, int from, int to, boolean isTold, Consumer<ByteBuffer> seal) {

    private static final int CATALOG_NUMBERS_END = 60;
    private static final int LOG_HEAD_CHECKSUM = 12;
    private static final int LOG_HEAD_USED = 72;
    private static final int LOG_HEAD_FIELDS = 16;
    private static final int BATCH = 4;
    private static final int FIRST_MARK = 5;
    private static final int VALUE_SEGMENT_CHECKSUM = ValueSegmentFormat.HEADER_BYTES - Integer.BYTES;

    /** The bytes of a file, as numbers that are little-endian. */
    public static ByteBuffer numbers(byte[] file) {
        return ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The parts of the catalog, of a segment of the log, or of a value segment; none of another file. */
    static List<Forgery> of(String path, byte[] file) {
        List<Forgery> found = new ArrayList<>();
        if (path.equals("CATALOG")) {
            addCatalog(found, file.length - Integer.BYTES);
        } else if (path.endsWith(".wal")) {
            addLog(found, numbers(file));
        } else if (path.endsWith(".val")) {
            addValues(found, numbers(file));
        }
        return found;
    }

    private static void addCatalog(List<Forgery> to, int end) {
        Consumer<ByteBuffer> seal = file -> file.putInt(end, Checksum.of(bytes(file), 0, end));
        to.add(new Forgery("catalog", FileHeader.BYTES, CATALOG_NUMBERS_END, true, seal));
        to.add(new Forgery("catalog entry", CATALOG_NUMBERS_END, end, false, seal));
    }

    private static void addLog(List<Forgery> to, ByteBuffer log) {
        if (log.capacity() < LogFormat.SEGMENT_HEADER_BYTES || log.getInt(LOG_HEAD_CHECKSUM) == 0) {
            return; // it was never used
        }
        to.add(new Forgery("log head", LOG_HEAD_FIELDS, LOG_HEAD_USED, false, file -> {
            file.putInt(LOG_HEAD_CHECKSUM, 0);
            file.putInt(LOG_HEAD_CHECKSUM, Checksum.of(bytes(file), 0, LOG_HEAD_USED));
        }));
        long segment = log.getLong(LOG_HEAD_FIELDS);
        int at = LogFormat.SEGMENT_HEADER_BYTES;
        while (at + LogFormat.FRAME_HEADER_BYTES <= log.capacity()
                && log.getInt(at) != 0
                && log.getInt(at) == headChecksum(log, segment, at)) { // or it is a frame of an earlier use of the file
            addFrame(to, log, segment, at);
            at += (int) LogFormat.frameBytes(log.getInt(at + 4));
        }
    }

    private static void addFrame(List<Forgery> to, ByteBuffer log, long segment, int frame) {
        int length = log.getInt(frame + 4);
        int kind = log.get(frame + 20);
        int payload = frame + LogFormat.FRAME_HEADER_BYTES;
        Consumer<ByteBuffer> seal = file -> {
            int now = file.getInt(frame + 4);
            if (now >= 0 && now <= file.capacity() - payload) {
                file.putInt(frame + 24, Checksum.of(bytes(file), payload, now));
            }
            file.putInt(frame, headChecksum(file, segment, frame));
        };
        to.add(new Forgery("log frame " + kind, frame + 4, frame + 24, false, seal));
        if (kind >= FIRST_MARK) {
            to.add(new Forgery("log mark " + kind, payload, payload + length, false, seal));
        } else if (kind == BATCH) {
            int head = payload + 20; // the counts, and the head of the first change
            to.add(new Forgery("log batch", payload, Math.min(head, payload + length), false, seal));
        }
    }

    private static int headChecksum(ByteBuffer log, long segment, int frame) {
        ByteBuffer covered = numbers(new byte[44]).putLong(segment).putLong(frame);
        covered.put(bytes(log), frame + 4, 28);
        return Checksum.of(bytes(covered));
    }

    private static void addValues(List<Forgery> to, ByteBuffer values) {
        if (values.capacity() < ValueSegmentFormat.HEADER_BYTES) {
            return;
        }
        int fields = FileHeader.BYTES;
        long seed = ValueSegmentFormat.seed(values.getInt(fields), values.getLong(fields + Integer.BYTES));
        to.add(new Forgery("values head", fields, VALUE_SEGMENT_CHECKSUM, true, file -> {
            int checksum = Checksum.of(bytes(file), fields, VALUE_SEGMENT_CHECKSUM - fields);
            file.putInt(VALUE_SEGMENT_CHECKSUM, checksum);
        }));
        int at = ValueSegmentFormat.HEADER_BYTES;
        while (at + ValueSegmentFormat.RECORD_HEAD_BYTES <= values.capacity() && values.getInt(at + 4) >= 0) {
            int record = at;
            to.add(new Forgery("value", at + 4, at + ValueSegmentFormat.RECORD_HEAD_BYTES, true, file -> {
                long bytes = recordBytes(file, record);
                if (bytes > 0 && bytes <= file.capacity() - record) {
                    file.putInt(record, Checksum.seeded(seed, record, bytes(file), record + 4, (int) bytes - 4));
                }
            }));
            at += (int) Math.min(recordBytes(values, at), values.capacity());
        }
    }

    /** The array of a buffer that has the whole of it. */
    public static byte[] bytes(ByteBuffer whole) {
        return Arrays.copyOfRange(whole.array(), whole.arrayOffset(), whole.arrayOffset() + whole.capacity());
    }

    private static long recordBytes(ByteBuffer file, int at) {
        return ValueSegmentFormat.recordBytes(file.getShort(at + 16) & 0xFFFF, file.getInt(at + 4));
    }
}
