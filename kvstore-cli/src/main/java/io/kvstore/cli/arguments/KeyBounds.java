package io.kvstore.cli.arguments;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say between which keys entries are meant. */
public final class KeyBounds {

    @Option(names = "--from", paramLabel = "KEY", description = "The first key, inclusive.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "KEY", description = "The key at which to end, exclusive.")
    private @Nullable String to;

    @Option(names = "--prefix", paramLabel = "KEY", description = "Only keys that begin so.")
    private @Nullable String prefix;

    @Mixin
    private final KeyText keys = new KeyText();

    /** The bounds as bytes; null each for none. If there is a prefix, there is nothing else. */
    public record Bytes(byte @Nullable [] from, byte @Nullable [] to, byte @Nullable [] prefix) {}

    /**
     * The bounds that the options and the argument give.
     *
     * @param argument a prefix that was given as an argument, or null
     * @param usual how keys are written if no option says it
     */
    public Bytes bytes(@Nullable String argument, TextForm usual) {
        String beginning = argument == null ? prefix : argument;
        if ((argument != null && prefix != null) || (beginning != null && (from != null || to != null))) {
            throw new CommandFailure(ExitStatus.USAGE, "give either one prefix or --from and --to, not both");
        }
        return new Bytes(
                bytes("--from", from, usual),
                bytes("--to", to, usual),
                bytes(argument == null ? "--prefix" : "PREFIX", beginning, usual));
    }

    private byte @Nullable [] bytes(String name, @Nullable String text, TextForm usual) {
        return text == null ? null : keys.bytes(name, text, usual);
    }

    /** Whether any of the options was given. */
    public boolean isAnyGiven() {
        return from != null || to != null || prefix != null;
    }
}
