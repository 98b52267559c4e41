package io.kvstore.testkit;

import io.kvstore.io.ReadMapping;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** A read-only mapping of {@link SimStorage}: the bytes of the moment, as the file does not change any more. */
final class SimReadMapping implements ReadMapping {

    private final SimStorage storage;
    private final MemorySegment memory;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Called under the storage's monitor. */
    SimReadMapping(SimStorage storage, byte[] bytes) {
        this.storage = storage;
        this.memory = MemorySegment.ofArray(bytes).asReadOnly();
        storage.opened();
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
                storage.closed();
            }
        }
    }
}
