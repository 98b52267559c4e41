package io.kvstore.durability;

import io.kvstore.catalog.CatalogState;
import io.kvstore.catalog.TableInfo;
import io.kvstore.catalog.TableLabel;
import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.KVStoreException;
import io.kvstore.io.NotOpenedException;
import io.kvstore.io.Storage;
import io.kvstore.wal.format.StoreId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes a catalog of the labels of the tables' directories, for a store whose catalog is damaged. A table that was dropped
 * while its directory could not be deleted comes back. Of several directories of one name the youngest one counts.
 */
final class CatalogRebuild {

    private final Storage storage;
    private final Findings losses;
    private @Nullable StoreId store;

    private CatalogRebuild(Storage storage, Findings losses, @Nullable StoreId store) {
        this.storage = storage;
        this.losses = losses;
        this.store = store;
    }

    /**
     * The content of the catalog, as far as the labels tell. Writes nothing.
     *
     * @param directories of tables, by the ids of the tables
     * @param store the id of the store; null if the log does not tell it, and then the labels do
     */
    static CatalogState of(
            Storage storage, SortedMap<Integer, String> directories, @Nullable StoreId store, Findings losses)
            throws IOException {
        return new CatalogRebuild(storage, losses, store).run(directories);
    }

    private CatalogState run(SortedMap<Integer, String> directories) throws IOException {
        Map<List<String>, TableInfo> byName = new TreeMap<>((one, two) -> {
            int first = one.getFirst().compareTo(two.getFirst());
            return first != 0 ? first : one.getLast().compareTo(two.getLast());
        });
        List<TableInfo> older = new ArrayList<>();
        for (Map.Entry<Integer, String> directory : directories.entrySet()) {
            TableInfo table = tableOf(directory.getKey(), directory.getValue());
            if (table != null) {
                TableInfo before = byName.put(List.of(table.database(), table.name()), table);
                if (before != null) {
                    older.add(before);
                }
            }
        }
        for (TableInfo table : older) {
            losses.report(
                    directories.getOrDefault(table.id(), ""),
                    -1,
                    "a younger directory is of table " + table.database() + "/" + table.name() + ", too; this one is"
                            + " passed over");
        }
        SortedMap<Integer, TableInfo> tables = new TreeMap<>();
        TreeSet<String> databases = new TreeSet<>();
        for (TableInfo table : byName.values()) {
            tables.put(table.id(), table);
            databases.add(table.database());
        }
        StoreId known = store == null ? new StoreId(0, 0) : store;
        int nextId = directories.isEmpty() ? 1 : directories.lastKey() + 1;
        return new CatalogState(known.high(), known.low(), 0, nextId, 0, 0, 0, databases, tables);
    }

    private @Nullable TableInfo tableOf(int id, String directory) throws IOException {
        try {
            TableLabel label = TableLabel.read(storage, directory);
            if (label == null) {
                losses.report(directory, -1, "the directory has no label, so nobody knows which table it is of");
                return null;
            }
            StoreId found = new StoreId(label.storeIdHigh(), label.storeIdLow());
            if (store == null) {
                store = found;
            }
            if (!found.equals(store) || label.table().id() != id) {
                losses.report(directory, -1, "the directory has the label of another table or of another store");
                return null;
            }
            return label.table();
        } catch (CorruptionException e) {
            losses.report(e);
            return null;
        } catch (KVStoreException | IOException e) {
            if (e instanceof IOException failure) {
                NotOpenedException.requireOfDisk(failure);
            }
            losses.report(directory, -1, "the label of the table cannot be read: " + e.getMessage());
            return null;
        }
    }
}
