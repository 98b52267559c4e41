package io.kvstore.hash.table;

import io.kvstore.data.Mutation;
import io.kvstore.engine.MemoryRefusal;
import io.kvstore.engine.Snapshots;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.OverloadedException;
import io.kvstore.memory.MemoryBudget;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bound of the {@link History}: all tables of a store together keep as many old places as the budget allows, and the
 * places of one operation of each writer. When they have reached that, an operation waits for views to be closed if it
 * replaces or removes a record that an open view shows. All others go on: those of new keys, and of records that were
 * written since.
 */
public final class HistoryRoom {

    private static final long ROUND_MILLIS = 20;
    private static final long NANOS_OF_MILLI = 1_000_000;

    private final TableState state;
    private final TableContext context;
    private final Snapshots snapshots;
    private final MemoryBudget memory;

    HistoryRoom(TableState state) {
        this.state = state;
        this.context = state.context();
        this.snapshots = context.snapshots();
        this.memory = context.memory();
    }

    /** Whether old places have reached their limit. */
    public boolean isFull() {
        return memory.isFullOfHistory();
    }

    /** What is to be done before an operation is reserved while old places have reached their limit; null if it may go on. */
    public TableEngine.@Nullable Load before(List<Mutation> mutations) {
        state.lock().lock();
        try {
            TableEngine.Load load = state.settling().settle();
            if (load != null) {
                return load;
            }
            long newest = snapshots.newestLsn();
            long oldest = Long.MAX_VALUE;
            for (Mutation mutation : newest == 0 ? List.<Mutation>of() : mutations) {
                long place = state.settling().find(state.hash().of(mutation.key()), mutation.key());
                if (place != Places.NONE) {
                    oldest = Math.min(oldest, state.settling().found().lsn());
                }
            }
            load = state.looks().takeMissingOfOperation();
            if (load != null) {
                return load;
            }
            long shown = oldest;
            return shown <= newest ? () -> await(shown) : null;
        } catch (OutOfMemoryError e) {
            state.looks().operationEnded();
            return new MemoryRefusal(
                    context.directory().concat(": there is no memory for a write; give the JVM more"), e);
        } finally {
            state.looks().dropMissing();
            state.lock().unlock();
        }
    }

    /**
     * Waits until there is room, or no open view shows a record. Without any lock.
     *
     * @param lsn of the record
     * @throws OverloadedException if that takes longer than the stall time-out
     */
    private void await(long lsn) {
        long end = context.clock().nanoTime() + context.stallTimeoutMillis() * NANOS_OF_MILLI;
        long[] looked = {};
        do {
            long[] open = snapshots.openLsns();
            if (looked.length == 0 || !Arrays.equals(open, looked)) { // else nothing more can be forgotten
                looked = open;
                state.forgetOld();
            }
            if (context.background().waiter().await(() -> !isFull() || snapshots.newestLsn() < lsn, ROUND_MILLIS)) {
                return;
            }
        } while (context.clock().nanoTime() < end);
        throw new OverloadedException(context.directory() + ": the places of values that were replaced or removed and"
                + " that open snapshots and cursors show take " + memory.mostHistoryBytes()
                + " bytes of the heap in all tables, and may not take more; " + snapshots.count()
                + " snapshots and cursors are open, the oldest for " + snapshots.oldestAgeMillis()
                + " ms; close them, or raise memoryBytes and the largest heap");
    }
}
