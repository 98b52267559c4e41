package io.kvstore.durability;

import io.kvstore.catalog.TableInfo;
import io.kvstore.data.TableProperties;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableFileReader;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.Closing;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.NotFoundException;
import io.kvstore.error.Notices;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The databases and tables of an open store, by name.
 *
 * <p>Changes are made one at a time under {@link #changing}; {@link Redefinition} has those of names and parameters. Create
 * makes the directory first and the catalog entry last. Drop changes the catalog first, and deletes the files when the last
 * snapshot has left. Truncate makes a new empty table, then swaps the table to it in the catalog under the table's write lock.
 * Files that a crash leaves between two steps are swept at the next open, because the catalog does not list them.
 */
public final class Schema {

    private final StoreServices services;
    private final EngineOpener opener;
    private final ReentrantLock changing = new ReentrantLock();
    private final Map<String, Map<String, OpenTable>> databases = new ConcurrentSkipListMap<>();
    private final Incarnations incarnations;

    /** Contents that tables are to get, which are deleted with the store's closing unless they got there. */
    private final Set<Replacement> replacements = ConcurrentHashMap.newKeySet();

    private final Redefinition redefinition;
    private final StagedDatabases staged;

    Schema(StoreServices services) {
        this.services = services;
        this.opener = new EngineOpener(services);
        this.redefinition = new Redefinition(services, this);
        this.staged = new StagedDatabases(services, this);
        this.incarnations = new Incarnations(services);
        for (String database : services.catalog().state().databases()) {
            databases.put(database, new ConcurrentSkipListMap<>());
        }
    }

    /** The directory of a table in that of the store. */
    public static String directoryOf(int tableId) {
        return StoreFiles.TABLES + "/" + StoreFiles.TABLE_NAME.of(Integer.toUnsignedLong(tableId));
    }

    public List<String> databases() {
        return List.copyOf(databases.keySet());
    }

    public List<String> tables(String database) {
        return List.copyOf(tablesOf(database).keySet());
    }

    public Collection<OpenTable> all() {
        List<OpenTable> all = new ArrayList<>();
        databases.values().forEach(tables -> all.addAll(tables.values()));
        return all;
    }

    /** As {@link #all}, and the tables of databases that are not there yet. One that is published meanwhile is not missed. */
    Collection<OpenTable> allAndStaged() {
        Set<OpenTable> all = new LinkedHashSet<>(staged.tables());
        all.addAll(all());
        return all;
    }

    @Nullable
    OpenTable find(String database, String name) {
        Map<String, OpenTable> tables = database == null ? null : databases.get(database);
        return tables == null || name == null ? null : tables.get(name);
    }

    public OpenTable table(String database, String name) {
        OpenTable table = tablesOf(database).get(name);
        if (table == null) {
            throw new NotFoundException("database " + database + " has no table " + name);
        }
        return table;
    }

    private Map<String, OpenTable> tablesOf(String database) {
        Map<String, OpenTable> tables = databases.get(database);
        if (tables == null) {
            throw new NotFoundException("there is no database " + database + "; create it first");
        }
        return tables;
    }

    /** The tables of a table's database, if that table has a new name. */
    Map<String, OpenTable> withName(OpenTable table, String newName) {
        Map<String, OpenTable> tables = new ConcurrentSkipListMap<>(tablesOf(table.database()));
        if (tables.putIfAbsent(newName, table) != null) {
            throw Redefinition.taken(table.database(), newName);
        }
        tables.remove(table.name());
        return tables;
    }

    /** Replaces the tables of a database in one step: no listing lacks one of them, or has one twice. */
    void become(String database, Map<String, OpenTable> tables) {
        databases.put(database, tables);
    }

    /** Changes names and parameters of tables. */
    public Redefinition redefinition() {
        return redefinition;
    }

    public void createDatabase(String name) {
        change("creating database " + name, () -> {
            requireNew(name);
            Map<String, OpenTable> none = new ConcurrentSkipListMap<>();
            services.commit(() -> services.catalog().addDatabase(name), () -> databases.put(name, none));
        });
    }

    private void requireNew(String name) throws IOException {
        if (databases.containsKey(name)) {
            throw new AlreadyExistsException("database " + name + " exists already");
        }
        staged.requireNone(name);
    }

    /**
     * Begins a database that is there when it is published.
     *
     * @throws AlreadyExistsException if there is a database of that name, or one is being made
     */
    public StagedDatabase stage(String name) {
        StagedDatabase[] begun = new StagedDatabase[1];
        change("restoring database " + name, () -> {
            requireNew(name);
            begun[0] = staged.begin(name);
        });
        return begun[0];
    }

    void published(StagedDatabase database, Map<String, OpenTable> tables) {
        databases.put(database.name(), tables);
        staged.forget(database);
    }

    StagedDatabases staged() {
        return staged;
    }

    public void dropDatabase(String name) {
        change("dropping database " + name, () -> {
            int tables = tablesOf(name).size();
            if (tables > 0) {
                throw new AlreadyExistsException(
                        "database " + name + " still has " + tables + " tables; drop them first");
            }
            services.commit(() -> services.catalog().removeDatabase(name), () -> databases.remove(name));
        });
    }

    public OpenTable createTable(String database, String name, String engine, TableProperties properties) {
        OpenTable[] created = new OpenTable[1];
        change(
                "creating table " + name,
                () -> created[0] =
                        create(tablesOf(database), new TableInfo(0, database, name, engine, properties, 0, 0)));
        return created[0];
    }

    /** @param wanted a table without an id */
    OpenTable create(Map<String, OpenTable> tables, TableInfo wanted) throws IOException {
        if (tables.containsKey(wanted.name())) {
            throw Redefinition.taken(wanted.database(), wanted.name());
        }
        TableInfo info = wanted.emptied(services.catalog().takeTableId(), 0);
        OpenTable table = new OpenTable(info, opener.providerOf(info));
        make(
                table,
                info,
                made -> services.commit(() -> services.catalog().addTable(info), () -> {
                    table.become(made);
                    tables.put(info.name(), table);
                }));
        return table;
    }

    /** Names an incarnation in the catalog, which is its last step that may fail, and gives it to its table. */
    @FunctionalInterface
    private interface Commit {
        void run(Incarnation made) throws IOException;
    }

    /** Makes an incarnation of the directory of its id, which may have a file, and commits it. A failure leaves nothing. */
    private void make(OpenTable table, TableInfo info, Commit commit) throws IOException {
        String directory = directoryOf(info.id());
        TableEngine engine = null;
        Incarnation made = null;
        try {
            services.storage().createDirectory(directory);
            services.storage().syncDirectory("tables");
            engine = opener.open(table, info);
            if (databases.containsKey(info.database())) { // or else it gets labels when it is complete
                opener.label(info);
            }
            made = incarnations.incarnation(info, engine);
            commit.run(made);
        } catch (Throwable e) {
            boolean isGiven = made != null && table.incarnationOrNull() == made;
            if (made != null && !isGiven) {
                incarnations.forget(made);
            }
            if (!isGiven && services.health().cause() == null) {
                incarnations.discard(engine, directory);
            } else if (!isGiven && engine != null) {
                // the store failed, so the catalog on disk may list the table, and its files stay
                Closing.giveUp(engine, Schema.class, directory);
            }
            throw e;
        }
    }

    /** Gives a table another incarnation in place of the present one. Only the last step is under the table's lock. */
    private void makeNext(OpenTable table, Incarnation old, TableInfo info) throws IOException {
        make(table, info, made -> {
            table.lock().lock();
            try {
                services.commit(() -> services.catalog().replaceTable(old.id(), info), () -> table.become(made));
            } finally {
                table.lock().unlock();
            }
        });
        old.release();
    }

    public void dropTable(String database, String name) {
        change("dropping table " + name, () -> {
            OpenTable table = table(database, name);
            Map<String, OpenTable> tables = tablesOf(database);
            Incarnation incarnation = table.incarnationOrNull();
            table.lock().lock();
            try {
                services.commit(() -> services.catalog().removeTable(table.catalogId()), () -> {
                    table.drop();
                    tables.remove(name);
                });
            } finally {
                table.lock().unlock();
            }
            if (incarnation != null) {
                incarnation.release();
            }
        });
    }

    public void truncate(OpenTable table) {
        change("truncating table " + table.name(), () -> {
            Incarnation old = table.incarnation();
            makeNext(table, old, old.info().emptied(services.catalog().takeTableId(), 0));
        });
    }

    /**
     * Begins to give a table other contents.
     *
     * @param bytes for which there must be room on the disk
     */
    public Replacement replacement(OpenTable table, long bytes) {
        return services.calls().run("replacing the contents of " + table.name(), () -> {
            requireWritable("replacing the contents of " + table.name());
            if (bytes > 0 && bytes > services.storage().freeBytes()) {
                throw new DiskFullException(
                        "a file of " + bytes + " bytes for table " + table.name()
                                + " needs more room than the disk has; free some space",
                        null);
            }
            return begin(table, table.info().emptied(services.catalog().takeTableId(), 0));
        });
    }

    /** Begins to put a table of another engine in the place of a table. */
    public Replacement successor(OpenTable table, String engine, TableProperties properties) {
        return services.calls().run("replacing table " + table.name(), () -> {
            requireWritable("replacing table " + table.name());
            int id = services.catalog().takeTableId();
            return begin(table, new TableInfo(id, table.database(), table.name(), engine, properties, 0, 0));
        });
    }

    private Replacement begin(OpenTable table, TableInfo next) throws IOException {
        Replacement replacement = Replacement.begin(services, this, table, next);
        replacements.add(replacement);
        return replacement;
    }

    /**
     * Gives a table the contents that are in the directory of a new id. Views of the old contents stay.
     *
     * @param expectedId of the file that the table has until now, empty for no file; null if it does not matter
     * @param whenTaken runs before the first step that may commit: from then on the directory is kept or deleted here
     */
    void replace(OpenTable table, TableInfo next, @Nullable String expectedId, Runnable whenTaken) {
        change("replacing the contents of " + table.name(), () -> {
            Incarnation old = table.incarnation();
            TableFileReader file = old.engine().file();
            String present = file == null ? "" : file.info().id();
            if (expectedId != null && !expectedId.equals(present)) {
                throw new ConditionFailedException(
                        0,
                        "table " + table.name() + " has "
                                + (present.isEmpty() ? "no file" : "the file " + present) + ", not "
                                + (expectedId.isEmpty() ? "no file" : expectedId));
            }
            whenTaken.run();
            makeNext(table, old, old.info().emptied(next.id(), 0));
        });
    }

    /**
     * Puts a table with the contents of the directory of a new id in the place of a table, unless that was truncated or
     * written since. It gets the name of the old one, and its values of all parameters that both have. No writer waits for
     * long, and none is acknowledged whose operation is not in the contents.
     *
     * @param seenId the id of the incarnation whose operations up to {@code seenLsn} are in the contents
     * @param whenTaken as for {@link #replace}
     */
    OpenTable succeed(OpenTable table, TableInfo next, int seenId, long seenLsn, Runnable whenTaken) {
        OpenTable[] placed = new OpenTable[1];
        change("replacing table " + table.name(), () -> {
            Incarnation old = table.incarnation();
            table.requireUnwritten(seenId, seenLsn);
            whenTaken.run();
            // the table may have been renamed or altered since its successor was begun
            TableInfo info = next.inPlaceOf(old.info());
            OpenTable successor = new OpenTable(info, opener.providerOf(info));
            placed[0] = successor;
            Map<String, OpenTable> tables = tablesOf(table.database());
            make(successor, info, made -> {
                table.lock().lock();
                try {
                    table.requireUnwritten(seenId, seenLsn);
                    services.commit(() -> services.catalog().replaceTable(old.id(), info), () -> {
                        successor.become(made);
                        tables.put(table.name(), successor);
                        table.drop();
                    });
                } finally {
                    table.lock().unlock();
                }
            });
            old.release();
        });
        return placed[0];
    }

    EngineOpener opener() {
        return opener;
    }

    void forget(Replacement replacement) {
        replacements.remove(replacement);
    }

    @FunctionalInterface
    interface Change {
        void run() throws IOException;
    }

    void change(String what, Change change) {
        services.calls().run(what, () -> {
            requireWritable(what);
            changing.lock();
            try {
                change.run();
                return null;
            } finally {
                changing.unlock();
            }
        });
    }

    /** A look at the store that may do I/O. */
    @FunctionalInterface
    interface Look<T extends @Nullable Object> {
        T run() throws IOException;
    }

    /** Looks at the store while no database or table is created, dropped, truncated or swapped. */
    <T extends @Nullable Object> T standing(Look<T> look) throws IOException {
        changing.lock();
        try {
            return look.run();
        } finally {
            changing.unlock();
        }
    }

    private void requireWritable(String what) {
        services.health().check();
        if (services.setup().readOnly()) {
            throw new InvalidRequestException(what + " is not possible: the store is open read-only");
        }
    }

    /** Opens a table that the catalog lists. Damage fails this table only. */
    OpenTable recover(TableInfo info) {
        OpenTable table = new OpenTable(info, opener.providerOf(info));
        try {
            String directory = directoryOf(info.id());
            if (!services.storage().exists(directory)) {
                throw new CorruptionException(
                        directory,
                        -1,
                        "the table's directory is missing; drop the table, or restore a backup of the store"
                                + " to a new directory ('kvstore backup restore'), or take what is whole of it"
                                + " ('kvstore salvage')");
            }
            if (!services.setup().readOnly()) {
                // the last process may not have synced a rename; it must not be undone after the log was freed for it
                services.storage().syncDirectory(directory);
            }
            recover(table, info, opener.open(table, info));
            opener.labelIfMissing(info);
        } catch (KVStoreException e) {
            Notices.error(Schema.class, info.database() + "/" + info.name(), "the table cannot be used", e);
            table.fail(e);
        } catch (IOException e) {
            Notices.error(Schema.class, info.database() + "/" + info.name(), "the table cannot be used", e);
            table.fail(opener.failureOf(info, e));
        }
        tablesOf(info.database()).put(info.name(), table);
        return table;
    }

    private void recover(OpenTable table, TableInfo info, TableEngine engine) throws IOException {
        try {
            if (engine.durableLsn() < info.checkpointLsn() && !opener.isLeftOver(info.id())) {
                Recovery.refuse(
                        services.setup(),
                        new CorruptionException(
                                directoryOf(info.id()),
                                -1,
                                "the table's files end at lsn " + engine.durableLsn() + ", but they were durable up to "
                                        + info.checkpointLsn()
                                        + "; files of an older copy were put back. Restore the newest"));
            }
            table.become(incarnations.incarnation(info, engine));
        } catch (Throwable e) {
            Closing.giveUp(engine, Schema.class, directoryOf(info.id()));
            throw e;
        }
        table.applied(engine.durableLsn());
    }

    /** Closes the engine of a table that is found damaged while the store opens. */
    void giveUp(Incarnation damaged) {
        incarnations.forget(damaged);
        Closing.giveUp(damaged.engine(), Schema.class, directoryOf(damaged.id()));
    }

    /** Closes every engine, and drops the passing tables. No call may be under way and every view must be closed. */
    void close() throws IOException {
        List<Incarnation> all = incarnations.takeAll();
        try (Closing closing = new Closing("not all tables could be closed")) {
            replacements.forEach(replacement -> closing.attempt(replacement::discard));
            all.forEach(incarnation -> closing.attempt(incarnation.engine()));
            if (!services.setup().readOnly()) {
                PassingTables passing = new PassingTables(services);
                all.forEach(incarnation -> closing.attempt(() -> passing.delete(incarnation.info())));
                closing.attempt(passing::forget);
            }
        }
    }
}
