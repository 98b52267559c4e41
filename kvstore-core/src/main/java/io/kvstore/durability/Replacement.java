package io.kvstore.durability;

import static java.util.Objects.requireNonNull;

import io.kvstore.catalog.TableInfo;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.engine.TableFileFormat;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileWriter;
import io.kvstore.error.Closing;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.io.ForeignFile;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Other contents of a table on their way: a file that is brought to the directory of an id that the catalog does not list, or
 * built there. So a crash leaves the table as it was, and the directory is swept when the store is opened.
 *
 * <p>States: growing, then swapped in or discarded. While it grows, no call holds a lock of the store, and each takes as long
 * as its bytes. For use by one thread; the store discards it at close, when no call is under way.
 */
public final class Replacement implements AutoCloseable {

    private final StoreServices services;
    private final Schema schema;
    private final OpenTable table;
    private final TableInfo next;
    private final TableFileFormat format;

    /** The id that the table had before there were any of the new contents. */
    private final int replacedId;

    private final String path;
    private @Nullable StorageFile file;
    private @Nullable TableFileWriter writer;
    private long written;
    private volatile boolean hasEnded;

    /** Set once the file was checked, and nothing is added to it any more. */
    private @Nullable TableFileInfo installed;

    private Replacement(
            StoreServices services, Schema schema, OpenTable table, TableInfo next, TableFileFormat format) {
        this.services = services;
        this.schema = schema;
        this.table = table;
        this.next = next;
        this.format = format;
        this.replacedId = table.incarnation().id();
        this.path = Schema.directoryOf(next.id()) + "/" + format.fileName();
    }

    static Replacement begin(StoreServices services, Schema schema, OpenTable table, TableInfo next)
            throws IOException {
        TableEngineProvider provider = schema.opener().providerOf(next);
        TableFileFormat format = provider == null ? null : provider.files();
        if (format == null) {
            throw new InvalidRequestException("table " + table.name() + " is a " + table.engineName()
                    + " table, which takes no file; write entries, or create a SEALED table for the file");
        }
        Replacement begun = new Replacement(services, schema, table, next, format);
        try {
            services.storage().createDirectory(Schema.directoryOf(next.id()));
            services.storage().syncDirectory(StoreFiles.TABLES);
            return begun;
        } catch (Throwable e) {
            Closing.giveUp(begun::discard, Replacement.class, begun.path);
            throw e;
        }
    }

    /** Adds bytes to the end of the file. */
    public void write(ByteBuffer bytes) {
        run(() -> {
            if (installed != null) {
                throw new InvalidRequestException("the file is complete and was checked; begin again for another one");
            }
            StorageFile target = growing();
            int count = bytes.remaining();
            target.write(bytes, written);
            written += count;
        });
    }

    private StorageFile growing() throws IOException {
        StorageFile target = file;
        if (target == null) {
            target = services.storage().create(path);
            file = target;
        }
        return target;
    }

    /** Takes a finished file, which is not changed afterwards. Nothing was written before. */
    public void adopt(ForeignFile source) {
        run(() -> services.storage().adopt(source, path));
    }

    /** Begins to build the file here. Nothing was written before. */
    public void build(TableFileSettings settings) {
        run(() -> writer = format.create(services.storage(), path, settings));
    }

    /** Adds an entry to the file that is built. Between two entries the store may be closed. */
    public void put(byte[] key, byte[] value) {
        int ticket = services.calls().enter();
        try {
            requireGoing();
            requireNonNull(writer).put(key, value);
        } catch (IOException e) {
            throw StorageErrors.of(purpose(), e);
        } finally {
            services.calls().exit(ticket);
        }
    }

    /** Completes the file that is built. Closing the store stops that. */
    public void finish(Progress progress) {
        run(() -> {
            requireNonNull(writer).finish((done, total) -> {
                requireOpen();
                return progress.advanced(done, total);
            });
            closeFiles();
            // the entries may be of operations that the log does not have on the disk yet
            if (!services.storage().isVolatile()
                    && !services.log().sync(services.log().lastLsn())) {
                throw new IOException("the log failed before it was durable");
            }
        });
    }

    /**
     * Checks the file, makes it durable, and gives it to the table. No reader of the table fails or waits. If another file was
     * expected, this may be called again.
     *
     * @param expectedId of the file that the table has until now, empty for no file; null if it does not matter
     * @throws io.kvstore.error.CorruptionException if the file is damaged, is cut off, or is of another format
     * @throws io.kvstore.error.ConditionFailedException if the table has another file
     */
    public TableFileInfo swapIn(@Nullable String expectedId) {
        run(() -> {
            requireFit(checked());
            schema.replace(table, next, expectedId, this::end);
        });
        return requireNonNull(installed);
    }

    /**
     * Checks the file, makes it durable, and puts a table with it in the place of the table, which may have another engine.
     *
     * @param seenLsn the lsn up to which the file has every operation of the table
     * @return the new table; the old one is dropped
     * @throws io.kvstore.error.ConditionFailedException if the table has a later operation
     */
    public OpenTable succeed(long seenLsn) {
        return run(() -> {
            checked();
            return schema.succeed(table, next, replacedId, seenLsn, this::end);
        });
    }

    private TableFileInfo checked() throws IOException {
        TableFileInfo checked = installed;
        if (checked == null) {
            if (!services.storage().exists(path)) {
                growing(); // nobody wrote a byte: the format refuses an empty file, too
            }
            closeFiles();
            checked = format.install(schema.opener().contextOf(table, next), this::requireOpen);
            installed = checked;
        }
        return checked;
    }

    /** From now on the directory is not this object's to delete. */
    private void end() {
        hasEnded = true;
        schema.forget(this);
    }

    private void requireFit(TableFileInfo info) {
        if (info.longestValueBytes() > table.maxValueBytes()) {
            throw new InvalidRequestException("the file has a value of " + info.longestValueBytes() + " bytes; table "
                    + table.name() + " takes at most " + table.maxValueBytes() + " (MAX_VALUE_BYTES of the table)");
        }
    }

    private void closeFiles() throws IOException {
        StorageFile complete = file;
        TableFileWriter build = writer;
        file = null;
        writer = null;
        try (complete;
                build) {
            // both are closed, whatever the first one throws
        }
    }

    private String purpose() {
        return "giving table " + table.name() + " another file";
    }

    /** Closing the store does not wait for the reading of a whole file. */
    private void requireOpen() {
        if (services.calls().isClosed()) {
            throw new StoreClosedException("the store was closed while " + purpose());
        }
    }

    private void requireGoing() {
        if (hasEnded) {
            throw new InvalidRequestException("the file was swapped in or given up before; begin again");
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private void run(Step step) {
        run(() -> {
            step.run();
            return true;
        });
    }

    private <T> T run(OpenStore.Call<T> step) {
        return services.calls().run(purpose(), () -> {
            requireGoing();
            return step.run();
        });
    }

    /** Gives up the file unless it was swapped in. */
    @Override
    public void close() {
        if (!hasEnded) {
            services.calls().run("giving up a file for table " + table.name(), () -> {
                discard();
                return null;
            });
        }
    }

    /** As {@link #close}, while no call can be under way any more. */
    void discard() throws IOException {
        if (!hasEnded) {
            end();
            try {
                closeFiles();
            } finally {
                services.storage().deleteTree(Schema.directoryOf(next.id()));
            }
        }
    }
}
