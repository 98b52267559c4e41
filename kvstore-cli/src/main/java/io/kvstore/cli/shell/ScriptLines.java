package io.kvstore.cli.shell;

import io.kvstore.bytes.Utf8Text;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import org.jspecify.annotations.Nullable;

/** Lines that nobody types: a file, or standard input that is no terminal. */
final class ScriptLines implements Lines {

    private static final int MOST_BYTES = 16 << 20;

    private final InputStream in;
    private final String name;
    private long number;

    /** @param name for messages */
    ScriptLines(InputStream in, String name) {
        this.in = new BufferedInputStream(in);
        this.name = name;
    }

    @Override
    public @Nullable String next(String prompt) {
        number++;
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try {
            int b = in.read();
            if (b < 0) {
                return null;
            }
            for (; b >= 0 && b != '\n'; b = in.read()) {
                line.write(b);
                if (line.size() > MOST_BYTES) {
                    throw bad("the line has more than " + MOST_BYTES + " bytes; put large values with --file");
                }
            }
            String text = Utf8Text.of(line.toByteArray());
            return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
        } catch (CharacterCodingException e) {
            throw bad("the line is not UTF-8; write bytes as \\xff");
        } catch (IOException e) {
            throw bad("the line cannot be read: " + e);
        }
    }

    private CommandFailure bad(String message) {
        return new CommandFailure(ExitStatus.ERROR, name + ", line " + number + ": " + message);
    }

    @Override
    public boolean isEndedByInterrupt() {
        return true;
    }

    @Override
    public String place() {
        return name + ", line " + number;
    }

    @Override
    public void close() {
        // the stream belongs to the caller
    }
}
