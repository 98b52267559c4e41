package io.kvstore.views;

import java.util.Arrays;

/**
 * The parts of a key that has several. Each part but the last one ends with a mark, {@code 00 00}, and each {@code 00} inside
 * of it is written as {@code 00 FF}. So the mark is less than whatever a part can go on with, and no part with its mark is
 * the beginning of another one: keys of parts are in the order of their parts, whatever the lengths.
 */
final class Parts {

    private static final byte ESCAPED = (byte) 0xFF;
    private static final int MARK_BYTES = 2;

    private final byte[] key;
    private int position;

    /** Reads the parts of a key from its beginning. */
    Parts(byte[] key) {
        this.key = key;
    }

    /** A part with its mark. */
    static byte[] ended(byte[] part) {
        int zeros = 0;
        for (byte b : part) {
            zeros += b == 0 ? 1 : 0;
        }
        byte[] ended = new byte[part.length + zeros + MARK_BYTES];
        int end = 0;
        for (byte b : part) {
            ended[end++] = b;
            if (b == 0) {
                ended[end++] = ESCAPED;
            }
        }
        return ended;
    }

    /** Pieces one behind the other. */
    static byte[] joined(byte[]... pieces) {
        int length = 0;
        for (byte[] piece : pieces) {
            length += piece.length;
        }
        byte[] joined = new byte[length];
        int end = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, joined, end, piece.length);
            end += piece.length;
        }
        return joined;
    }

    /**
     * Reads the next part, without its mark.
     *
     * @throws IllegalArgumentException if there is no whole part
     */
    byte[] next() {
        byte[] part = new byte[key.length - position];
        int length = 0;
        while (position < key.length) {
            byte b = key[position++];
            if (b == 0 && !isEscaped()) {
                return Arrays.copyOf(part, length);
            }
            part[length++] = b;
        }
        throw new IllegalArgumentException("a part has no end mark");
    }

    /** Whether the zero that was read belongs to the part; moves behind the second byte of escape or mark. */
    private boolean isEscaped() {
        int second = position < key.length ? key[position++] : 1;
        if (second != 0 && second != ESCAPED) {
            throw new IllegalArgumentException("a zero byte is neither escaped nor an end mark");
        }
        return second == ESCAPED;
    }

    /** Reads the last part: all that is left. */
    byte[] rest() {
        byte[] rest = Arrays.copyOfRange(key, position, key.length);
        position = key.length;
        return rest;
    }

    /** @throws IllegalArgumentException if bytes are left */
    void expectEnd() {
        if (position < key.length) {
            throw new IllegalArgumentException(key.length - position + " bytes follow the last part");
        }
    }
}
