package io.kvstore.wal;

import io.kvstore.bytes.Checksum;
import io.kvstore.data.Mutation;
import io.kvstore.data.TableMutations;
import io.kvstore.testkit.ScriptCommand;
import io.kvstore.wal.format.FrameHeader;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.format.WatermarkPayload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Makes a segment of frames that are written as text, one a line:
 *
 * <pre>
 * put LSN [table=7] [bytes=15]
 * remove LSN [table=7]
 * batch LSN TABLE TABLE
 * mark [LSN] [segment=ID] [at=OFFSET]     a watermark; without more, it says that all before itself is durable
 * seal [LSN] [segment=ID] [at=OFFSET]
 * successor ID
 * zeros [bytes=48]
 * </pre>
 *
 * <p>{@code is=damaged} behind a frame flips a byte of its payload, {@code is=unreadable} one of its header, and {@code
 * is=torn} leaves zeros in its second half. {@code is=unknown} gives it flags of a later version.
 */
final class SegmentText {

    private static final byte[] KEY = {1};
    private static final byte[] NO_KEY = {};

    private final long id;
    private final byte[] bytes;
    private final FrameHeader header = new FrameHeader();
    private final List<String> places = new ArrayList<>();
    private int at = LogFormat.SEGMENT_HEADER_BYTES;
    private long lastLsn;

    /** @param lastLsn the last record before the segment */
    SegmentText(LogFormat.SegmentHeader head, long lastLsn) {
        this.id = head.id();
        this.bytes = Arrays.copyOf(head.encode(), (int) head.capacity());
        this.lastLsn = lastLsn;
    }

    byte[] bytes() {
        return bytes;
    }

    /** Where the next frame begins. */
    int end() {
        return at;
    }

    long lastLsn() {
        return lastLsn;
    }

    /** A line for each frame, with its offset. */
    List<String> places() {
        return places;
    }

    void add(String line) {
        ScriptCommand frame = ScriptCommand.of(line);
        int from = at;
        header.flags = (byte) (frame.text("is", "").equals("unknown") ? 1 : 0);
        switch (frame.name()) {
            case "put" -> record(frame, new Mutation.Put(KEY, filled((int) frame.number("bytes", 15))));
            case "remove" -> record(frame, new Mutation.Remove(KEY));
            case "batch" -> batch(frame);
            case "mark" -> mark(LogFormat.WATERMARK, frame);
            case "seal" -> mark(LogFormat.SEAL, frame);
            case "successor" -> successor(lsnOf(frame));
            case "zeros" -> at += (int) frame.number("bytes", 48);
            default -> throw frame.unknown();
        }
        spoil(frame.text("is", "whole"), from);
        frame.requireAllAsked();
        places.add(String.format(Locale.ROOT, "%d %s", from, line.strip()));
    }

    private static byte[] filled(int length) {
        byte[] value = new byte[length];
        Arrays.fill(value, (byte) 3);
        return value;
    }

    private static long lsnOf(ScriptCommand frame) {
        return Long.parseLong(frame.words().getFirst());
    }

    private void record(ScriptCommand frame, Mutation mutation) {
        int table = (int) frame.number("table", LogBench.TABLE);
        record(lsnOf(frame), List.of(new TableMutations(table, List.of(mutation))));
    }

    private void batch(ScriptCommand frame) {
        List<String> words = frame.words();
        record(
                lsnOf(frame),
                words.subList(1, words.size()).stream()
                        .map(table ->
                                new TableMutations(Integer.parseInt(table), List.of(new Mutation.Put(KEY, filled(15)))))
                        .toList());
    }

    private void record(long lsn, List<TableMutations> operation) {
        LogRecord record = LogRecord.of(operation);
        lastLsn = lsn;
        header.kind = record.kind();
        header.tableId = record.tableId();
        frame(record.key(), record.value(), record.checksum());
    }

    private void mark(byte kind, ScriptCommand frame) {
        long lsn = frame.words().isEmpty() ? lastLsn : lsnOf(frame);
        WatermarkPayload payload = new WatermarkPayload(frame.number("segment", id), frame.number("at", at), lsn, 0);
        header.kind = kind;
        header.tableId = 0;
        frame(NO_KEY, payload.encode(0), Checksum.of(payload.encode(0)));
    }

    private void successor(long next) {
        byte[] payload = LogFormat.encodeSuccessor(next);
        header.kind = LogFormat.SUCCESSOR;
        header.tableId = 0;
        frame(NO_KEY, payload, Checksum.of(payload));
    }

    private void frame(byte[] key, byte[] value, int payloadCrc) {
        header.lsn = lastLsn;
        header.keyLength = key.length;
        header.length = key.length + value.length;
        header.payloadCrc = payloadCrc;
        System.arraycopy(header.encode(id, at), 0, bytes, at, LogFormat.FRAME_HEADER_BYTES);
        System.arraycopy(key, 0, bytes, at + LogFormat.FRAME_HEADER_BYTES, key.length);
        System.arraycopy(value, 0, bytes, at + LogFormat.FRAME_HEADER_BYTES + key.length, value.length);
        at += (int) LogFormat.frameBytes(header.length);
    }

    private void spoil(String state, int from) {
        switch (state) {
            case "whole", "unknown" -> {
                // as it was written
            }
            case "damaged" -> bytes[from + LogFormat.FRAME_HEADER_BYTES] ^= 0x5A;
            case "unreadable" -> bytes[from + 9] ^= 0x5A;
            case "torn" -> Arrays.fill(bytes, (from + LogFormat.FRAME_HEADER_BYTES + at) / 2, at, (byte) 0);
            default -> throw new IllegalArgumentException("a frame is not " + state);
        }
    }
}
