package io.kvstore.testkit;

import io.kvstore.io.WritableMapping;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicInteger;

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
    private final Shared shared;
    private boolean closed;

    /** The memory of all mappings of a file, freed with the last of them. */
    private record Shared(Arena arena, MemorySegment memory, AtomicInteger users) {
        static Shared of(long bytes) {
            Arena arena = Arena.ofShared();
            return new Shared(arena, arena.allocate(bytes, PAGE_BYTES), new AtomicInteger());
        }

        void release() {
            if (users.decrementAndGet() == 0) {
                arena.close();
            }
        }
    }

    /** Called under the storage's monitor. */
    SimMapping(SimStorage storage, SimInode inode, long bytes) {
        this(storage, inode, Shared.of(bytes));
    }

    private SimMapping(SimStorage storage, SimInode inode, Shared shared) {
        this.storage = storage;
        this.inode = inode;
        this.shared = shared;
        shared.users().incrementAndGet();
        inode.map(shared.memory());
        inode.refer();
        storage.mappings().add(this);
        storage.opened();
        this.memoryOwner = CLEANER.register(this, shared::release);
    }

    SimInode inode() {
        return inode;
    }

    @Override
    public MemorySegment memory() {
        return shared.memory();
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
    public WritableMapping renew() throws IOException {
        synchronized (storage) {
            if (closed) {
                throw new IllegalStateException("the mapping is closed");
            }
            storage.begin();
            return new SimMapping(storage, inode, shared);
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
