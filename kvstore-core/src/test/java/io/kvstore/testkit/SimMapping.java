package io.kvstore.testkit;

import io.kvstore.io.WritableMapping;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;

/**
 * A mapping of {@link SimStorage}: memory of its own, compared with the file whenever it matters. Memory of a mapping that
 * was abandoned is freed with the object.
 */
final class SimMapping implements WritableMapping, LosesUnsynced {

    private static final Cleaner CLEANER = Cleaner.create();
    private static final long PAGE_BYTES = 4096;

    private final SimStorage storage;
    private final SimInode inode;
    private final Cleaner.Cleanable memoryOwner;
    private final MemorySegment memory;
    private boolean closed;

    /** Called under the storage's monitor. */
    SimMapping(SimStorage storage, SimInode inode, long bytes) {
        this.storage = storage;
        this.inode = inode;
        Arena arena = Arena.ofShared();
        this.memory = arena.allocate(bytes, PAGE_BYTES);
        inode.map(memory);
        inode.refer();
        storage.mappings().add(this);
        storage.opened();
        this.memoryOwner = CLEANER.register(this, arena::close);
    }

    SimInode inode() {
        return inode;
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public void force(long offset, long bytes) throws IOException {
        synchronized (storage) {
            if (closed) {
                throw new IllegalStateException("the mapping is closed");
            }
            storage.begin();
            inode.sync(offset, offset + bytes);
        }
    }

    @Override
    public void loseUnsynced(SyncLoss loss) {
        synchronized (storage) {
            inode.lose(loss);
        }
    }

    @Override
    public void close() {
        synchronized (storage) {
            discard();
        }
    }

    /** Ends the mapping, also of a machine that is off. Called under the storage's monitor. */
    void discard() {
        if (!closed) {
            closed = true;
            inode.unmap();
            inode.unrefer();
            storage.mappings().remove(this);
            storage.closed();
            memoryOwner.clean();
        }
    }
}
