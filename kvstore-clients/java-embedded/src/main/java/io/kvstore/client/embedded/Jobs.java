package io.kvstore.client.embedded;

import io.kvstore.Table;
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
    private final Deque<OperationResult> ended = new ArrayDeque<>();
    private final AtomicLong lastId = new AtomicLong();

    Jobs(Access access) {
        this.access = access;
    }

    /** Returns the operation, or throws its error if it failed. */
    static OperationResult ended(OperationResult operation) {
        if (operation.error() != null) {
            throw operation.error();
        }
        return operation;
    }

    OperationResult runCheckpoint() {
        return run(Kind.CHECKPOINT, null, () -> {
            access.store().checkpoint();
            return new Findings();
        });
    }

    OperationResult run(Kind kind, Table table) {
        return run(kind, table, () -> {
            switch (kind) {
                case FLUSH -> table.flush();
                case OPTIMIZE -> table.optimize(Progress.NONE);
                case VERIFY -> {
                    return table.verify();
                }
                case CHECKPOINT, OTHER ->
                    throw Failures.rejected(ErrorCode.INVALID_REQUEST, kind + " is not an operation of a table");
            }
            return new Findings();
        });
    }

    /** The work of an operation. It returns the damaged places that it found. */
    @FunctionalInterface
    private interface Work {
        Findings run();
    }

    private OperationResult run(Kind kind, @Nullable Table table, Work work) {
        long begun = System.nanoTime();
        Findings findings = new Findings();
        KVClientException error = null;
        try {
            findings = access.call(work::run);
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
                findings.total(),
                findings.kept().stream()
                        .limit(FINDINGS_SHOWN)
                        .map(Jobs::finding)
                        .toList(),
                error));
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
