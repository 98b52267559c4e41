package io.kvstore;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.kvstore.error.StackProbe;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The turns of updates. An update reads a value, runs a function and writes, unless another write came between; then it has
 * failed and tries again. A slow function would fail for ever beside fast ones. So an update that failed {@value #TRIES} times
 * makes a lock for its key, and takes it. Later updates of the key see the lock and queue for it before they read. The owner
 * then fails once at most for each update that had begun before, and for writes that are no updates.
 *
 * <p>Functions of callers run under these locks, which are fair, and never under the lock of a table. A function may wait for
 * another update. So nobody waits for an owner whose attempt takes longer than {@value #PATIENCE_SECONDS} seconds: an update
 * then tries without the lock, and queues again if that fails. A thread that has a lock waits for no second one.
 *
 * <p>A lock is there as long as an update of its key has it or waits for it. So there are at most as many as threads.
 */
final class UpdateTurns {

    static final int TRIES = 3;
    static final int PATIENCE_SECONDS = 5;

    private final long patienceNanos;
    private final ConcurrentMap<Key, Turn> turns = new ConcurrentHashMap<>();

    UpdateTurns(long patienceNanos) {
        this.patienceNanos = patienceNanos;
    }

    private record Key(int table, byte[] bytes) {

        @Override
        public boolean equals(Object other) {
            return other instanceof Key that && table == that.table && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return 31 * table + Arrays.hashCode(bytes);
        }
    }

    /** The lock of a key. */
    private static final class Turn extends ReentrantLock {

        private static final long serialVersionUID = 1;

        /** Updates that have the lock, or wait for it. Changed under the map's own lock of the key. */
        private int users;

        /** When the present owner began its attempt. */
        private volatile long begunNanos = System.nanoTime();

        Turn() {
            super(true);
        }
    }

    /**
     * Replaces the value of a key by the function of it, as {@link Table#update(byte[], UnaryOperator)} says.
     *
     * @param order a number of the table in its store
     */
    byte @Nullable [] update(Table table, int order, byte[] key, UnaryOperator<byte @Nullable []> function) {
        AtomicReference<byte @Nullable []> result = new AtomicReference<>();
        run(order, key, () -> {
            byte[] present = table.get(key);
            byte[] next = function.apply(present == null ? null : present.clone());
            result.set(next);
            return replaceIfSame(table, key, present, next);
        });
        return result.get();
    }

    private static boolean replaceIfSame(Table table, byte[] key, byte @Nullable [] present, byte @Nullable [] next) {
        if (present == null) {
            return next == null || table.putIfAbsent(key, next);
        }
        return next == null ? table.remove(key, present) : table.replace(key, present, next);
    }

    /**
     * Tries until it succeeds.
     *
     * @param table a number of the table in its store
     * @param attempt returns whether it succeeded; what it throws is thrown here
     */
    void run(int table, byte[] key, BooleanSupplier attempt) {
        StackProbe.run();
        Key ofKey = new Key(table, key.clone());
        for (int i = 0; i < TRIES && !turns.containsKey(ofKey); i++) {
            if (attempt.getAsBoolean()) {
                return;
            }
        }
        boolean isInner = turns.values().stream().anyMatch(Turn::isHeldByCurrentThread);
        Turn turn = turns.compute(ofKey, (same, present) -> {
            Turn used = present == null ? new Turn() : present;
            used.users++;
            return used;
        });
        try {
            runInTurn(turn, isInner, attempt);
        } finally {
            if (!isInner && turn.isHeldByCurrentThread()) {
                turn.unlock();
            }
            turns.compute(ofKey, (same, present) -> --turn.users == 0 ? null : turn);
        }
    }

    /** @param isInner whether this thread has a lock already, so that this is within the function of another update */
    private void runInTurn(Turn turn, boolean isInner, BooleanSupplier attempt) {
        boolean isDone = false;
        while (!isDone) {
            if (!isInner && !turn.isHeldByCurrentThread()) {
                await(turn);
            }
            if (!isInner && turn.isHeldByCurrentThread()) {
                turn.begunNanos = System.nanoTime();
            }
            isDone = attempt.getAsBoolean();
        }
    }

    /** Waits for the lock, as long as its owners make progress. An interrupt does not end that; the flag is set again. */
    private void await(Turn turn) {
        boolean interrupted = false;
        boolean isOver = false;
        while (!isOver) {
            try {
                long left = turn.begunNanos + patienceNanos - System.nanoTime();
                isOver = left <= 0 ? turn.tryLock(0, NANOSECONDS) || turn.isLocked() : turn.tryLock(left, NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
