package io.kvstore.cli.rows;

/**
 * The longest line, or field of CSV, that is read.
 *
 * @param mostBytes its bytes, or the characters of a field
 * @param remedy the end of the message that refuses a longer one
 */
public record LineLimit(int mostBytes, String remedy) {

    /** No option sets more: an array of bytes cannot be much longer. */
    public static final int GREATEST_BYTES = 2_000 << 20;

    /** A limit that an option sets. */
    public static LineLimit ofOption(int mostBytes) {
        return new LineLimit(
                mostBytes,
                mostBytes < GREATEST_BYTES
                        ? "give more to --max-line"
                        : "no longer one is read; make it shorter, or leave the row out");
    }
}
