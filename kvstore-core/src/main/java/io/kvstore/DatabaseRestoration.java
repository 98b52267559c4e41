package io.kvstore;

import io.kvstore.backup.Backup;
import io.kvstore.backup.Repository;
import io.kvstore.backup.Restoration;
import io.kvstore.catalog.Catalog;
import io.kvstore.catalog.CatalogState;
import io.kvstore.catalog.TableInfo;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.data.TableProperties;
import io.kvstore.durability.OpenStore;
import io.kvstore.durability.OpenTable;
import io.kvstore.durability.Schema;
import io.kvstore.durability.ScratchDirectory;
import io.kvstore.durability.StagedDatabase;
import io.kvstore.engine.Progress;
import io.kvstore.error.Closing;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.NotFoundException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.Storage;
import io.kvstore.wal.LogHold;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Makes a database of one that a backup has. The files of its tables are restored to a {@link ScratchDirectory}, which is a
 * small store then; its entries are copied to the tables of a {@link StagedDatabase}.
 */
final class DatabaseRestoration {

    /** A step of the copying has about so many bytes, or so many entries, or is one large entry. */
    private static final int STEP_BYTES = 1 << 20;

    private static final int STEP_ENTRIES = 4_096;

    private static final long SOURCE_LOG_BYTES = 4 << 20;
    private static final String TABLES = "tables";

    private final DatabaseRestore what;
    private final KVStore into;
    private final StagedDatabase target;
    private final Progress progress;

    /** Of the files that are restored. The copying counts as much. */
    private long filesBytes;

    private long copiedBytes;

    private DatabaseRestoration(DatabaseRestore what, KVStore into, StagedDatabase target, Progress progress) {
        this.what = what;
        this.into = into;
        this.target = target;
        this.progress = progress;
    }

    /** Returns false if the progress said that it is to stop. Whatever is not complete is given up. */
    static boolean run(Storage repository, DatabaseRestore what, KVStore into, Progress progress) throws IOException {
        try (StagedDatabase target = into.parts().schema().stage(what.restoredAs())) {
            return new DatabaseRestoration(what, into, target, progress).run(repository);
        }
    }

    private boolean run(Storage repository) throws IOException {
        try (ScratchDirectory scratch = into.parts().scratch()) {
            if (!restoreFiles(repository, scratch.files()) || !copyFrom(scratch.files())) {
                return false;
            }
        }
        into.checkpoint(); // so that the database is durable when it is there
        if (!progress.advanced(2 * filesBytes, 2 * filesBytes)) {
            return false;
        }
        target.publish();
        return true;
    }

    private boolean restoreFiles(Storage from, Storage files) throws IOException {
        try (Repository repository = Repository.openForReading(from)) {
            Backup backup = repository.backup(what.backup());
            boolean _ = restore(repository, backup.only(Catalog.FILE::equals), files, Progress.NONE);
            CatalogState catalog = ofDatabase(Catalog.open(files, cause -> {}).state());
            Backup wanted = backup.only(isOf(catalog));
            filesBytes = wanted.storeBytes();
            if (filesBytes > files.freeBytes()) {
                throw new DiskFullException(
                        "database " + what.database() + " of backup " + what.backup() + " needs " + filesBytes
                                + " bytes while it is restored, and about as many afterwards, and the disk has "
                                + files.freeBytes() + "; free some space",
                        null);
            }
            if (!restore(repository, wanted, files, (done, all) -> progress.advanced(done, 2 * filesBytes))) {
                return false;
            }
            AtomicFile.write(files, Catalog.FILE, ByteBuffer.wrap(Catalog.fileOf(catalog)));
            return true;
        }
    }

    /** Writes files while the store is open: closing it waits for the step that is under way, and lets no other begin. */
    private boolean restore(Repository repository, Backup backup, Storage files, Progress told) throws IOException {
        OpenStore store = into.parts();
        Restoration.Writer writer = step -> store.call("restoring files of database " + what.database(), () -> {
            step.run();
            return true;
        });
        return Restoration.run(repository, backup, files, writer, told);
    }

    /** The catalog with the tables of the database alone. */
    private CatalogState ofDatabase(CatalogState all) {
        if (!all.databases().contains(what.database())) {
            throw new NotFoundException(
                    "backup " + what.backup() + " has no database " + what.database() + "; it has " + all.databases());
        }
        SortedMap<Integer, TableInfo> tables = new TreeMap<>(all.tables());
        tables.values().removeIf(table -> !table.database().equals(what.database()));
        return all.copiedWith(tables, all.firstLogSegment());
    }

    /** Whether a path is of the log, of one of the tables, or of a directory above them. */
    private static Predicate<String> isOf(CatalogState catalog) {
        Set<String> directories =
                catalog.tables().keySet().stream().map(Schema::directoryOf).collect(Collectors.toSet());
        return path -> {
            int end = path.indexOf('/', path.indexOf('/') + 1);
            return path.equals(TABLES)
                    || path.equals(LogHold.DIRECTORY)
                    || path.startsWith(LogHold.DIRECTORY + "/")
                    || directories.contains(end < 0 ? path : path.substring(0, end));
        };
    }

    private boolean copyFrom(Storage files) {
        KVStore from = new KVStore(Path.of("restored"), optionsOf(files));
        try {
            for (String name : from.tables(what.database())) {
                if (!copy(from.table(what.database(), name))) {
                    return false;
                }
            }
            return true;
        } finally {
            // its files are deleted, so what fails here has no meaning
            Closing.giveUp(from, DatabaseRestoration.class, what.database());
        }
    }

    private KVStoreOptions optionsOf(Storage files) {
        KVStoreOptions own = into.options();
        return KVStoreOptions.defaults()
                .withSeams(own.seams().withStorage(files))
                .withDurability(Durability.BUFFERED)
                .withMaxValueBytes(KVStoreOptions.HARD_MAX_VALUE_BYTES)
                .withLog(LogOptions.defaults()
                        .withSegmentBytes(SOURCE_LOG_BYTES)
                        .withCheckpointBytes(SOURCE_LOG_BYTES * 2));
    }

    private boolean copy(Table from) {
        OpenTable created = target.createTable(from.name(), from.engineName(), propertiesOf(from));
        Table to = new Table(into, created);
        boolean isWhole = created.takesFiles() ? copyFile(from, to) : copyEntries(from, to);
        if (isWhole) {
            Properties limit = new Properties();
            limit.put(TableConfParamsEnum.MAX_VALUE_BYTES, from.maxValueBytes());
            to.alter(limit);
        }
        return isWhole;
    }

    /** Values may be longer than the limit of their table, which may have been lowered since they were written. */
    private TableProperties propertiesOf(Table from) {
        Properties properties = new Properties();
        properties.putAll(from.properties().asMap());
        properties.put(TableConfParamsEnum.MAX_VALUE_BYTES.name(), KVStoreOptions.HARD_MAX_VALUE_BYTES);
        if (into.parts().isVolatile()) {
            properties.remove(TableConfParamsEnum.ENABLE_WAL.name()); // a store in memory has no log
        }
        return into.settingsFor(EngineRegistry.load().get(from.engineName())).resolve(properties);
    }

    private boolean copyFile(Table from, Table to) {
        try (TableFileCopy file = from.files().copy()) {
            if (file == null) {
                return true;
            }
            long bytes = file.info().fileBytes();
            try (TableFileUpload upload = to.files().upload(bytes)) {
                for (long at = 0; at < bytes; ) {
                    ByteBuffer piece = ByteBuffer.allocate((int) Math.min(STEP_BYTES, bytes - at));
                    file.read(at, piece);
                    upload.write(piece.flip());
                    at += piece.limit();
                    if (!advanced(piece.limit())) {
                        return false;
                    }
                }
                upload.swapIn(null);
                return true;
            }
        }
    }

    private boolean copyEntries(Table from, Table to) {
        Durability durability = to.in(into).isLogged() ? Durability.BUFFERED : null;
        long most = Math.min(STEP_BYTES, into.options().maxBatchBytes() / 2);
        try (Cursor entries = from.scan(KeyRange.all())) {
            WriteBatch batch = new WriteBatch();
            long bytes = 0;
            while (entries.next()) {
                byte[] key = entries.key();
                byte[] value = entries.value();
                if (key.length + value.length > most) {
                    to.put(key, value, durability);
                } else {
                    batch.put(to, key, value);
                }
                bytes += key.length + value.length;
                if (bytes >= most || batch.size() >= STEP_ENTRIES) {
                    into.write(batch, durability);
                    batch = new WriteBatch();
                    if (!advanced(bytes)) {
                        return false;
                    }
                    bytes = 0;
                }
            }
            into.write(batch, durability);
            return advanced(bytes);
        }
    }

    /** Entries may have more or fewer bytes than the files. The whole is told when the database is complete. */
    private boolean advanced(long bytes) {
        copiedBytes += bytes;
        long shown = Math.min(copiedBytes, Math.max(0, filesBytes - 1));
        return progress.advanced(filesBytes + shown, 2 * filesBytes);
    }
}
