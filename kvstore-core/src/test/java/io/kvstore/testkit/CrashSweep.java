package io.kvstore.testkit;

import io.kvstore.io.Storage;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One seeded workload that is crashed over and over: at the ends of operations, and before single operations of the storage.
 * It goes on as if nothing had happened, or with what one of its crashes left.
 */
final class CrashSweep {

    private static final int NEST_ONE_IN = 8;

    private final StoreScenario scenario;
    private final SplittableRandom random;
    private final Tally tally;
    private final StoreLedger ledger = new StoreLedger();
    private final ImageCheck check;
    private final StoreWorkload workload;
    private final UnaryOperator<Storage> seen;
    private final double imagesPerStorageOperation;
    private SimStorage disk = new SimStorage();
    private long images;
    private boolean inside;
    private @Nullable Throwable failure;

    /** @param imagesPerStorageOperation the share of storage operations before which a crash is tried */
    CrashSweep(StoreScenario scenario, long seed, double imagesPerStorageOperation, Tally tally) {
        this(scenario, seed, imagesPerStorageOperation, tally, sound -> sound);
    }

    /** @param seen what the store gets instead of the disk */
    CrashSweep(
            StoreScenario scenario,
            long seed,
            double imagesPerStorageOperation,
            Tally tally,
            UnaryOperator<Storage> seen) {
        this.seen = seen;
        this.scenario = scenario;
        this.random = new SplittableRandom(seed);
        this.tally = tally;
        this.imagesPerStorageOperation = imagesPerStorageOperation;
        this.check = new ImageCheck(scenario, ledger, random, tally);
        disk.observe(this::beforeStorageOperation);
        StoreSession session = StoreSession.open(scenario, seen.apply(disk));
        this.workload = new StoreWorkload(scenario, session, ledger, seed, tally);
    }

    /** Runs a workload of so many operations. */
    void run(int operations) {
        workload.prepare();
        for (int i = 0; i < operations; i++) {
            workload.step();
            requireNoErrors();
            switch (random.nextInt(40)) {
                case 0 -> reopen();
                case 1 -> goOnAfterCrash();
                case 2, 3, 4, 5, 6 -> image();
                default -> {}
            }
        }
        image();
        workload.close();
        image();
        requireNoErrors();
    }

    /** Has the workload make a mistake from now on. */
    void make(StoreWorkload.@Nullable Mischief mistake) {
        workload.make(mistake);
    }

    long images() {
        return images;
    }

    /** A check inside an operation of the store may fail while the store handles what it takes for its own failure. */
    private void requireNoErrors() {
        if (failure != null) {
            throw new AssertionError(failure.getMessage(), failure);
        }
        if (!workload.errors().isEmpty()) {
            throw new AssertionError(
                    "an operation failed without a fault", workload.errors().getFirst());
        }
        if (!workload.session().background().failures().isEmpty()) {
            throw new AssertionError(
                    "a background task failed",
                    workload.session().background().failures().getFirst());
        }
    }

    private void beforeStorageOperation() {
        if (random.nextDouble() < imagesPerStorageOperation) {
            image();
        }
    }

    private void image() {
        if (!inside) {
            inside = true;
            try {
                images++;
                check.check(check.crash(disk, true), random.nextInt(NEST_ONE_IN) == 0);
            } catch (AssertionError e) {
                failure = failure == null ? e : failure;
            } finally {
                inside = false;
            }
        }
    }

    private void reopen() {
        workload.close();
        requireNoErrors();
        tally.count("op.reopen");
        workload.continueWith(StoreSession.open(scenario, seen.apply(disk)));
    }

    private void goOnAfterCrash() {
        CrashImage image = check.crash(disk, false);
        workload.session().abandon();
        disk.observe(() -> {});
        disk.powerOff();
        disk = image.disk();
        StoreSession session = StoreSession.open(scenario, seen.apply(disk));
        ledger.settle(LedgerCheck.check(ledger, session.content(), ledger.loggedLeast(image.powerLoss())));
        tally.count(image.powerLoss() ? "op.go on after power loss" : "op.go on after kill");
        disk.observe(this::beforeStorageOperation);
        workload.continueWith(session);
    }
}
