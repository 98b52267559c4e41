package io.kvstore;

import io.kvstore.data.KeyRange;
import io.kvstore.data.TableProperties;
import io.kvstore.durability.OpenTable;
import io.kvstore.durability.PinnedView;
import io.kvstore.durability.Replacement;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.error.InvalidRequestException;
import java.util.Properties;

/** Makes files of entries that a store has, inside of the store. */
final class Sealing {

    private static final int SORT_BYTES = 16 << 20;

    /** Entries between two calls of a {@link Progress}, while they are read. */
    private static final int TELLS_EVERY = 10_000;

    /** For a store that has other work to do. */
    static final TableFileSettings SETTINGS = TableFileSettings.USUAL.withSortMemoryBytes(SORT_BYTES);

    private Sealing() {}

    /** Builds the file of a replacement from what a cursor has still to give. */
    static void build(Replacement replacement, Cursor entries, TableFileSettings settings, Progress progress) {
        replacement.build(settings);
        long read = 0;
        while (entries.next()) {
            replacement.put(entries.key(), entries.value());
            if (++read % TELLS_EVERY == 0 && !progress.advanced(0, read)) {
                throw new InvalidRequestException(
                        "the build was stopped after " + read + " entries were read; nothing has changed");
            }
        }
        replacement.finish(progress);
    }

    /** Puts a table with one file in the place of a table, with its entries. */
    static OpenTable seal(KVStore store, OpenTable table, TableFileSettings settings, Progress progress) {
        if (table.takesFiles()) {
            throw new InvalidRequestException(
                    "table " + table.name() + " is a " + table.engineName() + " table already, which has one file");
        }
        TableEngineProvider provider = EngineRegistry.load().forFiles().getFirst();
        TableProperties properties =
                store.settingsFor(provider).resolve(common(table.info().properties()));
        try (Replacement replacement = store.parts().schema().successor(table, provider.name(), properties);
                PinnedView view = store.parts().reads().view(table)) {
            // the view closes the cursor
            build(replacement, new OpenCursor(view.scan(table, KeyRange.all(), false)), settings, progress);
            return replacement.succeed(view.lsn());
        }
    }

    /** What every engine knows. */
    private static Properties common(TableProperties properties) {
        Properties common = new Properties();
        for (TableConfParamsEnum parameter : TableConfParamsEnum.values()) {
            String value = properties.asMap().get(parameter.name());
            if (value != null) {
                common.setProperty(parameter.name(), value);
            }
        }
        return common;
    }
}
