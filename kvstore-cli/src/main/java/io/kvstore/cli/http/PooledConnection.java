package io.kvstore.cli.http;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.apache.hc.client5.http.impl.io.DefaultManagedHttpClientConnection;
import org.apache.hc.core5.http.config.Http1Config;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is not used again once anything has come in while it was idle. The library asks only for its end, and would
 * take what a proxy says before it closes an idle connection for the answer to the next request.
 */
final class PooledConnection extends DefaultManagedHttpClientConnection {

    /** The head of an answer of ours has a few short lines. A longer head is refused, and not held in memory. */
    private static final Http1Config LIMITS = Http1Config.custom()
            .setMaxLineLength(16 << 10)
            .setMaxHeaderCount(256)
            .build();

    private static final int LOOK_MILLIS = 1;

    PooledConnection(String name) {
        // An answer that comes while the request is sent ends the sending, where it is seen without waiting.
        super(name, null, null, LIMITS, null, null, (_, _, in, _, _) -> in.available() > 0, null, null);
    }

    @Override
    public boolean isStale() {
        Socket socket = socket();
        if (socket == null) {
            return true;
        }
        try {
            int waited = socket.getSoTimeout();
            socket.setSoTimeout(LOOK_MILLIS);
            try {
                int _ = socket.getInputStream().read();
                return true; // the end, or what nobody asked for
            } catch (SocketTimeoutException e) {
                return false;
            } finally {
                socket.setSoTimeout(waited);
            }
        } catch (IOException e) {
            return true;
        }
    }

    /** The library's answer is null once the connection is closed. */
    private @Nullable Socket socket() {
        return getSocket();
    }
}
