package io.kvstore.bytes;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** Tells text from other bytes. For use by one thread. */
public final class TextCheck {

    /** A text may be twice as long as its bytes, and longer by this number. Beyond that base64 is shorter. */
    private static final int FREE_ESCAPE_BYTES = 1 << 10;

    private static final int DECODED_CHARS = 512;

    private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    private final CharBuffer decoded = CharBuffer.allocate(DECODED_CHARS);

    /** Whether bytes are UTF-8. */
    public boolean isUtf8(byte[] bytes) {
        if (isAscii(bytes)) {
            return true;
        }
        decoder.reset();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CoderResult result = CoderResult.OVERFLOW;
        while (result.isOverflow()) {
            decoded.clear();
            result = decoder.decode(in, decoded, true);
        }
        return !result.isError();
    }

    private static boolean isAscii(byte[] bytes) {
        for (byte b : bytes) {
            if (b < 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether bytes are UTF-8 that stays readable as a string of JSON, in which a control character takes six bytes. */
    public boolean isReadable(byte[] bytes) {
        return JsonText.extraBytes(bytes, 0, bytes.length) <= bytes.length + (long) FREE_ESCAPE_BYTES && isUtf8(bytes);
    }
}
