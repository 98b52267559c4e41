package io.kvstore.durability;

import io.kvstore.catalog.CatalogState;
import io.kvstore.catalog.TableInfo;
import io.kvstore.catalog.TableLabel;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.InvalidRequestException;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Opens the engines of tables, each in the directory of its table's id. */
final class EngineOpener {

    private final StoreServices services;

    /** Random for each opening, so that a user who chooses keys cannot know it. */
    private final long secret = new SecureRandom().nextLong();

    EngineOpener(StoreServices services) {
        this.services = services;
    }

    /** Null if the engine is not on the class path. */
    @Nullable
    TableEngineProvider providerOf(TableInfo info) {
        return services.setup().providers().get(info.engine());
    }

    TableEngine open(OpenTable table, TableInfo info) throws IOException {
        TableEngineProvider provider = providerOf(info);
        if (provider == null) {
            throw new InvalidRequestException("there is no engine " + info.engine() + " on the class path; there are "
                    + services.setup().providers().keySet() + ". Add kvstore-"
                    + info.engine().toLowerCase(Locale.ROOT)
                    + ".jar");
        }
        return provider.open(contextOf(table, info));
    }

    TableContext contextOf(OpenTable table, TableInfo info) {
        return new TableContext(
                services.storage(),
                Schema.directoryOf(info.id()),
                info.id(),
                fileTag(info.id()),
                info.properties(),
                services.barrierOf(table),
                services::fail,
                services.snapshots(),
                services.epochs(),
                services.memory(),
                services.background(),
                services.clock(),
                services.setup().stallTimeoutMillis(),
                services.setup().readOnly(),
                secret ^ info.id() * 0x9E3779B97F4A7C15L);
    }

    private int fileTag(int tableId) {
        CatalogState state = services.catalog().state();
        long mixed = (state.storeIdHigh() ^ Long.rotateLeft(state.storeIdLow(), 32)) + tableId * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32) ^ (int) mixed;
    }

    /** Labels the directory of a table, unless it goes with the process. */
    void label(TableInfo info) throws IOException {
        String directory = Schema.directoryOf(info.id());
        boolean isKept = !services.setup().readOnly()
                && !services.storage().isVolatile()
                && !info.properties().isTemporary();
        if (isKept && !TableLabel.isIn(services.storage(), directory)) {
            TableLabel.write(services.storage(), directory, services.catalog().state(), info);
        }
    }
}
