package io.kvstore.io;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The files below one directory of another storage, which exists as long as this is used. */
public final class NestedStorage implements Storage {

    private final Storage outer;
    private final String directory;

    /** @param directory a path in {@code outer} */
    public NestedStorage(Storage outer, String directory) {
        this.outer = outer;
        this.directory = directory;
    }

    private String outer(String path) {
        return path.isEmpty() ? directory : directory + "/" + path;
    }

    @Override
    public StorageFile create(String path) throws IOException {
        return new NestedFile(path, outer.create(outer(path)));
    }

    @Override
    public StorageFile open(String path) throws IOException {
        return new NestedFile(path, outer.open(outer(path)));
    }

    @Override
    public StorageFile openReadOnly(String path) throws IOException {
        return new NestedFile(path, outer.openReadOnly(outer(path)));
    }

    @Override
    public StorageFile openSequential(String path) throws IOException {
        return new NestedFile(path, outer.openSequential(outer(path)));
    }

    @Override
    public Set<FileSystemAbility> missingAbilities() {
        return outer.missingAbilities();
    }

    @Override
    public WritableMapping map(String path, long bytes) throws IOException {
        return outer.map(outer(path), bytes);
    }

    @Override
    public ReadMapping mapReadOnly(String path, long bytes) throws IOException {
        return outer.mapReadOnly(outer(path), bytes);
    }

    @Override
    public boolean exists(String path) throws IOException {
        return outer.exists(outer(path));
    }

    @Override
    public long size(String path) throws IOException {
        return outer.size(outer(path));
    }

    @Override
    public List<String> list(String path) throws IOException {
        return outer.list(outer(path));
    }

    @Override
    public void createDirectory(String path) throws IOException {
        outer.createDirectory(outer(path));
    }

    @Override
    public void delete(String path) throws IOException {
        outer.delete(outer(path));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        outer.rename(outer(from), outer(to));
    }

    @Override
    public void adopt(ForeignFile source, String path) throws IOException {
        outer.adopt(source, outer(path));
    }

    @Override
    public @Nullable ForeignFile foreign(String path) {
        return outer.foreign(outer(path));
    }

    @Override
    public boolean mayBeLinked(String path) throws IOException {
        return outer.mayBeLinked(outer(path));
    }

    @Override
    public void syncDirectory(String path) throws IOException {
        outer.syncDirectory(outer(path));
    }

    @Override
    public StorageDirectory openDirectory(String path) throws IOException {
        return outer.openDirectory(outer(path));
    }

    @Override
    public long freeBytes() throws IOException {
        return outer.freeBytes();
    }

    @Override
    public StorageLock lock(String path) throws IOException {
        return outer.lock(outer(path));
    }

    @Override
    public StorageLock lockShared(String path) throws IOException {
        return outer.lockShared(outer(path));
    }

    @Override
    public boolean isVolatile() {
        return outer.isVolatile();
    }

    @Override
    public int openResources() {
        return outer.openResources();
    }

    @Override
    public String toString() {
        return outer + "/" + directory;
    }
}
