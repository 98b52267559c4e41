package io.kvstore.cli.rows;

import org.jspecify.annotations.Nullable;

/** How an export writes bytes. */
public enum ByteForm {
    /** As text where they are text, and as base64 where they are not. */
    AUTO(null),
    UTF8(Encoding.UTF8),
    HEX(Encoding.HEX),
    BASE64(Encoding.BASE64);

    private final @Nullable Encoding encoding;

    ByteForm(@Nullable Encoding encoding) {
        this.encoding = encoding;
    }

    /** The encoding of all bytes; null if they decide it. */
    public @Nullable Encoding encoding() {
        return encoding;
    }
}
