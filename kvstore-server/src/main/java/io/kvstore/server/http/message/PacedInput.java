package io.kvstore.server.http.message;

import java.io.IOException;
import java.io.InputStream;
import org.xnio.channels.ReadTimeoutException;

/** A body that must not arrive too slowly. Closing it does nothing: the stream below would read all that is left. */
final class PacedInput extends InputStream {

    private final InputStream in;
    private final StreamPace.Pace pace;

    PacedInput(InputStream in, StreamPace.Pace pace) {
        this.in = in;
        this.pace = pace;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        pace.begin();
        int count;
        try {
            count = in.read(bytes, offset, length);
        } catch (ReadTimeoutException e) {
            StreamPace.TooSlowException failure = pace.tooSlow();
            failure.initCause(e);
            throw failure;
        }
        if (count >= 0) { // at the end nothing is to be waited for
            pace.end(count);
        }
        return count;
    }
}
