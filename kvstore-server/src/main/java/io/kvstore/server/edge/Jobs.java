package io.kvstore.server.edge;

import static java.util.Objects.requireNonNull;

import io.kvstore.BackupInfo;
import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.engine.Findings;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs on tables and on the store, each on a thread of its own, for all edges. Remembers the jobs that ended last. When
 * the server stops, those that can be cancelled end, and the others run to their end. Safe for use by several threads.
 */
public final class Jobs {

    static final int MOST_RUNNING = 8;
    static final int MOST_KEPT = 100;

    private static final Logger LOGGER = System.getLogger(Jobs.class.getName());

    private final KVStore store;
    private final Tables tables;
    private final Lifecycle lifecycle;
    private final BackupDirectory backups;
    private final ThreadFactory threads;

    /** All known jobs, by id. The map is the lock that guards itself and the state of its jobs. */
    private final NavigableMap<Long, Job> byId = new TreeMap<>();

    private long lastId;

    Jobs(KVStore store, Tables tables, Lifecycle lifecycle, BackupDirectory backups) {
        this(
                store,
                tables,
                lifecycle,
                backups,
                Thread.ofPlatform().daemon().name("operation-", 1).factory());
    }

    /** @param threads of the jobs */
    Jobs(KVStore store, Tables tables, Lifecycle lifecycle, BackupDirectory backups, ThreadFactory threads) {
        this.threads = threads;
        this.store = store;
        this.tables = tables;
        this.lifecycle = lifecycle;
        this.backups = backups;
    }

    /** One job. The map guards its state. */
    private final class Job implements Runnable {

        private final long id;
        private final JobRequest request;
        private final Lifecycle.LongJob permit;
        private final long beganNanos = System.nanoTime();
        private JobReport.State state = JobReport.State.RUNNING;
        private double seconds;
        private JobReport.@Nullable Done progress;
        private @Nullable Findings findings;
        private @Nullable BackupInfo made;
        private JobReport.@Nullable Failure failure;
        private boolean cancelled;

        /** Whether the work was told to stop before its end. */
        private boolean stopped;

        Job(long id, JobRequest request, Lifecycle.LongJob permit) {
            this.id = id;
            this.request = request;
            this.permit = permit;
        }

        @Override
        public void run() {
            Throwable cause = null;
            try (permit) { // a client that is told of the end may begin another job
                work();
            } catch (Throwable e) {
                cause = e;
            }
            JobReport.Failure why = null;
            try {
                why = cause == null ? null : failureOf(cause);
            } finally { // an exhausted heap may leave no failure to tell of, but the job has ended
                end(cause != null, why);
            }
        }

        private void work() {
            switch (request.kind()) {
                case CHECKPOINT -> store.checkpoint();
                case FLUSH -> table().flush();
                case OPTIMIZE -> table().optimize(this::advanced);
                case VERIFY -> keep(table().verify());
                case VERIFY_BACKUPS -> keep(backups.verify(this::advanced));
                case BACKUP -> {
                    BackupInfo backup = backups.make(this::advanced);
                    synchronized (byId) {
                        made = backup;
                    }
                }
                case RESTORE -> {
                    boolean _ = backups.restore(requireNonNull(request.restore()), this::advanced);
                }
            }
        }

        private Table table() {
            return tables.named(requireNonNull(request.database()), requireNonNull(request.table()));
        }

        private void keep(Findings found) {
            synchronized (byId) {
                findings = found;
            }
        }

        private boolean advanced(long done, long total) {
            synchronized (byId) {
                progress = new JobReport.Done(done, total);
                stopped |= done < total && (cancelled || lifecycle.isStopping());
                return !stopped;
            }
        }

        private void end(boolean hasFailed, JobReport.@Nullable Failure why) {
            synchronized (byId) {
                seconds = secondsUntilNow();
                failure = why;
                state = hasFailed ? JobReport.State.FAILED : stopped ? JobReport.State.CANCELLED : JobReport.State.DONE;
                byId.notifyAll();
                forgetOldest();
            }
        }

        private double secondsUntilNow() {
            return (System.nanoTime() - beganNanos) / 1e9;
        }

        private boolean isRunning() {
            return state == JobReport.State.RUNNING;
        }

        private JobReport report() {
            return new JobReport(
                    id, request, state, isRunning() ? secondsUntilNow() : seconds, progress, findings, made, failure);
        }
    }

    private static JobReport.Failure failureOf(Throwable cause) {
        Problem problem = ErrorTable.of(cause);
        String id = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        if (problem.code().status() >= 500 && !problem.code().isTransient()) {
            LOGGER.log(Level.WARNING, "operation " + id + " failed", cause);
        }
        return new JobReport.Failure(problem, id);
    }

    /**
     * Starts a job.
     *
     * @throws ProblemException if the table is missing, the server has no directory for backups, or too many jobs are running
     */
    public JobReport start(JobRequest request) {
        lifecycle.checkNotStopping();
        if (request.kind().isOfTable()) {
            tables.named(requireNonNull(request.database()), requireNonNull(request.table()));
        }
        if (request.kind().isOfBackups()) {
            backups.requireThere();
        }
        Lifecycle.LongJob permit = lifecycle.beginLongJob();
        Job job;
        try {
            job = add(request, permit);
        } catch (Throwable e) {
            permit.close();
            throw e;
        }
        begin(job);
        return report(job);
    }

    /** A job that gets no thread is forgotten. */
    private void begin(Job job) {
        try {
            threads.newThread(job).start();
        } catch (Throwable e) {
            synchronized (byId) {
                byId.remove(job.id);
                byId.notifyAll();
            }
            job.permit.close();
            throw e;
        }
    }

    private Job add(JobRequest request, Lifecycle.LongJob permit) {
        synchronized (byId) {
            List<Job> running = byId.values().stream().filter(Job::isRunning).toList();
            if (running.size() >= MOST_RUNNING) {
                throw new ProblemException(Problem.beyond(
                        ProblemCode.OVERLOADED,
                        running.size() + " operations are running; at most " + MOST_RUNNING + " do at a time",
                        MOST_RUNNING,
                        running.size()));
            }
            for (Job other : running) {
                if (request.kind().isOfBackups() && other.request.kind().isOfBackups()) {
                    throw new ProblemException(Problem.of(
                            ProblemCode.OVERLOADED,
                            "operation " + other.id + ", a " + other.request.kind()
                                    + ", uses the directory for backups; wait for it, or cancel it"));
                }
            }
            Job job = new Job(++lastId, request, permit);
            byId.put(job.id, job);
            return job;
        }
    }

    /** A job, which is running or ended lately. */
    public JobReport get(long id) {
        return report(find(id));
    }

    /**
     * Asks a job to stop at its next safe point. Does nothing if it has ended.
     *
     * @throws ProblemException if it is running and can only run to its end
     */
    public JobReport cancel(long id) {
        Job job = find(id);
        synchronized (byId) {
            if (job.isRunning() && !job.request.kind().isCancellable()) {
                throw ProblemException.invalid("operation " + id + " is a " + job.request.kind()
                        + ", which cannot be cancelled and runs to its end");
            }
            job.cancelled |= job.isRunning();
            return job.report();
        }
    }

    /** The jobs that run and those that ended lately, oldest first. */
    public List<JobReport> all() {
        synchronized (byId) {
            List<JobReport> all = new ArrayList<>();
            byId.values().forEach(job -> all.add(job.report()));
            return all;
        }
    }

    private JobReport report(Job job) {
        synchronized (byId) {
            return job.report();
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
        ended.stream().limit(Math.max(0, ended.size() - MOST_KEPT)).forEach(byId::remove);
    }

    /**
     * Waits until no job runs.
     *
     * @return whether all jobs ended in time
     */
    public boolean awaitEnd(long deadlineNanos) throws InterruptedException {
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
