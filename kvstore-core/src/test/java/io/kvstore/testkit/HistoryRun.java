package io.kvstore.testkit;

import io.kvstore.StoreStats;
import io.kvstore.wal.LogStats;
import java.util.Map;
import java.util.SplittableRandom;

/** One long history of a store: every answer is compared with the model, across openings, kills and power losses. */
final class HistoryRun {

    private static final int CONTENT_EVERY = 700;

    private final StoreScenario scenario;
    private final StoreLedger ledger = new StoreLedger();
    private final SplittableRandom random;
    private final Tally tally;
    private final StoreWorkload workload;
    private SimStorage disk = new SimStorage();

    HistoryRun(StoreScenario scenario, long seed, Tally tally) {
        this.scenario = scenario;
        this.random = new SplittableRandom(seed);
        this.tally = tally;
        this.workload = new StoreWorkload(scenario, StoreSession.open(scenario, disk), ledger, seed, tally);
    }

    void run(int operations) {
        workload.prepare();
        for (int i = 1; i <= operations; i++) {
            workload.step();
            if (!workload.errors().isEmpty()) {
                throw new AssertionError(
                        "an operation failed without a fault", workload.errors().getFirst());
            }
            checkBounds();
            switch (random.nextInt(250)) {
                case 0 -> reopen();
                case 1 -> crash(true);
                case 2 -> crash(false);
                default -> {
                    if (i % CONTENT_EVERY == 0) {
                        compare();
                    }
                }
            }
        }
        reopen();
        compare();
        workload.close();
    }

    /** After each step, not only in the end. */
    private void checkBounds() {
        StoreStats stats = workload.session().store().stats();
        LogStats log = stats.log();
        // what was there at opening may be beyond the bound by the segment that recovery makes
        if (log.fileBytes() > log.limitBytes() + scenario.walSegmentBytes()) {
            throw new AssertionError("the log is longer than it may be: " + log);
        }
        long memory = stats.memoryUsedBytes().entrySet().stream()
                .filter(use -> !use.getKey().isOnHeap())
                .mapToLong(Map.Entry::getValue)
                .sum();
        if (memory > stats.memoryBudgetBytes() + stats.memoryBudgetBytes() / 10) {
            throw new AssertionError("the tables take more memory than they may: " + stats.memoryUsedBytes());
        }
    }

    private void reopen() {
        tally.count("op.reopen");
        if (!workload.close()) {
            throw new AssertionError("the store did not close in order");
        }
        workload.continueWith(StoreSession.open(scenario, disk));
    }

    private void crash(boolean powerLoss) {
        tally.count(powerLoss ? "op.power loss" : "op.kill");
        workload.session().abandon();
        SimStorage next =
                powerLoss ? disk.crash(new CrashChoice.Random(random.nextLong(), random.nextBoolean())) : disk.kill();
        disk.powerOff();
        disk = next;
        StoreSession session = StoreSession.open(scenario, disk);
        ledger.settle(LedgerCheck.check(ledger, session.content(), ledger.loggedLeast(powerLoss)));
        workload.continueWith(session);
    }

    private void compare() {
        tally.count("op.compare all");
        StoreContent content = workload.session().content();
        for (Map.Entry<String, StoreContent.TableContent> table :
                content.tables().entrySet()) {
            StoreLedger.Home home = ledger.names().get(table.getKey());
            if (home == null
                    || table.getValue().entries().size()
                            != ledger.live(home.uid()).size()) {
                throw new AssertionError("table " + table.getKey() + " is not as it should be");
            }
        }
        if (workload.session().store().verify().total() > 0) {
            throw new AssertionError(
                    "verify found " + workload.session().store().verify().kept());
        }
    }
}
