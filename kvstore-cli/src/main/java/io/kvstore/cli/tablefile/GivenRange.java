package io.kvstore.cli.tablefile;

import io.kvstore.cli.arguments.KeyText;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.data.KeyRange;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say which entries are meant. */
final class GivenRange {

    @Option(names = "--from", paramLabel = "KEY", description = "The first key, inclusive.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "KEY", description = "The key at which to end, exclusive.")
    private @Nullable String to;

    @Option(names = "--prefix", paramLabel = "KEY", description = "Only keys that begin so.")
    private @Nullable String prefix;

    @Option(names = "--limit", paramLabel = "N", description = "The most entries.")
    private @Nullable Long limit;

    @Mixin
    private final KeyText keys = new KeyText();

    KeyRange range() {
        if (prefix != null && (from != null || to != null)) {
            throw new CommandFailure(ExitStatus.USAGE, "give either --prefix or --from and --to, not both");
        }
        KeyRange range = prefix == null ? KeyRange.all() : KeyRange.prefix(keys.bytes("--prefix", prefix));
        if (from != null) {
            range = range.from(keys.bytes("--from", from), true);
        }
        if (to != null) {
            range = range.to(keys.bytes("--to", to), false);
        }
        return limit == null ? range : range.limit(limit);
    }
}
