package io.kvstore;

import io.kvstore.error.InvalidRequestException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Makes keys from Strings, as strict UTF-8. */
public final class Keys {

    private Keys() {}

    /**
     * The UTF-8 bytes of a key.
     *
     * @throws InvalidRequestException if the String is not valid UTF-16 (it has a surrogate without its partner)
     */
    public static byte[] bytes(String key) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(key));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new InvalidRequestException(
                    "the key is not valid UTF-16 (a surrogate stands alone); give the key as byte[] instead");
        }
    }

    /** A list of keys for {@link Table#getAll}. */
    public static List<byte[]> of(String... keys) {
        List<byte[]> result = new ArrayList<>(keys.length);
        for (String key : keys) {
            result.add(bytes(key));
        }
        return result;
    }
}
