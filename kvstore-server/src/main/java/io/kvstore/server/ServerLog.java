package io.kvstore.server;

import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/** Sends the log of the server and of its libraries to standard error: warnings and errors, one line each. */
final class ServerLog {

    private static final Logger LIBRARY = Logger.getLogger("io.undertow");

    private ServerLog() {}

    /**
     * Turns off the log of the HTTP library. It logs errors for connections that end while it stops, and nobody can act on
     * them.
     */
    static void quietLibrary() {
        LIBRARY.setLevel(Level.OFF);
    }

    static void toStandardError() {
        System.setProperty("org.jboss.logging.provider", "jdk");
        System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tFT%1$tT.%1$tL %4$s %3$s: %5$s%6$s%n");
        LogManager.getLogManager().reset();
        Logger root = Logger.getLogger("");
        root.setLevel(Level.WARNING);
        Handler console = new ConsoleHandler();
        console.setLevel(Level.WARNING);
        root.addHandler(console);
    }
}
