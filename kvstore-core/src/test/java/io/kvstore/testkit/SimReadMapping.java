package io.kvstore.testkit;

import io.kvstore.io.ReadMapping;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** A read-only mapping of {@link SimStorage}: the bytes of the moment, as the file does not change any more. */
final class SimReadMapping implements ReadMapping {

    private final SimStorage storage;
    private final String path;
    private final byte[] bytes;
    private final MemorySegment memory;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Called under the storage's monitor. */
    SimReadMapping(SimStorage storage, String path, byte[] bytes) {
        this.storage = storage;
        this.path = path;
        this.bytes = bytes;
        this.memory = MemorySegment.ofArray(bytes).asReadOnly();
        storage.opened(this);
    }

    /** A file's bytes were damaged. */
    void replaced(String damaged, byte[] now) {
        if (path.equals(damaged)) {
            System.arraycopy(now, 0, bytes, 0, Math.min(now.length, bytes.length));
        }
    }

    @Override
    public MemorySegment memory() {
        if (closed.get()) {
            throw new IllegalStateException("the mapping is closed");
        }
        return memory;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            synchronized (storage) {
                storage.closed(this);
            }
        }
    }
}
