package io.kvstore.cli.rows;

import io.kvstore.data.KeyOrder;

/** An entry is to be written as text, and has bytes that are none. */
public final class NotTextException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotTextException(byte[] key, boolean isKey) {
        super(
                (isKey ? "the key " : "the value of key ") + KeyOrder.display(key)
                        + " is not UTF-8; give --encoding auto, hex or base64",
                null,
                false,
                false);
    }
}
