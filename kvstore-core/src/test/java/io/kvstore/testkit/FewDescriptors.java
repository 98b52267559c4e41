package io.kvstore.testkit;

import io.kvstore.io.FileSystemAbility;
import io.kvstore.io.NotOpenedException;
import io.kvstore.io.ReadMapping;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageDirectory;
import io.kvstore.io.StorageFile;
import io.kvstore.io.StorageLock;
import io.kvstore.io.WritableMapping;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A storage whose process has few descriptors left, or none. What is open stays open; each call that opens something takes one
 * of those left, and none comes back before {@link #release}.
 */
public final class FewDescriptors implements Storage {

    private final Storage inner;
    private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    private final AtomicInteger refused = new AtomicInteger();
    private volatile boolean isLackShort;

    /** Over a storage. */
    public FewDescriptors(Storage inner) {
        this.inner = inner;
    }

    /** From now on there are so many. */
    public void leave(int count) {
        left.set(count);
    }

    /** From now on there are so many; then there is none for one call, and enough for all later ones. */
    public void lackOneAfter(int count) {
        isLackShort = true;
        leave(count);
    }

    /** There are enough again. */
    public void release() {
        left.set(Integer.MAX_VALUE);
    }

    /** How many calls found none. */
    public int refused() {
        return refused.get();
    }

    private void take(String path) throws NotOpenedException {
        if (left.getAndUpdate(count -> Math.max(0, count - 1)) == 0) {
            refused.incrementAndGet();
            if (isLackShort) {
                release();
            }
            throw new NotOpenedException(path + " cannot be opened: too many open files", new IOException());
        }
    }

    @Override
    public StorageFile create(String path) throws IOException {
        take(path);
        return inner.create(path);
    }

    @Override
    public StorageFile open(String path) throws IOException {
        take(path);
        return inner.open(path);
    }

    @Override
    public StorageFile openReadOnly(String path) throws IOException {
        take(path);
        return inner.openReadOnly(path);
    }

    @Override
    public WritableMapping map(String path, long bytes) throws IOException {
        take(path);
        return inner.map(path, bytes);
    }

    @Override
    public ReadMapping mapReadOnly(String path, long bytes) throws IOException {
        take(path);
        return inner.mapReadOnly(path, bytes);
    }

    @Override
    public boolean exists(String path) throws IOException {
        return inner.exists(path);
    }

    @Override
    public List<String> list(String directory) throws IOException {
        take(directory);
        return inner.list(directory);
    }

    @Override
    public void createDirectory(String path) throws IOException {
        inner.createDirectory(path);
    }

    @Override
    public void delete(String path) throws IOException {
        inner.delete(path);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        inner.rename(from, to);
    }

    @Override
    public void syncDirectory(String directory) throws IOException {
        take(directory);
        inner.syncDirectory(directory);
    }

    @Override
    public StorageDirectory openDirectory(String directory) throws IOException {
        take(directory);
        return inner.openDirectory(directory);
    }

    @Override
    public Set<FileSystemAbility> missingAbilities() {
        return inner.missingAbilities();
    }

    @Override
    public long freeBytes() throws IOException {
        return inner.freeBytes();
    }

    @Override
    public StorageLock lock(String path) throws IOException {
        take(path);
        return inner.lock(path);
    }

    @Override
    public StorageLock lockShared(String path) throws IOException {
        take(path);
        return inner.lockShared(path);
    }

    @Override
    public int openResources() {
        return inner.openResources();
    }
}
