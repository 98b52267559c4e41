package io.kvstore.lsm;

import io.kvstore.engine.MemoryBudget;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.OverloadedException;
import io.kvstore.value.GrowingValues;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Lets writers go on while flushes and compactions keep up, and makes them wait, for a limited time, while they do not. */
final class Admission {

    private static final long ROUND_MILLIS = 50;

    private final TableContext context;
    private final LsmOptions options;
    private final Versions versions;
    private final GrowingValues growing;
    private final Jobs jobs;
    private final AtomicLong stalls = new AtomicLong();

    Admission(TableParts parts, Jobs jobs) {
        this.context = parts.context();
        this.options = parts.options();
        this.versions = parts.versions();
        this.growing = parts.apart().growing();
        this.jobs = jobs;
    }

    /** Waits until there is room for a write. */
    void admit() {
        if (!hasRoom()) {
            await(this::hasRoom);
        }
        growing.admit();
        if (growing.isFull()) {
            throw refusal();
        }
    }

    private boolean hasRoom() {
        Version version = versions.current();
        return version.levels().fileCount(0) < options.maxLevel0Files()
                && (version.immutableCount() < LsmOptions.MAX_IMMUTABLES
                        || !version.active().isFull(options.memTableBytes()));
    }

    /**
     * Waits until the store has memory for {@code bytes} and what is taken with them, or none of this table's is on its way to
     * the disk: then the caller looks again, for another writer may have put something since, which is to be flushed too.
     */
    void awaitMemory(long bytes) {
        long wanted = bytes + 2L * options.chunkBytes();
        await(() -> versions.current().immutableCount() == 0
                || context.memory().hasRoom(MemoryBudget.Use.MEMTABLE, wanted));
    }

    private void await(BooleanSupplier ready) {
        stalls.incrementAndGet();
        long failures = jobs.failures();
        jobs.kick();
        long rounds = Math.max(1, context.stallTimeoutMillis() / ROUND_MILLIS);
        for (long round = 0; round < rounds && !ready.getAsBoolean(); round++) {
            context.epochs().reclaim();
            context.background()
                    .waiter()
                    .await(() -> ready.getAsBoolean() || jobs.failures() != failures, ROUND_MILLIS);
            if (jobs.failures() != failures && !ready.getAsBoolean()) {
                break;
            }
        }
        if (!ready.getAsBoolean()) {
            throw refusal();
        }
    }

    private RuntimeException refusal() {
        Throwable failure = jobs.failure();
        if (jobs.isDiskFull() || growing.isFull()) {
            return new DiskFullException(
                    context.directory() + ": memory is full of writes that do not fit on the disk; free some space",
                    failure);
        }
        return new OverloadedException(
                context.directory()
                        + ": flushes and compactions did not make room within " + context.stallTimeoutMillis()
                        + " ms; write more slowly or raise stallTimeoutMillis",
                failure);
    }

    /** What to do when the machine has no memory, whatever the budget says. */
    TableEngine.Load refusal(OutOfMemoryError cause) {
        return () -> {
            throw new OverloadedException(
                    context.directory() + ": the machine has no memory outside the heap for a write; lower memoryBytes",
                    cause);
        };
    }

    /** How often a writer had to wait. */
    long stalls() {
        return stalls.get();
    }
}
