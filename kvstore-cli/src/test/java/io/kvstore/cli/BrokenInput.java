package io.kvstore.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;

/** Input that fails behind its last byte, as a file on a broken disk does. */
public final class BrokenInput extends InputStream {

    private BrokenInput() {}

    /** Text, and then the failure. */
    public static InputStream behind(String text) {
        return new SequenceInputStream(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), new BrokenInput());
    }

    @Override
    public int read() throws IOException {
        throw new IOException("Input/output error");
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        return read();
    }
}
