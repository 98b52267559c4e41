package io.kvstore;

import static java.util.Objects.requireNonNull;

import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.data.TableProperties;
import io.kvstore.durability.OpenStore;
import io.kvstore.durability.OpenTable;
import io.kvstore.durability.Recovery;
import io.kvstore.durability.StorageErrors;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.Closing;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.TableDroppedException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A key-value store. It has databases of tables. Each table is an ordered map from byte strings to byte strings, with a storage
 * engine of its own. One log makes all tables crash-safe.
 *
 * <p>Keys have 0 to 65,535 bytes and are ordered as unsigned bytes. A {@code String} key stands for its UTF-8 bytes, so String
 * keys are in code-point order, which is not the order of {@link String#compareTo}. Values are opaque. An empty value is a
 * value.
 *
 * <p>By default an acknowledged write is on disk. All methods are safe for use by any number of threads and report errors as
 * {@link io.kvstore.error.KVStoreException}. A directory is open in at most one store object at a time.
 */
public final class KVStore implements AutoCloseable {

    private final KVStoreOptions options;
    private final EngineRegistry engines;
    private final MachineMemory.Share memory;
    private final OpenStore parts;
    private final UpdateTurns updates = new UpdateTurns(TimeUnit.SECONDS.toNanos(UpdateTurns.PATIENCE_SECONDS));

    /**
     * Opens the store in a directory with the default options. Creates the store if the directory is empty or missing.
     *
     * @throws io.kvstore.error.StoreLockedException if another store object or process has the directory open
     * @throws io.kvstore.error.CorruptionException if the catalog or the log is damaged
     * @throws InvalidRequestException if the directory is not a store and has other files in it
     */
    public KVStore(File directory) {
        this(directory.toPath(), KVStoreOptions.defaults());
    }

    /**
     * Opens the store in a directory, or creates it if that is empty or missing.
     *
     * <p>The directory may be in any file system of {@link java.nio.file}, for example one in memory, if that file system has
     * what a store cannot do without: files that a {@link java.nio.channels.FileChannel} reads and writes at any position,
     * renames of a file over another one in one step, and files that stay readable while they are replaced or deleted. What
     * else it lacks is logged when the store is opened, and told by {@link StoreStats#missingAbilities}: see
     * {@link io.kvstore.io.FileSystemAbility}. In a file system other than that of the operating system a put or
     * get takes some ten to a hundred microseconds: each call of a file is made in a thread of its own, so that an interrupt of
     * the caller closes no file.
     *
     * @throws InvalidRequestException if the file system cannot hold a store, or the directory is not a store and has other
     *     files in it
     * @throws io.kvstore.error.StoreLockedException if another store object or process has the directory open
     * @throws io.kvstore.error.CorruptionException if the catalog or the log is damaged
     */
    public KVStore(Path directory, KVStoreOptions options) {
        this(directory, options, MachineMemory.OF_PROCESS);
    }

    KVStore(Path directory, KVStoreOptions options, MachineMemory machine) {
        this(directory.toString(), StoreHome.in(directory), options, machine);
    }

    private KVStore(String where, StoreHome.Finder finder, KVStoreOptions options, MachineMemory machine) {
        this.options = options;
        this.engines = EngineRegistry.load();
        this.memory = machine.take(options.memory().bytes());
        StoreHome home = null;
        boolean opened = false;
        try {
            home = finder.find(options, machine);
            this.parts = Recovery.open(home.setup(options, engines, memory));
            opened = true;
        } catch (IOException e) {
            throw StorageErrors.of("opening the store in " + where, e);
        } finally {
            if (!opened) {
                memory.close();
                if (home != null) {
                    Closing.giveUp(home.end(), KVStore.class, where);
                }
            }
        }
    }

    /** Opens an empty store in memory with the default options. Throws as {@link #inMemory(KVStoreOptions)}. */
    public static KVStore inMemory() {
        return inMemory(KVStoreOptions.defaults());
    }

    /**
     * Opens an empty store whose files are in memory outside the heap. Nothing survives {@link #close}, which gives the memory
     * back, or the process. So tables have no log, {@code ENABLE_WAL=true} is refused, and no checkpoints are made.
     *
     * <p>All files together take at most {@link MemoryOptions#storageBytes}. When they have as much, writes are refused with
     * {@link io.kvstore.error.DiskFullException}, and are taken again when there is room. Removals from {@code BPLUS} tables
     * make room; {@code LSM} tables whose memtable is full refuse removals, too, so truncate or drop a table. Beside the files,
     * tables take {@link MemoryOptions#bytes} as they do in any store.
     *
     * @throws InvalidRequestException if the options say read-only: there is nothing to read
     */
    public static KVStore inMemory(KVStoreOptions options) {
        return inMemory(options, MachineMemory.OF_PROCESS);
    }

    static KVStore inMemory(KVStoreOptions options, MachineMemory machine) {
        return new KVStore("memory", StoreHome::inMemory, options, machine);
    }

    /** Opens an empty temporary store with the default options. Throws as {@link #temporary(KVStoreOptions)}. */
    public static KVStore temporary() {
        return temporary(KVStoreOptions.defaults());
    }

    /**
     * Opens an empty store in a new directory below {@code java.io.tmpdir}, readable for its owner only. {@link #close}
     * deletes the directory, and throws if it cannot. A process that is killed leaves its directory. The next temporary store
     * of the same system user removes it, because its lock is free then.
     *
     * <p>In all other respects this is a store in a directory. {@code BUFFERED} durability and {@code ENABLE_WAL=false} save
     * the syncs that a store for a while seldom needs.
     *
     * @throws InvalidRequestException if the options say read-only: there is nothing to read
     * @throws io.kvstore.error.StorageException if {@code java.io.tmpdir} is no directory or cannot be written to
     */
    public static KVStore temporary(KVStoreOptions options) {
        return new KVStore("a temporary directory", StoreHome::temporary, options, MachineMemory.OF_PROCESS);
    }

    OpenStore parts() {
        return parts;
    }

    UpdateTurns updates() {
        return updates;
    }

    /** The options that the store was opened with. */
    public KVStoreOptions options() {
        return options;
    }

    /** The report of the recovery that ran when the store was opened. */
    public Recovery.Report recovery() {
        return parts.report();
    }

    /** The names of the engines on the class path, sorted. */
    public List<String> engines() {
        return List.copyOf(engines.byName().keySet());
    }

    /** The names of the databases, sorted. */
    public List<String> databases() {
        return parts.call("listing databases", parts.schema()::databases);
    }

    /**
     * Creates a database, durably.
     *
     * @throws AlreadyExistsException if there is a database of that name
     */
    public void createDB(String database) {
        Names.check("database", database);
        parts.schema().createDatabase(database);
    }

    /** Creates a database, durably, unless there is one of that name. Returns whether it was created. */
    public boolean createDatabaseIfAbsent(String database) {
        try {
            createDB(database);
            return true;
        } catch (AlreadyExistsException e) {
            return false; // which is an answer here
        }
    }

    /**
     * Drops a database without tables, durably.
     *
     * @throws io.kvstore.error.NotFoundException if there is no database of that name
     * @throws AlreadyExistsException if the database still has tables
     */
    public void dropDB(String database) {
        Names.check("database", database);
        parts.schema().dropDatabase(database);
    }

    /** The names of the tables of a database, sorted. */
    public List<String> tables(String database) {
        Names.check("database", database);
        return parts.call("listing tables", () -> parts.schema().tables(database));
    }

    /**
     * Creates a table, durably.
     *
     * @param engine the engine's name in any letter case, see {@link TableEngineType}
     * @param properties parameters by constant or name; values are numbers, booleans or strings
     * @throws InvalidRequestException if a parameter is unknown, given twice or out of range; nothing was created
     */
    public Table createTable(String database, String table, String engine, Properties properties) {
        Names.check("database", database);
        Names.check("table", table);
        TableEngineProvider provider = engines.get(engine);
        TableProperties resolved = settingsFor(provider).resolve(properties);
        return new Table(this, parts.schema().createTable(database, table, provider.name(), resolved));
    }

    TableSettings settingsFor(OpenTable table) {
        return settingsFor(engines.get(table.engineName()));
    }

    TableSettings settingsFor(TableEngineProvider provider) {
        OptionalLong inMemoryBytes =
                parts.isVolatile() ? OptionalLong.of(parts.memory().totalBytes()) : OptionalLong.empty();
        return new TableSettings(options, provider, inMemoryBytes);
    }

    /** Creates a table with the engine's defaults, durably. */
    public Table createTable(String database, String table, String engine) {
        return createTable(database, table, engine, new Properties());
    }

    /**
     * The handle of a table, which is created, durably, if it is missing.
     *
     * @param properties parameters as for {@link #createTable(String, String, String, Properties)}; a table that exists must
     *     have the engine and each of these parameters, and may have any others
     * @throws AlreadyExistsException if the table exists with another engine or another value of a parameter
     * @throws io.kvstore.error.NotFoundException if there is no such database
     */
    public Table tableOrCreate(String database, String table, String engine, Properties properties) {
        Names.check("database", database);
        Names.check("table", table);
        TableSettings settings = settingsFor(engines.get(engine));
        while (true) {
            OpenTable found = parts.find(database, table);
            try {
                if (found == null) {
                    return createTable(database, table, engine, properties);
                }
                settings.requireSame(found.info(), properties);
                return new Table(this, found);
            } catch (AlreadyExistsException | TableDroppedException e) {
                if (found != null && e instanceof AlreadyExistsException) {
                    throw e;
                } // else another thread has created it meanwhile, or has dropped or replaced what was found
            }
        }
    }

    /** The handle of a table, which is created with the engine's defaults if it is missing. */
    public Table tableOrCreate(String database, String table, String engine) {
        return tableOrCreate(database, table, engine, new Properties());
    }

    /**
     * Gives a table another name in its database, durably. Handles, cursors and snapshots of the table stay valid, and
     * readers and writers do not wait. To give it the name that it has does nothing. A crash leaves the old name or the new
     * one. A table that cannot be opened can be renamed, too.
     *
     * @return a handle of the table
     * @throws io.kvstore.error.NotFoundException if there is no such database or table
     * @throws AlreadyExistsException if another table of the database has the new name; nothing has changed
     */
    public Table renameTable(String database, String table, String newName) {
        Names.check("database", database);
        Names.check("table", table);
        Names.check("table", newName);
        return new Table(this, parts.schema().redefinition().rename(database, table, newName));
    }

    /** Drops a table, durably. Open snapshots and cursors still see it. */
    public void dropTable(String database, String table) {
        Names.check("database", database);
        Names.check("table", table);
        parts.schema().dropTable(database, table);
    }

    /**
     * The handle of a table. Keep the handle: every operation on the table is a call of it.
     *
     * @throws io.kvstore.error.NotFoundException if there is no such database or table
     */
    public Table table(String database, String table) {
        OpenTable found = parts.find(database, table);
        if (found == null) {
            Names.check("database", database);
            Names.check("table", table);
            found = parts.schema().table(database, table);
        }
        return new Table(this, found);
    }

    /** Sets a value, with the table's durability. */
    public void put(String database, String table, byte[] key, byte[] value) {
        table(database, table).put(key, value);
    }

    /** Sets a value, with the table's durability. */
    public void put(String database, String table, String key, byte[] value) {
        table(database, table).put(key, value);
    }

    /** The value of a key, or null. */
    public byte @Nullable [] get(String database, String table, byte[] key) {
        return table(database, table).get(key);
    }

    /** The value of a key, or null. */
    public byte @Nullable [] get(String database, String table, String key) {
        return table(database, table).get(key);
    }

    /** Removes a key, whether it exists or not. */
    public void remove(String database, String table, byte[] key) {
        table(database, table).remove(key);
    }

    /** Removes a key, whether it exists or not. */
    public void remove(String database, String table, String key) {
        table(database, table).remove(key);
    }

    /** The values of several keys at one moment, in the order of the given keys; null for a key without a value. */
    public List<byte @Nullable []> getAll(String database, String table, List<byte[]> keys) {
        return table(database, table).getAll(keys);
    }

    /** Sets a value if the key has none. Returns whether the value was set. */
    public boolean putIfAbsent(String database, String table, byte[] key, byte[] value) {
        return table(database, table).putIfAbsent(key, value);
    }

    /** Sets a value if the key has none. Returns whether the value was set. */
    public boolean putIfAbsent(String database, String table, String key, byte[] value) {
        return table(database, table).putIfAbsent(key, value);
    }

    /** Sets a value if the present value is {@code expected}. Returns whether the value was set. */
    public boolean replace(String database, String table, byte[] key, byte[] expected, byte[] value) {
        return table(database, table).replace(key, expected, value);
    }

    /** Sets a value if the present value is {@code expected}. Returns whether the value was set. */
    public boolean replace(String database, String table, String key, byte[] expected, byte[] value) {
        return table(database, table).replace(key, expected, value);
    }

    /** Removes a key if its value is {@code expected}. Returns whether the key was removed. */
    public boolean remove(String database, String table, byte[] key, byte[] expected) {
        return table(database, table).remove(key, expected);
    }

    /** Removes a key if its value is {@code expected}. Returns whether the key was removed. */
    public boolean remove(String database, String table, String key, byte[] expected) {
        return table(database, table).remove(key, expected);
    }

    /** The entries of a range as they are now. The caller closes the cursor. */
    public Cursor scan(String database, String table, KeyRange range) {
        return table(database, table).scan(range);
    }

    /** How many entries a range has now. */
    public long count(String database, String table, KeyRange range) {
        return table(database, table).count(range);
    }

    /** Applies a batch with the strongest durability of its tables. Returns the lsn of the batch, or 0 for an empty batch. */
    public long write(WriteBatch batch) {
        return write(batch, null);
    }

    /**
     * Applies a batch as a whole or not at all. Returns the lsn of the batch, or 0 for an empty batch.
     *
     * @param durability null for the strongest durability of the batch's tables
     * @throws ConditionFailedException if a condition does not hold; nothing was applied
     * @throws InvalidRequestException if the batch is larger than {@code maxBatchBytes}, has conditions but no change, or mixes
     *     tables with and without a log
     */
    public long write(WriteBatch batch, @Nullable Durability durability) {
        return batch.commitIn(this, durability);
    }

    /** All tables as they are now, exact across tables and engines. The caller closes the snapshot. */
    public Snapshot snapshot() {
        return new Snapshot(this, parts.reads().snapshot(parts.schema().all()));
    }

    /** Makes all tables durable without the log, but temporary ones, and frees the log. Does nothing in a store in memory. */
    public void checkpoint() {
        parts.checkpoint();
    }

    /** Makes a backup. As {@link #backup(Path, Progress)}, to the end. */
    public BackupInfo backup(Path repository) {
        return requireNonNull(backup(repository, Progress.NONE));
    }

    /**
     * Makes a backup of the whole store while it is used, in a repository, which is a directory for backups of this store
     * alone. Stores only what the newest backup there does not have. Every byte is read and checked. {@link Backups} lists,
     * verifies, restores and deletes backups.
     *
     * <p>A store that is restored from it has exactly the operations up to one lsn, {@link BackupInfo#lsn}, at a moment after
     * this was called. A table without a log is as its last checkpoint before that moment left it. Temporary tables are left
     * out. Writers do not wait, and files that they give up meanwhile keep their space until the backup ends: see
     * {@link StoreStats#holds}. A failure, a full disk and a kill leave all earlier backups as they were.
     *
     * @param repository made if it is missing or empty; apart from the directory of every store
     * @param progress told of bytes, about once for each MiB; may end the backup, of which nothing is left then
     * @return null if the progress ended the backup
     * @throws InvalidRequestException if the directory has other files or another store's backups, is that of a store or in it,
     *     or has the store in it, or if the store is read-only or in memory
     * @throws io.kvstore.error.CorruptionException if a file of the store is damaged; it names file and offset
     * @throws io.kvstore.error.StorageException if a table could not be opened, so that a backup would lack it
     * @throws io.kvstore.error.StoreLockedException if another process changes the repository now
     * @throws io.kvstore.error.OverloadedException if the log reached its limit before it was copied, three
     *     times one after the other
     * @throws io.kvstore.error.StoreClosedException if the store is closed meanwhile
     */
    public @Nullable BackupInfo backup(Path repository, Progress progress) {
        return Backups.make(parts, repository, progress);
    }

    /**
     * Makes a store of this one in a new directory, while it is used. Files that never change are linked if both directories
     * are in one file system, so that the copy takes little time and space. From then on no store writes over them.
     * Everything else is as for {@link #backup(Path, Progress)}. A failure leaves no new directory.
     *
     * @param newDirectory must not exist, or be an empty directory, in no store; the directory that it is in exists
     */
    public void checkpointTo(Path newDirectory) {
        Backups.copy(parts, newDirectory);
    }

    /** Reads every byte of every table and checks every rule of its structure. */
    public Findings verify() {
        return parts.verify();
    }

    /** The store's figures now. */
    public StoreStats stats() {
        return parts.call("reading statistics", () -> StoreStats.of(this));
    }

    TableStats statsOf(OpenTable table) {
        return parts.call("reading statistics", () -> TableStats.of(table));
    }

    /** The reason why the store takes no more work, or null if it takes work. */
    public @Nullable String failure() {
        Throwable cause = parts.health().cause();
        return cause == null ? null : cause.toString();
    }

    /**
     * Waits for calls under way, makes a checkpoint, seals the log and closes every file. Later calls throw
     * {@link io.kvstore.error.StoreClosedException}. To close the store again does nothing. A store in memory makes no
     * checkpoint, and gives its memory back.
     *
     * @throws InvalidRequestException if close is called from inside a call of this store, such as by a visitor, or if a call
     *     never ends because its thread ends the process
     */
    @Override
    public void close() {
        try {
            parts.close();
        } catch (IOException e) {
            throw StorageErrors.of("closing the store", e);
        } finally {
            if (parts.hasEnded()) { // else it is refused, or another thread closes the store now, which uses the memory
                memory.close();
            }
        }
    }
}
