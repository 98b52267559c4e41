package io.kvstore.cli.rows;

/**
 * The longest line, or field of CSV, that is read.
 *
 * @param mostBytes its bytes, or the characters of a field
 * @param remedy the end of the message that refuses a longer one
 */
public record LineLimit(int mostBytes, String remedy) {

    /** A limit that an option sets. */
    public static LineLimit ofOption(int mostBytes) {
        return new LineLimit(mostBytes, "give more to --max-line");
    }
}
