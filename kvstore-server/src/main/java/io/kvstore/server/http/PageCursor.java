package io.kvstore.server.http;

import io.kvstore.data.KeyRange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.CRC32C;

/**
 * Where a page ended, as an opaque text that the next request gives back: the direction, the last key and a checksum. The
 * server keeps nothing, so a cursor works after a restart; entries written meanwhile are seen if they lie ahead.
 *
 * @param reversed whether the walk goes down
 * @param lastKey the last key that was answered
 */
record PageCursor(boolean reversed, byte[] lastKey) {

    private static final int CHECKSUM_BYTES = 4;

    String text() {
        ByteBuffer bytes = ByteBuffer.allocate(1 + lastKey.length + CHECKSUM_BYTES);
        bytes.put((byte) (reversed ? 1 : 0)).put(lastKey);
        bytes.putInt(checksum(bytes.array(), bytes.position()));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    static PageCursor parse(String text) {
        byte[] bytes = KeyEncoding.ofBase64(text, "cursor");
        int end = bytes.length - CHECKSUM_BYTES;
        if (end < 1 || bytes[0] < 0 || bytes[0] > 1 || ByteBuffer.wrap(bytes).getInt(end) != checksum(bytes, end)) {
            throw ProblemException.invalid("cursor is not one that this server gave");
        }
        return new PageCursor(bytes[0] == 1, Arrays.copyOfRange(bytes, 1, end));
    }

    /** What is left of a range after this cursor. */
    KeyRange rest(KeyRange range) {
        if (range.reversed() != reversed || !range.contains(lastKey)) {
            throw ProblemException.invalid(
                    "cursor is of another range; repeat the parameters of the page that gave it");
        }
        return reversed ? range.to(lastKey, false) : range.from(lastKey, false);
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PageCursor that && reversed == that.reversed && Arrays.equals(lastKey, that.lastKey);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(lastKey) + Boolean.hashCode(reversed);
    }
}
