package io.kvstore.testkit;

import io.kvstore.io.StorageLock;

/** A lock of {@link SimStorage}. */
final class SimLock implements StorageLock {

    private final SimStorage storage;
    private final String path;
    private boolean closed;

    SimLock(SimStorage storage, String path) {
        this.storage = storage;
        this.path = path;
    }

    @Override
    public void close() {
        synchronized (storage) {
            if (!closed) {
                closed = true;
                storage.unlock(path);
                storage.closed();
            }
        }
    }
}
