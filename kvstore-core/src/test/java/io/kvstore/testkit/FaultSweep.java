package io.kvstore.testkit;

import io.kvstore.error.KVStoreException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One small workload in which one storage operation fails, or that one and all after it. The store may go on or be failed;
 * in both cases its errors are typed, their outcome is true, it can be closed, and what is on the disk has everything that
 * was acknowledged.
 */
final class FaultSweep {

    private static final int OPERATIONS = 36;

    private final StoreScenario scenario;
    private final Tally tally;
    private final StoreLedger ledger = new StoreLedger();
    private final SimStorage disk = new SimStorage();
    private final RecordingStorage recording =
            new RecordingStorage(disk, EnumSet.complementOf(EnumSet.of(Operation.READ, Operation.LIST)));
    private final FaultyStorage faulty = new FaultyStorage(recording);
    private final SplittableRandom random;
    private final long seed;
    private boolean failedOnce;
    private @Nullable StoreWorkload workload;

    /** How the process ends whose disk is looked at. */
    enum Ending {
        KILL,
        POWER_LOSS,
        /** Some writes that were not synced are there. */
        PARTIAL_POWER_LOSS
    }

    /** What fails, and how, and after which ends the disk is looked at. */
    record Plan(long seed, FaultPlan fault, SyncLoss loss, Set<Ending> endings) {}

    private FaultSweep(StoreScenario scenario, long seed, long index, Tally tally) {
        this.scenario = scenario;
        this.seed = seed;
        this.tally = tally;
        this.random = new SplittableRandom(index);
        faulty.onFailure(access ->
                recording.note("failed " + access.operation().name().toLowerCase(Locale.ROOT) + " " + access.path()));
    }

    /** How many operations of the kinds the workload has when nothing fails. */
    static long operations(StoreScenario scenario, long seed, Set<Operation> kinds) {
        FaultSweep sweep = new FaultSweep(scenario, seed, 0, new Tally());
        sweep.faulty.arm(new FaultPlan(kinds, Long.MAX_VALUE, false, FaultPlan.Fault.EIO));
        sweep.work();
        return sweep.faulty.counted();
    }

    /** Runs it with a fault. */
    static void run(StoreScenario scenario, Plan plan, Tally tally) {
        FaultSweep sweep = new FaultSweep(scenario, plan.seed(), plan.fault().at(), tally);
        sweep.faulty.setSyncLoss(plan.loss());
        sweep.faulty.arm(plan.fault());
        try {
            sweep.work();
            sweep.checkTrace();
            sweep.checkDisk(plan.endings());
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    scenario.name() + " " + plan + ": " + e.getMessage() + "; failed: " + sweep.failedLines(), e);
        }
        sweep.faulty.failures().keySet().forEach(kind -> tally.count("failed." + kind));
        tally.count("plan." + plan.fault().fault() + (plan.fault().sticky() ? " sticky" : " once"));
    }

    private String failedLines() {
        return recording.trace().stream()
                .filter(line -> line.startsWith("failed "))
                .limit(3)
                .toList()
                .toString();
    }

    private void work() {
        StoreSession session = open();
        if (session == null) {
            return;
        }
        StoreWorkload running = new StoreWorkload(scenario, session, ledger, seed, tally);
        workload = running;
        running.prepare();
        for (int i = 0; i < OPERATIONS && !failed(); i++) {
            running.step();
            if (i == OPERATIONS / 2 && !failed()) {
                if (!reopen(running)) {
                    return;
                }
            }
        }
        if (failed()) {
            tally.count("store.failed");
            checkPoisoned(running);
        } else {
            tally.count("store.goes on");
        }
        close();
    }

    /** Closes and opens; a store that could not be closed in order comes back as after a kill. */
    private boolean reopen(StoreWorkload running) {
        boolean closed = close();
        StoreSession session = open();
        if (session == null) {
            return false;
        }
        workload = running;
        running.continueWith(session);
        if (!closed) {
            try {
                ledger.settle(LedgerCheck.check(ledger, session.content(), ledger.loggedLeast(lostSync())));
            } catch (KVStoreException e) {
                tally.count("store.not readable after a failed close");
                close();
                return false;
            }
        }
        return true;
    }

    private boolean lostSync() {
        return recording.trace().stream()
                .anyMatch(line -> line.startsWith("failed sync ") || line.startsWith("failed force "));
    }

    private boolean failed() {
        StoreWorkload running = workload;
        return running == null || running.session().store().failure() != null;
    }

    private @Nullable StoreSession open() {
        try {
            return StoreSession.open(scenario, faulty);
        } catch (KVStoreException e) {
            tally.count("store.not opened, " + e.getClass().getSimpleName());
            workload = null;
            failedOnce = true;
            requireNothingOpen("after a failed opening");
            return null;
        }
    }

    /** Nothing is written any more; every write is rejected, and reads of what is durable are true. */
    private void checkPoisoned(StoreWorkload running) {
        long before = running.errors().size();
        running.stepLogged();
        if (running.errors().size() == before) {
            throw new AssertionError("a failed store takes a write");
        }
        new PoisonedReads(running.session().store(), scenario, ledger, tally).check();
    }

    /** Ends the store: in half of the runs in order and with the fault gone. */
    private boolean close() {
        StoreWorkload running = workload;
        if (running == null) {
            return false;
        }
        if (random.nextBoolean()) {
            faulty.disarm();
            checkLogFiles(running);
        }
        boolean closed = running.close();
        failedOnce |= failed();
        requireNothingOpen("after close");
        for (Throwable failure : running.session().background().failures()) {
            if (!(failure instanceof KVStoreException)) {
                throw new AssertionError("a background task failed with " + failure, failure);
            }
        }
        return closed;
    }

    /** Whatever failed before, after one checkpoint the log knows of each of its files, and no segment is left over. */
    private void checkLogFiles(StoreWorkload running) {
        int before = running.errors().size();
        running.checkpoint();
        if (failed() || running.errors().size() > before) {
            return;
        }
        try {
            int known = running.session().store().stats().log().files();
            List<String> there = disk.list("wal");
            if (there.size() != known) {
                throw new AssertionError("the log knows of " + known + " files, and there are " + there);
            }
            tally.count("store.log files checked");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void requireNothingOpen(String when) {
        if (disk.openResources() != 0) {
            throw new AssertionError(disk.openResources() + " files, mappings or locks are open " + when);
        }
    }

    /**
     * A file whose sync failed is never synced again, unless it was thrown away and made anew. A page file or an index file
     * lives as long as its table; once it is opened anew it rests on nothing that was written before and not synced.
     */
    private void checkTrace() {
        Set<String> lost = new TreeSet<>();
        for (String line : recording.trace()) {
            String[] words = line.split(" ", -1);
            if (line.startsWith("failed sync ") || line.startsWith("failed force ")) {
                lost.add(words[2]);
            } else if (line.startsWith("open ") && (line.endsWith("/PAGES") || line.endsWith(".idx"))) {
                lost.remove(words[1]);
            } else if (line.startsWith("create ") || line.startsWith("delete ")) {
                lost.remove(words[1]);
            } else if ((line.startsWith("sync ") || line.startsWith("force ")) && lost.contains(words[1])) {
                throw new AssertionError("a failed sync is tried again: " + line);
            }
        }
        lost.removeIf(path -> path.endsWith(".tmp"));
        if (!lost.isEmpty() && !failedOnce) {
            throw new AssertionError("the store goes on although a sync failed of " + lost);
        }
    }

    private void checkDisk(Set<Ending> endings) {
        faulty.disarm();
        ImageCheck check = new ImageCheck(scenario, ledger, random, tally);
        for (Ending ending : endings) {
            check.check(
                    switch (ending) {
                        case KILL -> new CrashImage(disk.kill(), "kill", lostSync(), false);
                        case POWER_LOSS -> CrashImage.powerLoss(disk, new CrashChoice.DropAll());
                        case PARTIAL_POWER_LOSS ->
                            CrashImage.powerLoss(disk, new CrashChoice.Random(random.nextLong(), false));
                    },
                    false);
        }
    }
}
