package io.kvstore.cli.arguments;

import io.kvstore.KVStoreOptions;
import io.kvstore.bytes.Utf8Text;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that says how values are written on the command line, and how values are read from elsewhere. */
public final class ValueText {

    /** No table takes more. */
    private static final int MOST_BYTES = Math.toIntExact(KVStoreOptions.HARD_MAX_VALUE_BYTES);

    private static final String STANDARD_INPUT = "-";
    private static final Pattern NEWLINE = Pattern.compile("\\r?\\n\\z");

    @Option(
            names = "--value-encoding",
            paramLabel = "ENCODING",
            description = "How values are written: utf8, escaped, hex or base64. Default: utf8, and escaped in the"
                    + " shell; bytes of a file and of standard input stand for themselves")
    private @Nullable TextForm encoding;

    /** The bytes of an argument. */
    public byte[] bytes(String name, String text, TextForm usual) {
        return KeyText.bytes(name, text, encoding, usual);
    }

    /** Whether an argument stands for standard input. */
    public static boolean isStandardInput(String text) {
        return text.equals(STANDARD_INPUT);
    }

    /** The bytes of standard input. */
    public byte[] ofInput(Console console) throws IOException {
        if (console.terminals().in()) {
            console.tell("kvstore: reads the value from the terminal; Ctrl-D on a line of its own ends it");
        }
        return decoded("standard input", all(console.in(), "standard input", MOST_BYTES));
    }

    /** The bytes of a file. */
    public byte[] ofFile(Path file) throws IOException {
        if (!Files.exists(file)) {
            throw new CommandFailure(ExitStatus.NOT_FOUND, file + " is not there; give a file that has the value");
        }
        if (Files.isDirectory(file)) {
            throw new CommandFailure(ExitStatus.ERROR, file + " is a directory; give a file that has the value");
        }
        try (InputStream in = Files.newInputStream(file)) {
            return decoded(file.toString(), all(in, file.toString(), MOST_BYTES));
        }
    }

    static byte[] all(InputStream in, String name, int most) throws IOException {
        byte[] bytes = in.readNBytes(most + 1);
        if (bytes.length > most) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    name + " has more than " + most + " bytes, and no table takes a longer value; put parts of it under"
                            + " several keys");
        }
        return bytes;
    }

    /**
     * Bytes stand for themselves, unless an encoding is asked for: then a newline at the end is no part of it. Nor are other
     * blanks there, but in text with escapes.
     */
    private byte[] decoded(String name, byte[] bytes) {
        if (encoding == null || encoding == TextForm.UTF8) {
            return bytes;
        }
        String text = text(name, bytes);
        return KeyText.bytes(
                name,
                encoding == TextForm.ESCAPED ? NEWLINE.matcher(text).replaceFirst("") : text.stripTrailing(),
                encoding,
                TextForm.UTF8);
    }

    private static String text(String name, byte[] bytes) {
        try {
            return Utf8Text.of(bytes);
        } catch (CharacterCodingException e) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    name + " is not UTF-8, which --value-encoding reads; leave that out for bytes as they are");
        }
    }
}
