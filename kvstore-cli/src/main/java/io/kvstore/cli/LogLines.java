package io.kvstore.cli;

import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Shows the log of the store and of libraries: warnings and errors, one line each. The logging of the JDK makes one. */
public final class LogLines {

    /** To be called before anything is logged. */
    static void use() {
        System.setProperty("java.util.logging.config.class", LogLines.class.getName());
    }

    /** Sends the log to standard error. */
    public LogLines() {
        Logger root = Logger.getLogger("");
        root.setLevel(Level.WARNING);
        Handler handler = new ConsoleHandler();
        handler.setFormatter(new Line());
        root.addHandler(handler);
    }

    /** A line without the time and the place, and without a stack trace. */
    private static final class Line extends Formatter {
        @Override
        public String format(LogRecord record) {
            return "kvstore: warning: " + formatMessage(record) + "\n";
        }
    }
}
