package io.kvstore.server.http.message;

import java.io.IOException;
import java.io.OutputStream;

/** An answer that must not be taken too slowly. Closing it sends its end. */
final class PacedOutput extends OutputStream {

    /** The bytes between two looks at the time. */
    static final int PART_BYTES = Limits.STREAM_CHUNK_BYTES;

    private final OutputStream out;
    private final StreamPace.Pace pace;

    PacedOutput(OutputStream out, StreamPace.Pace pace) {
        this.out = out;
        this.pace = pace;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        for (int done = 0; done < length; done += PART_BYTES) {
            int from = offset + done;
            int part = Math.min(PART_BYTES, length - done);
            waitFor(() -> out.write(bytes, from, part));
            pace.end(part);
        }
    }

    @Override
    public void flush() throws IOException {
        waitFor(out::flush);
        pace.end(0);
    }

    @Override
    public void close() throws IOException {
        waitFor(out::close);
    }

    private void waitFor(Step step) throws IOException {
        pace.begin();
        try {
            step.run();
        } catch (IOException e) {
            throw pace.endFailed(e);
        }
    }

    /** A step that waits for the client. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }
}
