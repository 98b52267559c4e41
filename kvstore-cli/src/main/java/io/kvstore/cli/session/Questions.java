package io.kvstore.cli.session;

import io.kvstore.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Asks at a terminal: the question goes to standard error, the answer comes from standard input. */
record Questions(Console console) {

    private static final int MOST_BYTES = 1 << 10;

    /** The line that was typed; null if input ended. */
    @Nullable
    String ask(String question) {
        console.raw(question);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try {
            int b = console.in().read();
            if (b < 0) {
                return null;
            }
            while (b >= 0 && b != '\n' && line.size() < MOST_BYTES) {
                line.write(b);
                b = console.in().read();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return line.toString(StandardCharsets.UTF_8).strip();
    }
}
