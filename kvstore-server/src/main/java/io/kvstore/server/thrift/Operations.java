package io.kvstore.server.thrift;

import io.kvstore.Table;
import io.kvstore.engine.Findings;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Lifecycle;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.thrift.Finding;
import io.kvstore.thrift.Operation;
import io.kvstore.thrift.OperationKind;
import io.kvstore.thrift.OperationState;
import io.kvstore.thrift.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs on tables and on the store, each on a thread of its own. Remembers the jobs that ended last. Safe for use by
 * several threads.
 */
final class Operations {

    private static final int FINDINGS_SHOWN = 100;

    private final Edge edge;

    /** All known jobs, by id. The map is the lock that guards itself and the state of its jobs. */
    private final NavigableMap<Long, Job> byId = new TreeMap<>();

    private long lastId;

    Operations(Edge edge) {
        this.edge = edge;
    }

    /** One job. The map guards its state. */
    private final class Job implements Runnable {

        private final OperationKind kind;
        private final @Nullable Table table;
        private final Lifecycle.LongJob permit;
        private final long beganNanos = System.nanoTime();
        private final Operation told;
        private boolean cancelled;

        /** Whether the work was told to stop before its end. */
        private boolean stopped;

        Job(long id, OperationKind kind, @Nullable Table table, Lifecycle.LongJob permit) {
            this.kind = kind;
            this.table = table;
            this.permit = permit;
            this.told = new Operation(id, kind, OperationState.RUNNING, 0);
            if (table != null) {
                told.setTable(new TableName(table.database(), table.name()));
            }
        }

        @Override
        public void run() {
            try (permit) {
                Findings findings = work();
                finish(findings, null);
            } catch (Throwable e) {
                finish(null, e);
            }
        }

        private @Nullable Findings work() {
            if (table == null) {
                edge.store().checkpoint();
                return null;
            }
            switch (kind) {
                case FLUSH -> table.flush();
                case OPTIMIZE -> table.optimize(this::advanced);
                case VERIFY -> {
                    return table.verify();
                }
                case CHECKPOINT, BACKUP, VERIFY_BACKUPS, RESTORE ->
                    throw new IllegalStateException(kind + " is not a table's");
            }
            return null;
        }

        private boolean advanced(long done, long total) {
            synchronized (byId) {
                told.setDoneBytes(done).setTotalBytes(total);
                stopped |= done < total && (cancelled || edge.lifecycle().isStopping());
                return !stopped;
            }
        }

        private void finish(@Nullable Findings findings, @Nullable Throwable failure) {
            synchronized (byId) {
                told.setSeconds(seconds());
                told.setState(stopped ? OperationState.CANCELLED : OperationState.DONE);
                if (failure != null) {
                    told.setState(OperationState.FAILED).setError(Errors.of(failure));
                }
                if (findings != null) {
                    told.setFindingsTotal(findings.total());
                    told.setFindings(findings.kept().stream()
                            .limit(FINDINGS_SHOWN)
                            .map(Operations::finding)
                            .toList());
                }
                forgetOldest();
                byId.notifyAll();
            }
        }

        private double seconds() {
            return (System.nanoTime() - beganNanos) / 1e9;
        }

        private boolean isRunning() {
            return told.getState() == OperationState.RUNNING;
        }

        private Operation copy() {
            Operation copy = told.deepCopy();
            return isRunning() ? copy.setSeconds(seconds()) : copy;
        }
    }

    private static Finding finding(Findings.Finding found) {
        String place = found.offset() < 0 ? found.file() : found.file() + " at " + found.offset();
        return new Finding(place, found.message());
    }

    /** Starts a job. */
    Operation start(OperationKind kind, @Nullable Table table) {
        if ((kind == OperationKind.CHECKPOINT) != (table == null)) {
            throw ProblemException.invalid(
                    kind == OperationKind.CHECKPOINT
                            ? "CHECKPOINT is for the whole store: leave the table out"
                            : kind + " needs a table");
        }
        edge.lifecycle().checkNotStopping();
        Lifecycle.LongJob permit = edge.lifecycle().beginLongJob();
        Job job;
        synchronized (byId) {
            long running = byId.values().stream().filter(Job::isRunning).count();
            if (running >= Limits.OPERATIONS_RUNNING) {
                permit.close();
                throw new ProblemException(Problem.beyond(
                        ProblemCode.OVERLOADED,
                        running + " operations are running; at most " + Limits.OPERATIONS_RUNNING + " do at a time",
                        Limits.OPERATIONS_RUNNING,
                        running));
            }
            job = new Job(++lastId, kind, table, permit);
            byId.put(lastId, job);
        }
        Thread.ofPlatform()
                .daemon()
                .name("operation-" + job.told.getOperationId())
                .start(job);
        return told(job);
    }

    Operation get(long id) {
        return told(find(id));
    }

    Operation cancel(long id) {
        Job job = find(id);
        synchronized (byId) {
            job.cancelled |= job.isRunning() && job.kind == OperationKind.OPTIMIZE;
        }
        return told(job);
    }

    List<Operation> all() {
        synchronized (byId) {
            List<Operation> all = new ArrayList<>();
            byId.values().forEach(job -> all.add(job.copy()));
            return all;
        }
    }

    private Operation told(Job job) {
        synchronized (byId) {
            return job.copy();
        }
    }

    private Job find(long id) {
        synchronized (byId) {
            Job job = byId.get(id);
            if (job == null) {
                throw new ProblemException(Problem.of(
                        ProblemCode.NOT_FOUND, "there is no operation " + id + ", or it was forgotten since it ended"));
            }
            return job;
        }
    }

    private void forgetOldest() {
        List<Long> ended = byId.entrySet().stream()
                .filter(entry -> !entry.getValue().isRunning())
                .map(Map.Entry::getKey)
                .toList();
        ended.stream().limit(Math.max(0, ended.size() - Limits.OPERATIONS_KEPT)).forEach(byId::remove);
    }

    /**
     * Waits until no job runs.
     *
     * @return whether all jobs ended in time
     */
    boolean awaitEnd(long deadlineNanos) throws InterruptedException {
        synchronized (byId) {
            while (byId.values().stream().anyMatch(Job::isRunning)) {
                long leftMillis = (deadlineNanos - System.nanoTime()) / 1_000_000;
                if (leftMillis <= 0) {
                    return false;
                }
                byId.wait(leftMillis);
            }
            return true;
        }
    }
}
