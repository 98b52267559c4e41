package io.kvstore.server.edge;

import java.net.BindException;

/** Adds the port to a failure to listen. */
public final class Ports {

    private Ports() {}

    /** A failure whose message has the port and its option. */
    public static BindException inUse(int port, String option, BindException cause) {
        BindException named = new BindException("port " + port + " (" + option + "): " + cause.getMessage());
        named.initCause(cause);
        return named;
    }
}
