package io.kvstore.cli.tablefile;

import io.kvstore.cli.arguments.KeyBounds;
import io.kvstore.cli.arguments.TextForm;
import io.kvstore.data.KeyRange;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say which entries are meant. */
final class GivenRange {

    @Mixin
    private final KeyBounds bounds = new KeyBounds();

    @Option(names = "--limit", paramLabel = "N", description = "The most entries.")
    private @Nullable Long limit;

    KeyRange range() {
        KeyBounds.Bytes given = bounds.bytes(null, TextForm.UTF8);
        KeyRange range = given.prefix() == null ? KeyRange.all() : KeyRange.prefix(given.prefix());
        if (given.from() != null) {
            range = range.from(given.from(), true);
        }
        if (given.to() != null) {
            range = range.to(given.to(), false);
        }
        return limit == null ? range : range.limit(limit);
    }
}
