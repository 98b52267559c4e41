package io.kvstore.cli.rows;

import java.io.IOException;
import java.io.InputStream;

/** The lines of a text, as bytes that lie together. The memory for them grows with the longest line. */
final class LineReader {

    private static final int READ_BYTES = 64 << 10;

    private final InputStream in;
    private final LineLimit most;
    private byte[] buffer = new byte[READ_BYTES];
    private int lineStart;
    private int lineEnd;
    private int rest;
    private int limit;
    private long number;

    LineReader(InputStream in, LineLimit most) {
        this.in = in;
        this.most = most;
    }

    /**
     * Goes to the next line. Returns false if there is none.
     *
     * @throws TooLongException if the line is longer than any may be
     */
    boolean next() throws IOException {
        number++;
        lineStart = rest;
        int searched = rest;
        while (true) {
            int end = newline(searched);
            if ((end < 0 ? limit : end) - lineStart > most.mostBytes()) {
                throw new TooLongException(
                        number, "the line has more than " + most.mostBytes() + " bytes; " + most.remedy());
            }
            if (end >= 0) {
                lineEnd = end;
                rest = end + 1;
                return true;
            }
            searched = limit - lineStart;
            boolean isMore = fill();
            searched += lineStart;
            if (!isMore) {
                lineEnd = limit;
                rest = limit;
                return limit > lineStart;
            }
        }
    }

    private int newline(int from) {
        for (int i = from; i < limit; i++) {
            if (buffer[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    /** Reads on behind the present line, which is moved to the front. Returns false at the end. */
    private boolean fill() throws IOException {
        int kept = limit - lineStart;
        boolean isLong = kept > buffer.length / 2;
        byte[] target = isLong ? new byte[(int) Math.min(2L * buffer.length, Integer.MAX_VALUE - 16)] : buffer;
        if (lineStart > 0 || isLong) { // else a long line would be copied onto itself with each piece
            System.arraycopy(buffer, lineStart, target, 0, kept);
        }
        buffer = target;
        lineStart = 0;
        limit = kept;
        int count = in.read(buffer, kept, Math.min(READ_BYTES, buffer.length - kept));
        limit += Math.max(count, 0);
        return count >= 0;
    }

    /** The number of the present line; the first one is 1. */
    long number() {
        return number;
    }

    byte[] array() {
        return buffer;
    }

    int start() {
        return lineStart;
    }

    int length() {
        return lineEnd - lineStart;
    }

    /** Whether the line has only blanks. */
    boolean isBlank() {
        for (int i = lineStart; i < lineEnd; i++) {
            byte b = buffer[i];
            if (b != ' ' && b != '\t' && b != '\r') {
                return false;
            }
        }
        return true;
    }
}
