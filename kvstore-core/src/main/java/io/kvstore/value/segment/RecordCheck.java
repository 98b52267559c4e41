package io.kvstore.value.segment;

import io.kvstore.bytes.Checksum;
import io.kvstore.engine.HeldFile;
import io.kvstore.error.CorruptionException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Checks the bytes of a segment while they pass by: its header, and the checksum of each record. */
public final class RecordCheck implements HeldFile.Check {

    private static final int HEAD = ValueSegmentFormat.RECORD_HEAD_BYTES;

    private final String path;
    private final int fileTag;
    private final long number;
    private final long seed;
    private final CRC32C crc = new CRC32C();
    private final byte[] head = new byte[Math.max(HEAD, ValueSegmentFormat.HEADER_BYTES)];
    private int headBytes;

    /** Where the record begins that passes by; 0 while that is the header of the segment. */
    private long start;

    /** How many bytes of the record are still to come, once its head is there. */
    private long left;

    public RecordCheck(String path, int fileTag, long number) {
        this.path = path;
        this.fileTag = fileTag;
        this.number = number;
        this.seed = ValueSegmentFormat.seed(fileTag, number);
    }

    @Override
    public void add(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            if (headBytes == 0 && start > 0 && bytes.hasArray() && addWhole(bytes)) {
                continue;
            }
            int whole = start == 0 ? ValueSegmentFormat.HEADER_BYTES : HEAD;
            if (headBytes < whole) {
                int count = Math.min(bytes.remaining(), whole - headBytes);
                bytes.get(head, headBytes, count);
                headBytes += count;
                if (headBytes == whole) {
                    begin();
                }
            } else {
                int count = (int) Math.min(bytes.remaining(), left);
                crc.update(bytes.slice(bytes.position(), count));
                bytes.position(bytes.position() + count);
                left -= count;
                endIfWhole();
            }
        }
    }

    /** Checks a record that is in the buffer as a whole, as most are, in one step. False if it is not. */
    private boolean addWhole(ByteBuffer bytes) {
        byte[] array = bytes.array();
        int at = bytes.arrayOffset() + bytes.position();
        if (bytes.remaining() < HEAD) {
            return false;
        }
        int valueLength = ValueSegmentFormat.valueLength(array, at);
        if (valueLength < 0) {
            throw damaged();
        }
        long length = ValueSegmentFormat.recordBytes(ValueSegmentFormat.keyLength(array, at), valueLength);
        if (length > bytes.remaining()) {
            return false;
        }
        crc.reset();
        crc.update(array, at + Integer.BYTES, (int) length - Integer.BYTES);
        if (Checksum.seeded(seed, start, crc) != ValueSegmentFormat.checksum(array, at)) {
            throw damaged();
        }
        bytes.position(bytes.position() + (int) length);
        start += length;
        return true;
    }

    private void begin() {
        if (start == 0) {
            ValueSegmentFormat.checkHeader(Arrays.copyOf(head, ValueSegmentFormat.HEADER_BYTES), path, fileTag, number);
            start = ValueSegmentFormat.HEADER_BYTES;
            headBytes = 0;
            return;
        }
        int valueLength = ValueSegmentFormat.valueLength(head, 0);
        if (valueLength < 0) {
            throw damaged();
        }
        left = (long) ValueSegmentFormat.keyLength(head, 0) + valueLength;
        crc.reset();
        crc.update(head, Integer.BYTES, HEAD - Integer.BYTES);
        endIfWhole();
    }

    private void endIfWhole() {
        if (left > 0) {
            return;
        }
        if (Checksum.seeded(seed, start, crc) != ValueSegmentFormat.checksum(head, 0)) {
            throw damaged();
        }
        start += ValueSegmentFormat.recordBytes(
                ValueSegmentFormat.keyLength(head, 0), ValueSegmentFormat.valueLength(head, 0));
        headBytes = 0;
    }

    private CorruptionException damaged() {
        return new CorruptionException(path, start, "the checksum of a record is wrong");
    }

    @Override
    public void end() {
        if (headBytes > 0 || start == 0) {
            throw damaged();
        }
    }
}
