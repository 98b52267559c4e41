package io.kvstore.server.http.message;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;

/** The rest of a body that was refused while its client still sends. */
public final class RefusedBody {

    private RefusedBody() {}

    /**
     * Reads the rest, so that the client gets the answer. If it is too long or takes too long, the connection is cut instead.
     *
     * @param pace that of the body
     */
    public static void skip(InputStream rest, StreamPace pace) throws IOException {
        long begun = System.nanoTime();
        byte[] buffer = new byte[Limits.STREAM_CHUNK_BYTES];
        long skipped = 0;
        for (int count = rest.read(buffer); count >= 0; count = rest.read(buffer)) {
            skipped += count;
            if (skipped > Limits.REFUSED_BYTES
                    || System.nanoTime() - begun > TimeUnit.MILLISECONDS.toNanos(pace.behindMillis())) {
                throw new IOException("the client sends on after its request failed");
            }
        }
    }
}
