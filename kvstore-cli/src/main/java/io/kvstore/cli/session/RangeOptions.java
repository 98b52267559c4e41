package io.kvstore.cli.session;

import io.kvstore.cli.arguments.KeyText;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.client.ClientRange;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say which keys of a table are meant. */
public final class RangeOptions {

    @Option(names = "--from", paramLabel = "KEY", description = "The first key, inclusive.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "KEY", description = "The key at which to end, exclusive.")
    private @Nullable String to;

    @Option(names = "--prefix", paramLabel = "KEY", description = "Only keys that begin so.")
    private @Nullable String prefix;

    @Mixin
    private final KeyText keys = new KeyText();

    /**
     * The range that is meant.
     *
     * @param argument a prefix that was given as an argument, or null
     */
    public ClientRange range(Session session, @Nullable String argument) {
        String beginning = argument == null ? prefix : argument;
        if ((argument != null && prefix != null) || (beginning != null && (from != null || to != null))) {
            throw new CommandFailure(ExitStatus.USAGE, "give either one prefix or --from and --to, not both");
        }
        if (beginning != null) {
            return ClientRange.prefix(bytes(session, "PREFIX", beginning));
        }
        ClientRange range = ClientRange.all();
        if (from != null) {
            range = range.from(bytes(session, "--from", from), true);
        }
        return to == null ? range : range.to(bytes(session, "--to", to), false);
    }

    private byte[] bytes(Session session, String name, String text) {
        return keys.bytes(name, text, session.usualText());
    }
}
