package io.kvstore.bplus.pending;

import io.kvstore.engine.TableContext;
import io.kvstore.error.OverloadedException;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.memory.MemoryHolder;
import java.util.function.BooleanSupplier;

/**
 * The heap that the layers of a table take. It is a part of the memory for the changes of all tables of the store.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The heap of layers is counted by the writer that takes it, before the write, and by the thread that merges a layer. So
 *       all tables together take at most the memory for changes, and one growth for each writer.
 *   <li>When half of that memory is taken, the tables are merged that have most of it and rest. When all of it is taken,
 *       writers wait for these merges.
 * </ol>
 */
final class LayerRoom implements MemoryHolder {

    private static final long ROUND_MILLIS = 20;

    private final TableContext context;
    private final MemoryBudget memory;
    private final ChangeLayers layers;
    private final Runnable merge;
    private final BooleanSupplier isMerging;
    private volatile long lastTaken;

    /** Whether this table took memory since it last asked others to give memory back. */
    private volatile boolean hasGrown;

    /**
     * @param merge has the background merge all layers into the tree; returns at once
     * @param isMerging whether such a merge is scheduled or under way
     */
    LayerRoom(TableContext context, ChangeLayers layers, Runnable merge, BooleanSupplier isMerging) {
        this.context = context;
        this.memory = context.memory();
        this.layers = layers;
        this.merge = merge;
        this.isMerging = isMerging;
        memory.addChanges(this);
    }

    boolean isFull() {
        return memory.isFullOfChanges() && !context.readOnly();
    }

    /** Counts the heap that a writer took. With the lock for putting. */
    void count() {
        if (layers.countHeap()) {
            lastTaken = memory.everTakenBytes();
            hasGrown = true;
        }
    }

    /** Asks tables to give back memory if little is left. Without any lock. */
    void admit() {
        if (hasGrown) {
            hasGrown = false;
            memory.askForChanges();
        }
    }

    /**
     * Waits until the changes of all tables take less than their limit. Without any lock.
     *
     * @throws OverloadedException if that takes longer than the stall time-out
     */
    void await() {
        long end = context.clock().nanoTime() + context.stallTimeoutMillis() * 1_000_000;
        do {
            memory.askForChanges();
            if (context.background().waiter().await(() -> !memory.isFullOfChanges(), ROUND_MILLIS)) {
                return;
            }
        } while (context.clock().nanoTime() < end);
        throw new OverloadedException(context.directory() + ": the changes of all tables take "
                + memory.mostChangesBytes()
                + " bytes of the heap and more, and are brought into their trees more slowly than"
                + " they come; write more slowly, or raise memoryBytes or stallTimeoutMillis");
    }

    @Override
    public long reclaimableBytes() {
        return context.readOnly() ? 0 : layers.growingBytes() + (isMerging.getAsBoolean() ? 0 : layers.endedBytes());
    }

    @Override
    public long comingBytes() {
        // after a failed merge nothing is on its way before a thread asks again
        return context.readOnly() || !isMerging.getAsBoolean() ? 0 : layers.endedBytes();
    }

    @Override
    public long lastTaken() {
        return lastTaken;
    }

    @Override
    public void giveBack(long bytes) {
        merge.run();
    }

    /** Ends the registration: the budget does not ask this table any more. */
    void close() {
        memory.remove(this);
    }
}
