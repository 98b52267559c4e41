package io.kvstore.cli.rows;

import io.kvstore.bytes.TextCheck;
import java.io.IOException;
import java.io.OutputStream;

/** Looks at entries before they are written, and tells which of keys and values are all text. For use by one thread. */
public final class TextLook {

    private final TextCheck texts = new TextCheck();
    private boolean hasTextKeys = true;
    private boolean hasTextValues = true;

    /** Looks at an entry. */
    public void see(byte[] key, byte[] value) {
        hasTextKeys &= texts.isUtf8(key);
        hasTextValues &= texts.isUtf8(value);
    }

    /** Whether other entries could change the answer. */
    public boolean isOpen() {
        return hasTextKeys || hasTextValues;
    }

    /** Writes entries so that those that were seen fit. */
    public CsvWriter writer(OutputStream target) throws IOException {
        return new CsvWriter(target, encoding(hasTextKeys), encoding(hasTextValues));
    }

    private static Encoding encoding(boolean isText) {
        return isText ? Encoding.UTF8 : Encoding.BASE64;
    }
}
