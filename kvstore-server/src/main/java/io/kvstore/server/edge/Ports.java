package io.kvstore.server.edge;

import java.net.BindException;

/** Says of which port a failure to listen is. */
public final class Ports {

    private Ports() {}

    /** The failure with the port and its option in its message. */
    public static BindException inUse(int port, String option, BindException cause) {
        BindException named = new BindException("port " + port + " (" + option + "): " + cause.getMessage());
        named.initCause(cause);
        return named;
    }
}
