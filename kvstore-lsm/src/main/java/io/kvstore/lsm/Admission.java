package io.kvstore.lsm;

import io.kvstore.data.Mutation;
import io.kvstore.engine.MemoryRefusal;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StorageException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.NotOpenedException;
import io.kvstore.io.RefusedException;
import io.kvstore.lsm.compaction.Damage;
import io.kvstore.lsm.compaction.TableParts;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.version.SpaceDebt;
import io.kvstore.lsm.version.Version;
import io.kvstore.lsm.version.VersionHistory;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.value.ValueLog;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/** Lets writers pass while flushes and compactions keep up. Makes them wait, for a limited time, while they do not. */
final class Admission {

    private static final long ROUND_MILLIS = 50;

    /** After this number of rounds a waiting writer does a flush itself, in case no background thread does. */
    private static final int HELP_AFTER_ROUNDS = 4;

    private final TableContext context;
    private final Supplier<LsmOptions> options;
    private final VersionHistory versions;
    private final ValueLog log;
    private final Maintenance maintenance;
    private final Damage damage;
    private final SpaceDebt debt;
    private final BooleanSupplier isAdmitted;
    private final AtomicLong stalls = new AtomicLong();

    /** @param isAdmitted whether a writer that asked was allowed the active memtable */
    Admission(TableParts parts, Maintenance maintenance, BooleanSupplier isAdmitted) {
        this.context = parts.context();
        this.options = parts.options();
        this.versions = parts.versions();
        this.log = parts.apart().log();
        this.maintenance = maintenance;
        this.isAdmitted = isAdmitted;
        this.damage = parts.damage();
        this.debt = parts.debt();
    }

    void admit() {
        if (!hasRoom()) {
            await(this::hasRoom, round -> {});
        }
        log.admit();
        if (log.refusal() != null) {
            throw refusal();
        }
    }

    private boolean hasRoom() {
        Version version = versions.current();
        boolean hasFewFiles = version.levels().fileCount(0) < options.get().maxLevel0Files();
        return (hasFewFiles || maintenance.isSettled(version.levels())) && mayWrite(version);
    }

    /** Whether the active memtable takes an operation, or, if it is full, another memtable may be begun. */
    boolean mayWrite(Version version) {
        return version.isActiveFull()
                ? mayBeginMemTable(version)
                : isAdmitted.getAsBoolean() || mayFillMemTable(version);
    }

    /**
     * Whether another memtable may be begun. When all is flushed and no compaction is due, nobody waits for space debt,
     * because waiting would be in vain. No memtable takes the last room on the disk, because without it there would be no
     * more compactions.
     */
    private boolean mayBeginMemTable(Version version) {
        boolean isTooMuch = isSettled(version) ? debt.isDiskShort(version.levels()) : debt.isTooMuch(version);
        return version.immutableCount() < LsmOptions.MAX_IMMUTABLES && !isTooMuch;
    }

    private boolean isSettled(Version version) {
        return version.immutableCount() == 0 && maintenance.isSettled(version.levels());
    }

    /**
     * Whether a memtable may be filled that was not begun by a writer, for example by a checkpoint. On a full disk it may
     * be filled, because otherwise no removal would be accepted there; its flush reports the full disk.
     */
    private boolean mayFillMemTable(Version version) {
        return isSettled(version) || debt.isDiskShort(version.levels()) || !debt.isTooMuch(version);
    }

    /**
     * Asks all tables of the store to give memory back, and waits until there is enough for an operation. When that takes long,
     * the active memtable is made a full one and flushed: a table with nothing in memory may take a little beyond the budget.
     */
    void awaitMemory(List<Mutation> mutations, Runnable switchActive) {
        MemoryBudget memory = context.memory();
        BooleanSupplier hasMemory = () -> {
            Version version = versions.current();
            long wanted = version.active().leastBytes(mutations);
            return memory.hasRoom(MemoryBudget.Use.MEMTABLE, wanted)
                    || (version.isFlushed() && memory.hasRoomBeyond(wanted));
        };
        await(hasMemory, round -> {
            memory.askFor(MemoryBudget.Use.MEMTABLE, versions.current().active().leastBytes(mutations));
            if (round > 0 && versions.current().immutableCount() == 0) {
                switchActive.run();
            }
        });
    }

    private void await(BooleanSupplier ready, IntConsumer beforeRound) {
        stalls.incrementAndGet();
        long failures = maintenance.failures();
        boolean wasReady;
        try {
            maintenance.awaited();
            wasReady = awaitRounds(ready, beforeRound, failures);
        } finally {
            maintenance.noLongerAwaited();
        }
        if (!wasReady) {
            throw refusal();
        }
    }

    /**
     * Whether there was room at some moment. By now it may be gone, such as when a second flush ends and makes one file too
     * many: a writer that is admitted looks again with the lock of the table, and comes back.
     */
    private boolean awaitRounds(BooleanSupplier ready, IntConsumer beforeRound, long failures) {
        int rounds = (int) Math.max(1, context.stallTimeoutMillis() / ROUND_MILLIS);
        for (int round = 0; round < rounds; round++) {
            if (ready.getAsBoolean()) {
                return true;
            }
            beforeRound.accept(round);
            if (round >= HELP_AFTER_ROUNDS) {
                maintenance.help();
            }
            context.epochs().reclaim();
            debt.lookAtDisk(versions.current());
            boolean isOver = context.background()
                    .waiter()
                    .await(() -> ready.getAsBoolean() || maintenance.failures() != failures, ROUND_MILLIS);
            if (maintenance.failures() != failures) {
                return ready.getAsBoolean();
            }
            if (isOver) {
                return true;
            }
        }
        return ready.getAsBoolean();
    }

    /** The remedy of a full disk. Removals do not help in memory: tombstones need room, too, before they make some. */
    private String roomier() {
        return context.storage().isVolatile()
                ? "truncate or drop a table, or open the store in memory with more memoryStorageBytes"
                : "free some space";
    }

    private RuntimeException refusal() {
        RefusedException refused = log.refusal();
        Throwable failure = refused != null ? refused : maintenance.failure();
        if (failure instanceof NotOpenedException) {
            return new StorageException(
                    context.directory() + ": memory is full of writes that wait for a file: " + failure.getMessage(),
                    failure);
        }
        if (failure instanceof NoSpaceException) {
            return new DiskFullException(
                    context.directory() + ": memory is full of writes that do not fit on the disk; " + roomier(),
                    failure);
        }
        Version version = versions.current();
        if (debt.isDiskShort(version.levels())) {
            return new DiskFullException(
                    context.directory() + ": the last room on the disk is kept for compactions; " + roomier(), failure);
        }
        String damaged = damage.description();
        String debts =
                debt.isTooMuch(version) ? "; files have " + debt.deadBytes(version) + " bytes that are dead" : "";
        return new OverloadedException(
                context.directory()
                        + ": flushes and compactions did not make room within " + context.stallTimeoutMillis()
                        + " ms; write more slowly or raise stallTimeoutMillis" + debts
                        + (damaged == null ? "" : "; damage is in the way: " + damaged),
                failure);
    }

    /** The refusal for the case that the machine has no memory, whatever the budget says. */
    TableEngine.Load refusal(OutOfMemoryError cause) {
        String reason = ": the machine has no memory outside the heap for a write; lower memoryBytes";
        return new MemoryRefusal(context.directory().concat(reason), cause);
    }

    long stalls() {
        return stalls.get();
    }
}
