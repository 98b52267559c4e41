package io.kvstore.bplus.pending;

import io.kvstore.engine.MemoryBudget;
import io.kvstore.engine.MemoryHolder;
import io.kvstore.engine.TableContext;
import io.kvstore.error.OverloadedException;
import java.util.function.BooleanSupplier;

/**
 * The heap of the layers of a table, as a part of what the changes of all tables of the store may have.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>What layers have is counted by the writer that takes it, before it writes, and by who brings a layer into the tree. So
 *       all tables together have at most what they may have, and one growth for each writer.
 *   <li>Where half of it is taken, the tables that have most and rest are merged; where all is, writers wait for that.
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

    /** Whether more was taken since others were asked for theirs. */
    private volatile boolean hasGrown;

    /**
     * Holds nothing yet.
     *
     * @param merge has the background bring all layers into the tree; returns at once
     * @param isMerging whether that is under way
     */
    LayerRoom(TableContext context, ChangeLayers layers, Runnable merge, BooleanSupplier isMerging) {
        this.context = context;
        this.memory = context.memory();
        this.layers = layers;
        this.merge = merge;
        this.isMerging = isMerging;
        memory.addChanges(this);
    }

    /** Whether a writer should {@link #await}. */
    boolean isFull() {
        return memory.isFullOfChanges() && !context.readOnly();
    }

    /** Counts what a writer took, with the lock for putting. */
    void count() {
        if (layers.countHeap()) {
            lastTaken = memory.everTakenBytes();
            hasGrown = true;
        }
    }

    /** Has others give back what they have where there is little left; without any lock. */
    void admit() {
        if (hasGrown) {
            hasGrown = false;
            memory.askForChanges();
        }
    }

    /**
     * Waits until changes have less memory than they may have; without any lock.
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
        // a merge that failed brings nothing before somebody asks again
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

    /** Is not asked any more. */
    void close() {
        memory.remove(this);
    }
}
