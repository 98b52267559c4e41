package io.kvstore.client.embedded;

import io.kvstore.Table;
import io.kvstore.client.ClientBackup;
import io.kvstore.client.ClientRestore;
import io.kvstore.client.OperationResult;
import io.kvstore.client.OperationResult.Kind;
import io.kvstore.client.OperationResult.State;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Runs operations in the calling thread, and keeps the last 100. Safe for several threads: the monitor guards the list. */
final class Jobs {

    private static final int KEPT = 100;
    private static final int FINDINGS_SHOWN = 100;

    private final Access access;
    private final BackupDirectory backups;
    private final Deque<OperationResult> ended = new ArrayDeque<>();
    private final AtomicLong lastId = new AtomicLong();

    Jobs(Access access, BackupDirectory backups) {
        this.access = access;
        this.backups = backups;
    }

    BackupDirectory backups() {
        return backups;
    }

    /** Returns the operation, or throws its error if it failed. */
    static OperationResult ended(OperationResult operation) {
        if (operation.error() != null) {
            throw operation.error();
        }
        return operation;
    }

    OperationResult runCheckpoint() {
        return run(Kind.CHECKPOINT, null, null, () -> {
            access.store().checkpoint();
            return Outcome.NONE;
        });
    }

    OperationResult runBackup() {
        return run(Kind.BACKUP, null, null, () -> new Outcome(new Findings(), backups.make()));
    }

    OperationResult runVerifyBackups() {
        return run(Kind.VERIFY_BACKUPS, null, null, () -> new Outcome(backups.verify(), null));
    }

    OperationResult runRestore(ClientRestore restore) {
        return run(Kind.RESTORE, null, restore, () -> {
            backups.restore(restore);
            return Outcome.NONE;
        });
    }

    OperationResult run(Kind kind, Table table) {
        return run(kind, table, null, () -> {
            switch (kind) {
                case FLUSH -> table.flush();
                case OPTIMIZE -> table.optimize(Progress.NONE);
                case VERIFY -> {
                    return new Outcome(table.verify(), null);
                }
                case CHECKPOINT, BACKUP, VERIFY_BACKUPS, RESTORE, OTHER ->
                    throw Failures.rejected(ErrorCode.INVALID_REQUEST, kind + " is not an operation of a table");
            }
            return Outcome.NONE;
        });
    }

    /** The damaged places that an operation found, and the backup that it made. */
    private record Outcome(Findings findings, @Nullable ClientBackup backup) {
        static final Outcome NONE = new Outcome(new Findings(), null);
    }

    /** The work of an operation. */
    @FunctionalInterface
    private interface Work {
        Outcome run();
    }

    private OperationResult run(Kind kind, @Nullable Table table, @Nullable ClientRestore restore, Work work) {
        long begun = System.nanoTime();
        Outcome outcome = Outcome.NONE;
        KVClientException error = null;
        try {
            outcome = access.call(work::run);
        } catch (KVClientException e) {
            if (e.code() == ErrorCode.INVALID_REQUEST) {
                throw e;
            }
            error = e;
        }
        double seconds = (System.nanoTime() - begun) / (double) TimeUnit.SECONDS.toNanos(1);
        return remember(new OperationResult(
                lastId.incrementAndGet(),
                kind,
                table == null ? null : table.database(),
                table == null ? null : table.name(),
                error == null ? State.DONE : State.FAILED,
                seconds,
                -1,
                -1,
                outcome.findings().total(),
                outcome.findings().kept().stream()
                        .limit(FINDINGS_SHOWN)
                        .map(Jobs::finding)
                        .toList(),
                error,
                outcome.backup(),
                restore));
    }

    private static OperationResult.Finding finding(Findings.Finding found) {
        String place = found.offset() < 0 ? found.file() : found.file() + " at " + found.offset();
        return new OperationResult.Finding(place, found.message());
    }

    private synchronized OperationResult remember(OperationResult operation) {
        ended.addLast(operation);
        if (ended.size() > KEPT) {
            ended.removeFirst();
        }
        return operation;
    }

    synchronized List<OperationResult> all() {
        return List.copyOf(ended);
    }

    OperationResult get(long id) {
        return all().stream()
                .filter(operation -> operation.id() == id)
                .findFirst()
                .orElseThrow(() -> Failures.rejected(
                        ErrorCode.NOT_FOUND, "there is no operation " + id + ", or it was forgotten since it ended"));
    }
}
