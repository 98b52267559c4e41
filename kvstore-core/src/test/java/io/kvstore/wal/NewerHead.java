package io.kvstore.wal;

import io.kvstore.wal.format.LogFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Turns the head of a segment into that of a later version, with a checksum that holds. */
final class NewerHead {

    private NewerHead() {}

    static void write(byte[] segment) {
        ByteBuffer head = ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN);
        head.putInt(8, LogFormat.VERSION + 1).putInt(12, 0);
        CRC32C crc = new CRC32C();
        crc.update(segment, 0, 72);
        head.putInt(12, (int) crc.getValue());
    }
}
