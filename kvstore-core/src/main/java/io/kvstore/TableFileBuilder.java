package io.kvstore;

import io.kvstore.durability.StorageErrors;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileWriter;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Builds a table file: all entries of a table in one file, which is then read with {@link TableFile}, or given to a table with
 * {@link TableFiles#swap(Path)}. No store is needed. The module {@code kvstore-sealed} has the format.
 *
 * <p>Entries may come in any order; those whose keys ascend are written at once, others are sorted in bounded memory with
 * temporary files beside the file. Until {@link #finish()} returns, a file that had the name keeps it. For use by one thread.
 */
public final class TableFileBuilder implements AutoCloseable {

    private final Path file;
    private final TableFileWriter writer;

    private TableFileBuilder(Path file, TableFileWriter writer) {
        this.file = file;
        this.writer = writer;
    }

    /** Begins a file as {@link TableFileSettings#USUAL} says. */
    public static TableFileBuilder create(Path file) {
        return create(file, TableFileSettings.USUAL);
    }

    /**
     * Begins a file. Its directory must exist.
     *
     * @throws io.kvstore.error.InvalidRequestException if no module on the class path has such files, or the settings name a
     *     codec that is not there
     */
    public static TableFileBuilder create(Path file, TableFileSettings settings) {
        try {
            FilePlace place = FilePlace.forWriting(file);
            return new TableFileBuilder(
                    file, TableFileFormats.load().forWriting().create(place.storage(), place.name(), settings));
        } catch (IOException e) {
            throw StorageErrors.of("beginning " + file, e);
        }
    }

    /**
     * Adds an entry. Neither array is kept.
     *
     * @param key at most 65,535 bytes
     * @param value at most 1 GiB
     * @throws io.kvstore.error.InvalidRequestException if one of them is longer, or the settings refuse the key here
     * @throws io.kvstore.error.DiskFullException if the disk is full
     */
    public void put(byte[] key, byte[] value) {
        try {
            writer.put(Limits.key(key), Limits.fileValue(value));
        } catch (IOException e) {
            throw StorageErrors.of("building " + file, e);
        }
    }

    /** As {@link #put(byte[], byte[])}, of a key in UTF-8. */
    public void put(String key, byte[] value) {
        put(Keys.bytes(key), value);
    }

    /** How many entries were put. */
    public long entries() {
        return writer.entries();
    }

    /** Completes the file, makes it durable, and gives it its name. */
    public TableFileInfo finish() {
        return finish(Progress.NONE);
    }

    /**
     * As {@link #finish()}.
     *
     * @param progress is told how many entries are in the file, of all; if it stops the work, the file is refused
     */
    public TableFileInfo finish(Progress progress) {
        try {
            return writer.finish(progress);
        } catch (IOException e) {
            throw StorageErrors.of("building " + file, e);
        }
    }

    /** Gives back everything. A file that was not finished is deleted, and one that had the name before stays. */
    @Override
    public void close() {
        try {
            writer.close();
        } catch (IOException e) {
            throw StorageErrors.of("closing the build of " + file, e);
        }
    }
}
