package io.kvstore.testkit;

import io.kvstore.io.FileSystemAbility;
import io.kvstore.io.ReadMapping;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.io.StorageLock;
import io.kvstore.io.WritableMapping;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A storage that hands every operation on to another, and to a watcher before that. */
abstract sealed class WatchedStorage implements Storage permits FaultyStorage, RecordingStorage {

    private final Storage inner;

    WatchedStorage(Storage inner) {
        this.inner = inner;
    }

    /**
     * One operation.
     *
     * @param detail what else there is to say, such as offset and length; may be empty
     */
    record Access(Operation operation, String path, String detail) {}

    /** Called before every operation; a failure takes its place. */
    abstract void before(Access access) throws IOException;

    /** Called before a write instead of {@link #before}; a failure is thrown after half of the bytes were written. */
    @Nullable
    IOException beforeWrite(Access access) throws IOException {
        before(access);
        return null;
    }

    /** What happens to unsynced bytes when a sync is made to fail. */
    SyncLoss syncLoss() {
        return SyncLoss.PAGES_CLEAN;
    }

    final void before(Operation operation, String path, String detail) throws IOException {
        before(new Access(operation, path, detail));
    }

    @Override
    public final StorageFile create(String path) throws IOException {
        before(Operation.CREATE, path, "");
        return new WatchedFile(this, inner.create(path));
    }

    @Override
    public final StorageFile open(String path) throws IOException {
        before(Operation.OPEN, path, "");
        return new WatchedFile(this, inner.open(path));
    }

    @Override
    public final StorageFile openReadOnly(String path) throws IOException {
        before(Operation.OPEN, path, "");
        return new WatchedFile(this, inner.openReadOnly(path));
    }

    @Override
    public final WritableMapping map(String path, long bytes) throws IOException {
        before(Operation.MAP, path, Long.toString(bytes));
        return new WatchedMapping(this, path, inner.map(path, bytes));
    }

    @Override
    public final ReadMapping mapReadOnly(String path, long bytes) throws IOException {
        before(Operation.MAP, path, Long.toString(bytes));
        return inner.mapReadOnly(path, bytes);
    }

    @Override
    public final boolean exists(String path) throws IOException {
        return inner.exists(path);
    }

    @Override
    public final List<String> list(String directory) throws IOException {
        before(Operation.LIST, directory, "");
        return inner.list(directory);
    }

    @Override
    public final void createDirectory(String path) throws IOException {
        before(Operation.CREATE_DIRECTORY, path, "");
        inner.createDirectory(path);
    }

    @Override
    public final void delete(String path) throws IOException {
        before(Operation.DELETE, path, "");
        inner.delete(path);
    }

    @Override
    public final void rename(String from, String to) throws IOException {
        before(Operation.RENAME, from, to);
        inner.rename(from, to);
    }

    @Override
    public final void syncDirectory(String directory) throws IOException {
        before(Operation.SYNC_DIRECTORY, directory, "");
        inner.syncDirectory(directory);
    }

    @Override
    public final Set<FileSystemAbility> missingAbilities() {
        return inner.missingAbilities();
    }

    @Override
    public final boolean isVolatile() {
        return inner.isVolatile();
    }

    @Override
    public final long freeBytes() throws IOException {
        return inner.freeBytes();
    }

    @Override
    public final StorageLock lock(String path) throws IOException {
        before(Operation.LOCK, path, "");
        return inner.lock(path);
    }

    @Override
    public final int openResources() {
        return inner.openResources();
    }
}
