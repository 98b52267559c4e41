package io.kvstore.wal.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The statement of a watermark or a seal: everything before a place, and up to an lsn, is durable. Zeros may follow.
 *
 * @param catalog the revision of the catalog that was durable then; 0 if a version wrote the mark that did not note it
 */
public record WatermarkPayload(long segmentId, long offset, long lsn, long catalog) {

    public byte[] encode(int padding) {
        return ByteBuffer.allocate(LogFormat.MARK_PAYLOAD_BYTES + padding)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(segmentId)
                .putLong(offset)
                .putLong(lsn)
                .putLong(catalog)
                .array();
    }

    public WatermarkPayload withCatalog(long revision) {
        return new WatermarkPayload(segmentId, offset, lsn, revision);
    }

    static WatermarkPayload decode(byte[] payload, int at, int length) {
        ByteBuffer in = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
        long catalog = length < LogFormat.MARK_PAYLOAD_BYTES ? 0 : in.getLong(at + LogFormat.LEAST_MARK_BYTES);
        return new WatermarkPayload(in.getLong(at), in.getLong(at + 8), in.getLong(at + 16), catalog);
    }
}
