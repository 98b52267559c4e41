package io.kvstore.server;

import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/** Sends the log of the server and of its libraries to standard error: warnings and errors, one line each. */
final class ServerLog {

    private ServerLog() {}

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
