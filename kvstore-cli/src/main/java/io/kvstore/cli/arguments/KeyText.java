package io.kvstore.cli.arguments;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.data.KeyOrder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that says how keys are written on the command line. */
public final class KeyText {

    private static final int MOST_SHOWN_CHARS = 80;

    @Option(
            names = "--key-encoding",
            paramLabel = "ENCODING",
            description = "How keys of the command line are written: utf8, escaped (\\xff is a byte), hex or base64."
                    + " Default: utf8, and escaped in the shell")
    private @Nullable TextForm encoding;

    /** The bytes of a key that has no default form but text. */
    public byte[] bytes(String name, String text) {
        return bytes(name, text, TextForm.UTF8);
    }

    /**
     * The bytes of a key, no more than a key may have.
     *
     * @param name the argument or option
     * @param usual how it is written if the option does not say it
     */
    public byte[] bytes(String name, String text, TextForm usual) {
        byte[] key = bytes(name, text, encoding, usual);
        if (key.length > KeyOrder.MAX_KEY_BYTES) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    name + " has " + key.length + " bytes; a key has at most " + KeyOrder.MAX_KEY_BYTES);
        }
        return key;
    }

    /** The bytes of an argument, or one line about its mistake. */
    static byte[] bytes(String name, String text, @Nullable TextForm given, TextForm usual) {
        try {
            return (given == null ? usual : given).bytes(text);
        } catch (IllegalArgumentException e) {
            String shown = text.length() > MOST_SHOWN_CHARS ? text.substring(0, MOST_SHOWN_CHARS) + "..." : text;
            throw new CommandFailure(ExitStatus.USAGE, name + " \"" + shown + "\" " + e.getMessage());
        }
    }
}
