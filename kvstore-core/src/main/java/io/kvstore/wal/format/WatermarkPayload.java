package io.kvstore.wal.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The statement of a watermark or a seal: everything before a place, and up to an lsn, is durable. Zeros may follow. */
public record WatermarkPayload(long segmentId, long offset, long lsn) {

    public byte[] encode(int padding) {
        return ByteBuffer.allocate(LogFormat.WATERMARK_PAYLOAD_BYTES + padding)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(segmentId)
                .putLong(offset)
                .putLong(lsn)
                .array();
    }

    static WatermarkPayload decode(byte[] payload, int at) {
        ByteBuffer in = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
        return new WatermarkPayload(in.getLong(at), in.getLong(at + 8), in.getLong(at + 16));
    }
}
