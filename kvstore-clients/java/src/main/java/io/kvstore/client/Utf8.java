package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Encodes Strings as keys, in strict UTF-8. */
final class Utf8 {

    private Utf8() {}

    /** @throws io.kvstore.client.error.InvalidRequestException if a surrogate stands alone */
    static byte[] bytes(String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw KVClientException.invalid(
                    "the key is not valid UTF-16 (a surrogate stands alone); give the key as byte[] instead");
        }
    }
}
