package io.kvstore.cli.data;

import io.kvstore.client.ClientDurability;
import io.kvstore.client.ClientTable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that says what a write survives. */
final class GivenDurability {

    @Option(
            names = "--durability",
            paramLabel = "LEVEL",
            description = "What the write survives: sync, a loss of power; buffered, the end of the process."
                    + " Default: that of the table")
    private @Nullable Level level;

    enum Level {
        SYNC,
        BUFFERED
    }

    ClientTable of(ClientTable table) {
        return level == null ? table : table.withDurability(ClientDurability.valueOf(level.name()));
    }
}
