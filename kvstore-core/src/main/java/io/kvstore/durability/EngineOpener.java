package io.kvstore.durability;

import io.kvstore.catalog.Catalog;
import io.kvstore.catalog.CatalogState;
import io.kvstore.catalog.TableInfo;
import io.kvstore.catalog.TableLabel;
import io.kvstore.data.TableParameter;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.Notices;
import io.kvstore.io.NotOpenedException;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Opens the engines of tables, each in the directory of its table's id. */
final class EngineOpener {

    private final StoreServices services;

    /** Random for each opening, so that a user who chooses keys cannot know it. */
    private final long secret = new SecureRandom().nextLong();

    /** Tables that were opened though their files are damaged. */
    private final Set<Integer> leftOvers = new HashSet<>();

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
        requireParameters(provider, info);
        Findings losses = services.setup().losses();
        if (losses == null) {
            return provider.open(contextOf(table, info));
        }
        return openDamaged(provider, contextOf(table, info), info, losses);
    }

    /** An engine relies on values that were accepted when the table was created. */
    private static void requireParameters(TableEngineProvider provider, TableInfo info) {
        for (TableParameter parameter : provider.parameters()) {
            String value = info.properties().asMap().get(parameter.name());
            try {
                if (value != null) {
                    String _ = parameter.canonicalOf(value);
                }
            } catch (InvalidRequestException e) {
                throw new CorruptionException(Catalog.FILE, -1, "table " + info.name() + ": " + e.getMessage());
            }
        }
    }

    private TableEngine openDamaged(TableEngineProvider provider, TableContext context, TableInfo info, Findings losses)
            throws IOException {
        CorruptionException damage;
        try {
            TableEngine whole = provider.open(context);
            if (whole.durableLsn() >= info.checkpointLsn()) {
                return whole;
            }
            damage = new CorruptionException(
                    context.directory(),
                    -1,
                    "the table's files end at lsn " + whole.durableLsn() + ", but they were durable up to "
                            + info.checkpointLsn());
            whole.close();
        } catch (CorruptionException e) {
            damage = e;
        } catch (IOException e) {
            NotOpenedException.requireOfDisk(e);
            damage = new CorruptionException(context.directory(), -1, "a file of the table cannot be read: " + e);
            damage.addSuppressed(e);
        }
        losses.report(damage);
        TableEngine rest = provider.openDamaged(context, info.checkpointLsn(), losses);
        if (rest == null) {
            throw damage;
        }
        leftOvers.add(info.id());
        return rest;
    }

    /** Why a table cannot be used. A store that is opened for a check or a salvage is refused if the reason is no damage. */
    KVStoreException failureOf(TableInfo info, IOException cause) {
        KVStoreException failure = StorageErrors.of("opening table " + info.name(), cause);
        if (services.setup().losses() != null) {
            StorageErrors.requireOfDisk(failure);
        }
        return failure;
    }

    /** Whether a table was opened though its files are damaged. */
    boolean isLeftOver(int id) {
        return leftOvers.contains(id);
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

    /**
     * Labels the directory of a table, unless it goes with the process. A label that is damaged, or is of an older definition
     * of the table, is written anew.
     */
    void label(TableInfo info) throws IOException {
        if (!isLabelled(info) || services.setup().readOnly()) {
            return;
        }
        TableLabel found = labelOf(info, new Findings());
        if (found == null || !found.table().isDefinedAs(info)) {
            TableLabel.write(
                    services.storage(),
                    Schema.directoryOf(info.id()),
                    services.catalog().state(),
                    info);
        }
    }

    /**
     * Labels the directory of a table that is open, because the release that made it may not have known labels, or because it
     * was renamed or altered. If that fails, the table is as good as before, and the next opening tries again.
     */
    void labelIfMissing(TableInfo info) {
        try {
            label(info);
        } catch (IOException | KVStoreException e) {
            Notices.warning(
                    EngineOpener.class, Schema.directoryOf(info.id()), "the table has no label, or an old one", e);
        }
    }

    private boolean isLabelled(TableInfo info) {
        return !services.storage().isVolatile() && !info.properties().isTemporary();
    }

    /** Reports the label of a table if it is damaged. */
    void checkLabel(TableInfo info, Findings findings) throws IOException {
        if (isLabelled(info)) {
            TableLabel _ = labelOf(info, findings);
        }
    }

    /** Null if the directory has none, or a damaged one, which is reported. */
    private @Nullable TableLabel labelOf(TableInfo info, Findings findings) throws IOException {
        try {
            return TableLabel.read(services.storage(), Schema.directoryOf(info.id()));
        } catch (CorruptionException e) {
            findings.report(e);
            return null;
        }
    }
}
