package io.kvstore.durability;

import io.kvstore.catalog.Catalog;
import io.kvstore.catalog.TableInfo;
import io.kvstore.error.Notices;
import io.kvstore.io.NoSpaceException;
import java.io.IOException;

/**
 * The removal of {@linkplain io.kvstore.catalog.CatalogState#isPassing passing} tables when the store is closed. After a kill
 * or a failure the next opening does the rest.
 */
final class PassingTables {

    private final StoreServices services;

    PassingTables(StoreServices services) {
        this.services = services;
    }

    /**
     * Deletes the files of a table if it is a passing one. After a failure it is not known whether the catalog of the disk
     * lists a database, so files of its tables stay.
     */
    void delete(TableInfo info) throws IOException {
        boolean isKnown = services.health().cause() == null || info.properties().isTemporary();
        if (isKnown && services.catalog().state().isPassing(info)) {
            services.storage().deleteTree(Schema.directoryOf(info.id()));
        }
    }

    /** Takes them out of the catalog. A full disk, on which they left no room for that, is no reason not to be closed. */
    void forget() throws IOException {
        if (services.health().cause() == null) {
            try {
                services.catalog().removePassing();
            } catch (NoSpaceException e) {
                Notices.warning(
                        PassingTables.class, Catalog.FILE, "the disk is full: it lists tables that are gone", e);
            }
        }
    }
}
