package io.kvstore.hash.table;

import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.OverloadedException;
import io.kvstore.hash.index.Room;
import io.kvstore.memory.MemoryBudget;

/**
 * The way of a writer for whose new keys the index has no room. Others are asked to give memory back, and the writer waits
 * while some of it may come. Memory that comes when the call has ended, such as that of pages of resting tables, is for the
 * next call.
 */
final class IndexRoom {

    private static final MemoryBudget.Use USE = MemoryBudget.Use.HASH_INDEX;
    private static final long ROUND_MILLIS = 20;
    private static final long NANOS_OF_MILLI = 1_000_000;

    private final TableState state;
    private final TableContext context;
    private final MemoryBudget memory;

    IndexRoom(TableState state) {
        this.state = state;
        this.context = state.context();
        this.memory = context.memory();
    }

    /** What a writer that was refused is to do before it tries again. Called with the lock. */
    TableEngine.Load refusal(Room room) {
        String index =
                context.directory() + ": the index has " + state.directory().entries() + " keys";
        if (room == Room.TOO_MANY_OF_ONE_HASH) {
            return () -> refuse(index + " and no room for more whose hashes begin alike");
        }
        long missing = state.directory().missingBytes();
        String reason = index + " and no memory for more: about 19 bytes a key; raise memoryBytes, or use LSM";
        return missing == 0
                ? () -> refuse(reason + "; the machine has no memory outside the heap")
                : () -> await(missing, reason);
    }

    private static void refuse(String reason) {
        throw new OverloadedException(reason);
    }

    /**
     * Waits until there is memory. Without any lock.
     *
     * @throws OverloadedException if that takes longer than the stall time-out, or nobody has any to give back
     */
    private void await(long missing, String reason) {
        memory.noteRefused(USE, missing);
        long end = context.clock().nanoTime() + context.stallTimeoutMillis() * NANOS_OF_MILLI;
        do {
            memory.askFor(USE, missing);
            context.epochs().reclaim();
            if (context.background().waiter().await(() -> memory.hasRoom(USE, missing), ROUND_MILLIS)) {
                return;
            }
        } while (memory.mayComeBack() && context.clock().nanoTime() < end);
        refuse(reason);
    }
}
