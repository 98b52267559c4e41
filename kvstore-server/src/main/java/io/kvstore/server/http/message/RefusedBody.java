package io.kvstore.server.http.message;

import java.io.IOException;
import java.io.InputStream;

/** The rest of a body that was refused while its client still sends. */
public final class RefusedBody {

    private RefusedBody() {}

    /** Reads the rest, so that the client gets the answer. If it is too long, the connection is cut instead. */
    public static void skip(InputStream rest) throws IOException {
        byte[] buffer = new byte[Limits.STREAM_CHUNK_BYTES];
        long skipped = 0;
        for (int count = rest.read(buffer); count >= 0; count = rest.read(buffer)) {
            skipped += count;
            if (skipped > Limits.REFUSED_BYTES) {
                throw new IOException("the client sends on after its request failed");
            }
        }
    }
}
