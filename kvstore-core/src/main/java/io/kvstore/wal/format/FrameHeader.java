package io.kvstore.wal.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Encodes and decodes frame headers in one reused buffer. Not safe for use by several threads. {@code docs/file-formats.md} has
 * a drawing. {@code length} counts payload bytes, the key first. The header checksum covers the segment id, the offset and the
 * 28 bytes behind the checksum.
 */
public final class FrameHeader {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int SEED_BYTES = 16;
    private static final int COVERED = LogFormat.FRAME_HEADER_BYTES - 4;

    private final byte[] scratch = new byte[SEED_BYTES + COVERED];
    private final ByteBuffer covered = ByteBuffer.wrap(scratch).order(ByteOrder.LITTLE_ENDIAN);
    private final byte[] encoded = new byte[LogFormat.FRAME_HEADER_BYTES];
    private final ByteBuffer out = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();

    public int length;
    public long lsn;
    public int tableId;
    public byte kind;
    public byte flags;
    public int keyLength;
    public int payloadCrc;

    public void set(long ofLsn, LogRecord record, int crcOfPayload) {
        length = record.key().length + record.value().length;
        lsn = ofLsn;
        tableId = record.tableId();
        kind = record.kind();
        flags = 0;
        keyLength = record.key().length;
        payloadCrc = crcOfPayload;
    }

    /** Encodes the header into an array that the next call overwrites. */
    public byte[] encode(long segmentId, long offset) {
        out.putInt(4, length).putLong(8, lsn).putInt(16, tableId);
        encoded[20] = kind;
        encoded[21] = flags;
        out.putShort(22, (short) keyLength).putInt(24, payloadCrc).putInt(28, 0);
        out.putInt(0, checksum(segmentId, offset, encoded, 0));
        return encoded;
    }

    /**
     * Reads a header. False if it is none of that segment and offset, if its payload exceeds {@code room}, or if no operation
     * gets its lsn.
     */
    boolean decode(long segmentId, long offset, byte[] bytes, int at, long room) {
        long first = (long) LONG.get(bytes, at);
        long second = (long) LONG.get(bytes, at + 8);
        long third = (long) LONG.get(bytes, at + 16);
        long fourth = (long) LONG.get(bytes, at + 24);
        int payload = (int) (first >>> 32);
        int key = (int) (third >>> 48);
        // the cheap checks come first: a search tries every place, and most places hold zeros; no kind is 0
        if ((first | second | third | fourth) == 0
                || payload < 0
                || payload > room
                || key > payload
                || second < 0
                || second > LogFormat.GREATEST_LSN
                || (int) first != checksum(segmentId, offset, bytes, at)) {
            return false;
        }
        length = payload;
        lsn = second;
        tableId = (int) third;
        kind = (byte) (third >>> 32);
        flags = (byte) (third >>> 40);
        keyLength = key;
        payloadCrc = (int) fourth;
        return true;
    }

    private int checksum(long segmentId, long offset, byte[] header, int at) {
        covered.putLong(0, segmentId).putLong(8, offset);
        System.arraycopy(header, at + 4, scratch, SEED_BYTES, COVERED);
        crc.reset();
        crc.update(scratch, 0, scratch.length);
        return (int) crc.getValue();
    }
}
