package io.kvstore.durability;

import io.kvstore.catalog.Catalog;
import io.kvstore.catalog.CatalogState;
import io.kvstore.catalog.TableInfo;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.NumberedName;
import io.kvstore.io.Storage;
import io.kvstore.wal.segment.LogConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The directory of a store as a whole. The directory is a store from the moment its catalog exists, because creation makes the
 * catalog last. A creation that was cut short is recognised by the files that it can have left, and is done again. No other
 * directory that is not empty is ever taken for a new store.
 */
final class StoreFiles {

    static final String LOCK = "LOCK";
    static final String WAL = "wal";
    static final String TABLES = "tables";

    /** The names of the tables' directories in {@link #TABLES}, made from the ids of the tables. */
    static final NumberedName TABLE_NAME = new NumberedName(10, "");

    /** The names of directories for the files of a job. */
    static final NumberedName SCRATCH_NAME = new NumberedName(10, ".scratch");

    private static final Set<String> MADE_BEFORE_CATALOG =
            Set.of(LOCK, WAL, TABLES, Catalog.FILE + AtomicFile.TEMPORARY);
    /** A directory that a check of the file system makes at the root of a volume. Usually only its owner may read it. */
    private static final String FOUND_FILES = "lost+found";

    private static final String FIRST_SEGMENT = LogConfig.SEGMENT_NAME.of(1);

    private StoreFiles() {}

    /** Whether the directory holds a store; false if one may be created in it. */
    static boolean holdsStore(Storage storage) throws IOException {
        List<String> names = storage.list("");
        if (names.contains(Catalog.FILE)) {
            return true;
        }
        List<String> foreign = new ArrayList<>(names);
        foreign.removeAll(MADE_BEFORE_CATALOG);
        if (foreign.contains(FOUND_FILES) && holdsNothing(storage, FOUND_FILES)) {
            foreign.remove(FOUND_FILES);
        }
        if (!foreign.isEmpty()) {
            throw new InvalidRequestException(storage + " is not empty and not a store (it has " + foreign.getFirst()
                    + "); give the directory of a store, or an empty or a new one");
        }
        for (String segment : storage.list(WAL)) {
            if (!segment.equals(FIRST_SEGMENT) && !segment.equals(FIRST_SEGMENT + AtomicFile.TEMPORARY)) {
                throw missingCatalog(WAL + "/" + segment);
            }
        }
        for (String table : storage.list(TABLES)) {
            throw missingCatalog(TABLES + "/" + table);
        }
        return false;
    }

    /** Refuses a directory that was never a store, however much of one is missing. */
    static void requireParts(Storage storage) throws IOException {
        List<String> names = storage.list("");
        if (!names.contains(Catalog.FILE) && !names.contains(WAL) && !names.contains(TABLES)) {
            throw new InvalidRequestException(
                    storage + " holds no store: it has neither " + Catalog.FILE + " nor " + WAL + " nor " + TABLES);
        }
    }

    private static boolean holdsNothing(Storage storage, String directory) {
        try {
            return storage.list(directory).isEmpty();
        } catch (IOException e) {
            return true; // the directory may not be read, so nobody put files for a store there
        }
    }

    private static CorruptionException missingCatalog(String witness) {
        return new CorruptionException(
                Catalog.FILE,
                -1,
                "the catalog is missing, but " + witness + " shows that there was one; restore a backup of the"
                        + " store to a new directory ('kvstore backup restore'), or take what is whole of it"
                        + " ('kvstore salvage')");
    }

    /** Removes the files that an unfinished creation left, and makes the directories. */
    static void prepareNew(Storage storage) throws IOException {
        for (String segment : storage.list(WAL)) {
            storage.delete(WAL + "/" + segment);
        }
        storage.createDirectory(WAL);
        storage.createDirectory(TABLES);
        storage.syncDirectory("");
        storage.syncDirectory(WAL);
    }

    /**
     * Removes the directories of jobs, of {@linkplain CatalogState#isPassing passing} tables, and of tables that the catalog
     * does not list: dropped tables and unfinished creations. An entry with another name was not made by a store, and stays.
     */
    static void sweepTables(Storage storage, CatalogState catalog) throws IOException {
        for (String name : storage.list("")) {
            if (SCRATCH_NAME.numberIn(name) >= 0) {
                storage.deleteTree(name);
            }
        }
        boolean swept = false;
        for (String name : storage.list(TABLES)) {
            long id = TABLE_NAME.numberIn(name);
            TableInfo table = catalog.tables().get((int) id);
            if (id >= 0 && (table == null || catalog.isPassing(table))) {
                storage.deleteTree(TABLES + "/" + name);
                swept = true;
            }
        }
        if (swept) {
            storage.syncDirectory(TABLES);
        }
    }
}
