package io.kvstore.cli.session;

import io.kvstore.cli.arguments.KeyBounds;
import io.kvstore.client.ClientRange;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;

/** The options that say which keys of a table are meant. */
public final class RangeOptions {

    @Mixin
    private final KeyBounds bounds = new KeyBounds();

    /** Whether any of the options was given. */
    public boolean isAnyGiven() {
        return bounds.isAnyGiven();
    }

    /**
     * The range that is meant.
     *
     * @param argument a prefix that was given as an argument, or null
     */
    public ClientRange range(Session session, @Nullable String argument) {
        KeyBounds.Bytes given = bounds.bytes(argument, session.usualText());
        ClientRange range = given.prefix() == null ? ClientRange.all() : ClientRange.prefix(given.prefix());
        if (given.from() != null) {
            range = range.from(given.from(), true);
        }
        return given.to() == null ? range : range.to(given.to(), false);
    }
}
