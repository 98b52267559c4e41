package io.kvstore.bytes;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The text of bytes that must be UTF-8. A {@code String} made of other bytes would have U+FFFD in place of them. */
public final class Utf8Text {

    private Utf8Text() {}

    /** @throws CharacterCodingException if the bytes are not UTF-8 */
    public static String of(byte[] bytes) throws CharacterCodingException {
        return chars(bytes, 0, bytes.length).toString();
    }

    /**
     * The characters of a part of an array, in an array of their own.
     *
     * @throws CharacterCodingException if the bytes are not UTF-8
     */
    public static CharBuffer chars(byte[] bytes, int from, int length) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, length));
    }
}
