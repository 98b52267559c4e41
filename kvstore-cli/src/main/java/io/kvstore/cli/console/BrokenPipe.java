package io.kvstore.cli.console;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes the failure to write to a pipe whose reader went away. The JDK hands on no error number but a text, which follows
 * the user's language. So the text is also compared with the one that this machine gives for such a pipe.
 */
final class BrokenPipe {

    private static final String USUAL_TEXT = "broken pipe";

    private BrokenPipe() {}

    static boolean is(IOException failure) {
        String text = failure.getMessage();
        return text != null && (text.toLowerCase(Locale.ROOT).contains(USUAL_TEXT) || is(failure, textHere()));
    }

    /** @param textHere the text of this machine */
    static boolean is(IOException failure, @Nullable String textHere) {
        return textHere != null && textHere.equals(failure.getMessage());
    }

    /** The text for a pipe that certainly has no reader; null if there is none. */
    static @Nullable String textHere() {
        try {
            Pipe pipe = Pipe.open();
            try (Pipe.SinkChannel sink = pipe.sink()) {
                pipe.source().close();
                int _ = sink.write(ByteBuffer.allocate(1));
            }
            return null;
        } catch (IOException e) {
            return e.getMessage();
        }
    }
}
