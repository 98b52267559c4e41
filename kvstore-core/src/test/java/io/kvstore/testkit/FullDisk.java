package io.kvstore.testkit;

import io.kvstore.error.DiskFullException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.OverloadedException;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A workload on a disk that is full again and again: writes are refused, removals and reads go on, and it ends by itself. A
 * table whose memory is full of writes that do not fit on the disk may refuse a removal too; the log never does.
 */
final class FullDisk {

    private static final int EPISODES = 3;
    private static final int REMOVALS = 8;
    private static final long PLENTY = Long.MAX_VALUE / 2;

    private final StoreScenario scenario;
    private final Tally tally;
    private final SplittableRandom random;
    private final StoreLedger ledger = new StoreLedger();
    private final SimStorage disk = new SimStorage();
    private final StoreSession session;
    private final StoreWorkload workload;

    FullDisk(StoreScenario scenario, long seed, Tally tally) {
        this.scenario = scenario;
        this.tally = tally;
        this.random = new SplittableRandom(seed);
        this.session = StoreSession.open(scenario, disk);
        this.workload = new StoreWorkload(scenario, session, ledger, seed, tally);
    }

    void run() throws IOException {
        workload.prepare();
        for (int episode = 0; episode < EPISODES; episode++) {
            steps(25);
            requireErrors(List.of());
            disk.setCapacity(PLENTY - disk.freeBytes() + random.nextInt(300_000));
            steps(60);
            requireErrors(List.of(DiskFullException.class, OverloadedException.class));
            removals();
            disk.setCapacity(PLENTY);
        }
        steps(20);
        requireErrors(List.of());
        ImageCheck check = new ImageCheck(scenario, ledger, random, tally);
        check.check(CrashImage.kill(disk), false);
        check.check(CrashImage.powerLoss(disk, new CrashChoice.DropAll()), false);
        workload.close();
        requireErrors(List.of());
    }

    private void steps(int count) {
        for (int i = 0; i < count; i++) {
            workload.step();
            if (session.store().failure() != null) {
                throw new AssertionError(
                        "a full disk made the store fail: " + session.store().failure());
            }
        }
    }

    private void removals() {
        for (int i = 0; i < REMOVALS; i++) {
            workload.removeLogged();
            tally.count(workload.errors().isEmpty() ? "full disk.removals done" : "full disk.removals refused");
            requireErrors(List.of(DiskFullException.class));
        }
    }

    private void requireErrors(List<Class<? extends KVStoreException>> allowed) {
        for (KVStoreException error : workload.errors()) {
            if (!allowed.contains(error.getClass())) {
                throw new AssertionError("on a full disk, or after it, an operation ends with " + error, error);
            }
            tally.count("full disk.writes refused");
        }
        workload.errors().clear();
    }
}
