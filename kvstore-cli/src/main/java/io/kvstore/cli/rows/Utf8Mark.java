package io.kvstore.cli.rows;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.Arrays;

/** The byte order mark that programs on Windows write before UTF-8. */
final class Utf8Mark {

    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final byte[] LITTLE_UTF16 = {(byte) 0xFF, (byte) 0xFE};
    private static final byte[] BIG_UTF16 = {(byte) 0xFE, (byte) 0xFF};

    private Utf8Mark() {}

    /** The text behind its mark, if it has one. */
    static InputStream skip(InputStream in) throws IOException {
        byte[] first = in.readNBytes(MARK.length);
        if (Arrays.equals(first, MARK)) {
            return in;
        }
        byte[] two = Arrays.copyOf(first, 2);
        if (Arrays.equals(two, LITTLE_UTF16) || Arrays.equals(two, BIG_UTF16)) {
            throw new BadRowException(1, "the text begins with the byte order mark of UTF-16; write it as UTF-8");
        }
        PushbackInputStream whole = new PushbackInputStream(in, MARK.length);
        whole.unread(first);
        return whole;
    }
}
