package io.kvstore.cli.data;

import io.kvstore.cli.arguments.KeyText;
import io.kvstore.cli.arguments.ValueText;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.Session;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The key and the value of a command. */
final class GivenEntry {

    @Parameters(index = "0", paramLabel = "KEY", description = "The key; -- before it if it begins with a dash.")
    private String key = "";

    @Mixin
    private final KeyText keys = new KeyText();

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "VALUE",
            description = "The value; - is standard input; -- before KEY if the value begins with a dash.")
    private @Nullable String value;

    @Option(
            names = {"-F", "--file"},
            paramLabel = "FILE",
            description = "The file that has the value, instead of VALUE.")
    private @Nullable Path file;

    @Mixin
    private final ValueText text = new ValueText();

    byte[] key(Session session) {
        return keys.bytes("KEY", key, session.usualText());
    }

    byte[] value(Session session) throws IOException {
        if ((value == null) == (file == null)) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "give the value as VALUE, as - for standard input, or with --file FILE");
        }
        if (file != null) {
            return text.ofFile(file);
        }
        String given = String.valueOf(value);
        if (!ValueText.isStandardInput(given)) {
            return text.bytes("VALUE", given, session.usualText());
        }
        if (session.isShell()) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "the shell reads standard input itself; give VALUE or --file, and \\x2d for a dash");
        }
        return text.ofInput(session.console());
    }

    /** The bytes of another argument that is written as the value is. */
    byte[] other(Session session, String name, String given) {
        return text.bytes(name, given, session.usualText());
    }
}
