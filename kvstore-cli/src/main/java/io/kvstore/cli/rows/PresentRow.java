package io.kvstore.cli.rows;

import io.kvstore.data.KeyOrder;
import org.jspecify.annotations.Nullable;

/** The row at which a source is, with what was read of it. */
final class PresentRow {

    private final RowForm form;
    private long line = 1;
    private byte @Nullable [] key;
    private byte @Nullable [] value;

    PresentRow(RowForm form) {
        this.form = form;
    }

    /** @param newLine where the row begins */
    void begin(long newLine) {
        line = newLine;
        key = null;
        value = null;
    }

    /** Takes the text of a field that is the key or the value. */
    void take(RowForm.Part part, String name, String text) {
        if ((part.isKey() ? key : value) != null) {
            throw bad("give one of " + RowForm.names(part.isKey() ? form.key() : form.value()) + ", not two");
        }
        byte[] bytes;
        try {
            bytes = part.encoding().bytes(text);
        } catch (IllegalArgumentException e) {
            throw bad(name + " " + e.getMessage());
        }
        if (!part.isKey()) {
            value = bytes;
        } else if (bytes.length > KeyOrder.MAX_KEY_BYTES) {
            throw bad("the key has " + bytes.length + " bytes; a key has at most " + KeyOrder.MAX_KEY_BYTES);
        } else {
            key = bytes;
        }
    }

    boolean isEmpty() {
        return key == null && value == null;
    }

    void requireBoth() {
        if (key == null || value == null) {
            String missing = key == null ? form.key() : form.value();
            throw bad(missing + " is missing; give one of " + RowForm.names(missing));
        }
    }

    byte[] key() {
        return present(key);
    }

    byte[] value() {
        return present(value);
    }

    private static byte[] present(byte @Nullable [] bytes) {
        if (bytes == null) {
            throw new IllegalStateException("the source is at no entry");
        }
        return bytes;
    }

    long line() {
        return line;
    }

    BadRowException bad(String message) {
        return new BadRowException(line, message);
    }
}
