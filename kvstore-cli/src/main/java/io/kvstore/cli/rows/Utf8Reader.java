package io.kvstore.cli.rows;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** Text in UTF-8. Bytes that are none are refused, with the line that has them. */
final class Utf8Reader extends Reader {

    private static final int READ_BYTES = 64 << 10;

    private final InputStream in;
    private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    private final ByteBuffer bytes = ByteBuffer.allocate(READ_BYTES).limit(0);
    private boolean isEnded;
    private long line = 1;

    Utf8Reader(InputStream in) {
        this.in = in;
    }

    @Override
    public int read(char[] target, int offset, int length) throws IOException {
        CharBuffer chars = CharBuffer.wrap(target, offset, length);
        while (chars.hasRemaining()) {
            CoderResult result = decoder.decode(bytes, chars, isEnded);
            int decoded = chars.position() - offset;
            if (result.isError()) {
                throw new BadRowException(
                        line + linesIn(target, offset, decoded),
                        "the line is not valid UTF-8; write the text as UTF-8, and bytes as hex or base64");
            }
            if (result.isOverflow() || decoded > 0 || isEnded) {
                line += linesIn(target, offset, decoded);
                return decoded == 0 && isEnded && !result.isOverflow() ? -1 : decoded;
            }
            fill();
        }
        return 0;
    }

    private void fill() throws IOException {
        bytes.compact();
        int count = in.read(bytes.array(), bytes.position(), bytes.remaining());
        isEnded = count < 0;
        bytes.position(bytes.position() + Math.max(count, 0)).flip();
    }

    private static long linesIn(char[] text, int offset, int length) {
        long lines = 0;
        for (int i = offset; i < offset + length; i++) {
            lines += text[i] == '\n' ? 1 : 0;
        }
        return lines;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
