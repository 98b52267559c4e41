package io.kvstore.durability;

import static java.util.Objects.requireNonNull;

import io.kvstore.catalog.Catalog;
import io.kvstore.catalog.CatalogState;
import io.kvstore.catalog.TableInfo;
import io.kvstore.data.Clock;
import io.kvstore.data.Workers;
import io.kvstore.engine.FileHold;
import io.kvstore.engine.HeldFile;
import io.kvstore.error.Closing;
import io.kvstore.io.ForeignFile;
import io.kvstore.io.Storage;
import io.kvstore.wal.LogHold;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The state of a store at one moment, held so that it can be copied: the catalog of that moment, files of each of its tables,
 * and the records of the log that these files lack, up to the last lsn of that moment. A copy is a store, and recovery brings
 * it to that lsn.
 *
 * <p>What a copy has of a table without a log is the table's last checkpoint before that moment. It has no temporary tables.
 *
 * <p>Reads are calls of the store: closing the store waits for the one under way, closes this, and lets no other begin.
 */
public final class StoreHold implements AutoCloseable {

    private final StoreServices services;
    private final CatalogState catalog;
    private final SortedMap<Integer, Table> tables;
    private final LogHold log;
    private final long lsn;
    private final long sinceNanos;
    private final Runnable whenClosed;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** A table whose files are held. It is not deleted meanwhile, even if it was dropped. */
    record Table(Incarnation incarnation, FileHold files) {

        /** With the name and the parameters of now, which may be others than at the moment. */
        TableInfo info() {
            return incarnation.info();
        }

        long lsn() {
            return files.lsn();
        }

        boolean isLogged() {
            return info().properties().flag("ENABLE_WAL");
        }

        void release() {
            try {
                files.close();
            } finally {
                incarnation.release();
            }
        }
    }

    /** A file of the copy, by its path in the directory of the store. */
    public record File(String path, HeldFile held) {}

    StoreHold(
            StoreServices services,
            StoreHolds.Moment moment,
            SortedMap<Integer, Table> tables,
            LogHold log,
            Runnable whenClosed) {
        this.services = services;
        this.catalog = moment.catalog();
        this.lsn = moment.lsn();
        this.tables = tables;
        this.log = log;
        this.sinceNanos = services.clock().nanoTime();
        this.whenClosed = whenClosed;
    }

    /** The copy has every logged operation up to this lsn, and nothing of a later one. */
    public long lsn() {
        return lsn;
    }

    /** The upper half of the identity of the store, which a copy has too. */
    public long storeIdHigh() {
        return catalog.storeIdHigh();
    }

    public long storeIdLow() {
        return catalog.storeIdLow();
    }

    /** The time by the clock on the wall, for people. */
    public long wallMillis() {
        return services.clock().wallMillis();
    }

    /** The directories of a copy, each behind the one that it is in. */
    public List<String> directories() {
        List<String> directories = new ArrayList<>(List.of(StoreFiles.WAL, StoreFiles.TABLES));
        tables.keySet().forEach(id -> directories.add(Schema.directoryOf(id)));
        return directories;
    }

    /** The files of the tables, sorted by table. */
    public List<File> tableFiles() {
        List<File> files = new ArrayList<>();
        tables.forEach((id, table) -> table.files()
                .files()
                .forEach(file -> files.add(new File(Schema.directoryOf(id) + "/" + file.name(), file))));
        return files;
    }

    /**
     * Writes the log of a copy, and gives the log of the store free. Called once, before the files are copied, because the log
     * has a bound.
     *
     * @param directory of the log in the target, which exists
     * @return the catalog of the copy, which fits to this log
     */
    public HeldFile copyLog(Storage target, String directory) {
        return reading(() -> {
            SortedMap<Integer, TableInfo> infos = new TreeMap<>();
            tables.forEach((id, table) -> infos.put(
                    id,
                    requireNonNull(catalog.tables().get(id))
                            .withCheckpointLsn(table.lsn())
                            .withKeptLsn(0)));
            long above = tables.values().stream()
                    .filter(Table::isLogged)
                    .mapToLong(Table::lsn)
                    .min()
                    .orElse(lsn);
            long id = log.copyId();
            log.copy(target, directory, id, catalog.revision(), new LogHold.Wanted(this::heldBy, above, lsn));
            log.close();
            return HeldFile.of(Catalog.FILE, Catalog.fileOf(catalog.copiedWith(infos, id)));
        });
    }

    /** Whether {@link #copyLog} failed because writers needed the space of the log meanwhile. A new hold may do better. */
    public boolean lostLog() {
        return log.isBroken();
    }

    /** Up to where a table of the copy has everything in its files. */
    private long heldBy(int tableId) {
        Table table = tables.get(tableId);
        return table == null || !table.isLogged() ? LogHold.NONE : table.lsn();
    }

    /** A file of the store as another storage may adopt it, if the file system has it, and it has that length. */
    public @Nullable ForeignFile linkable(File file) {
        return reading(() -> file.held().isImmutable()
                        && services.storage().size(file.path()) == file.held().bytes()
                ? services.storage().foreign(file.path())
                : null);
    }

    /** Lets a file of a table go, of which all was read. */
    public void letGo(HeldFile file) {
        int ticket = services.calls().tryEnter();
        if (ticket == CallGate.REFUSED) {
            return; // closing the store lets it go
        }
        try {
            file.lease().giveBack();
        } finally {
            services.calls().exit(ticket);
        }
    }

    /** The newest lsn of the store. */
    public long newestLsn() {
        return services.log().lastLsn();
    }

    /** The clock of the store. */
    public Clock clock() {
        return services.clock();
    }

    /** Threads that may help with a copy. */
    public Workers workers() {
        return services.background().longWork();
    }

    /** Runs a short read of what is held. */
    public <T extends @Nullable Object> T reading(OpenStore.Call<T> read) {
        return services.calls().run("reading the files of the store", read);
    }

    long pinnedBytes() {
        return tables.values().stream()
                .mapToLong(table -> table.files().pinnedBytes())
                .sum();
    }

    long ageMillis() {
        return (services.clock().nanoTime() - sinceNanos) / 1_000_000;
    }

    /** Lets everything go. A second call does nothing. */
    @Override
    public void close() throws IOException {
        int ticket = services.calls().tryEnter();
        if (ticket == CallGate.REFUSED) {
            return; // closing the store lets it go
        }
        try {
            letGo();
        } finally {
            services.calls().exit(ticket);
        }
        services.calls().reclaim(); // this call was one of those that a dropped table has to wait for
    }

    /** As {@link #close}, inside a call of the store, or when no call can be under way any more. */
    void letGo() throws IOException {
        if (closed.compareAndSet(false, true)) {
            whenClosed.run();
            try (Closing closing = new Closing("not all of a held state could be given back")) {
                closing.attempt(log);
                tables.values().forEach(table -> closing.attempt(table::release));
            }
        }
    }
}
