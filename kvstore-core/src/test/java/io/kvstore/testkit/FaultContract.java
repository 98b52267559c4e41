package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;

/**
 * Storage operations of a workload fail, alone or with all after them, with an I/O error and, if they need space, because the
 * disk is full. Every third time half of a write is done before. Each scenario has half of the operations, one of the seeds
 * and for each operation one way to fail, and the disk is looked at after one of the ways in which a process ends, all in
 * turns. With {@code -Dkv.fault.all=true} every single operation has all of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class FaultContract {

    private static final Logger QUIET = Logger.getLogger("io.kvstore");

    private static final long[] SEEDS = {5, 8};

    private final Tally tally = new Tally();
    private int turn;

    /** The kinds of store. */
    protected abstract List<StoreScenario> scenarios();

    @Test
    void every_operation_fails_with_an_io_error() {
        sweep(Operation.all(), FaultPlan.Fault.EIO, FaultPlan.Fault.SHORT_EIO);
    }

    @Test
    void every_operation_finds_the_disk_full() {
        sweep(Operation.needingSpace(), FaultPlan.Fault.NO_SPACE, FaultPlan.Fault.SHORT_NO_SPACE);
    }

    private void sweep(Set<Operation> kinds, FaultPlan.Fault whole, FaultPlan.Fault half) {
        QUIET.setLevel(Level.OFF);
        List<StoreScenario> all = scenarios();
        for (int i = 0; i < all.size(); i++) {
            StoreScenario scenario = all.get(i);
            for (long seed : Sweeps.ALL ? SEEDS : new long[] {SEEDS[i % SEEDS.length]}) {
                long operations = FaultSweep.operations(scenario, seed, kinds);
                tally.add("operations." + scenario.name(), operations);
                assertTrue(operations > 100, "the workload is too small");
                // Each operation fails once only, or from then on. Of eight a scenario has four, and the next one the
                // others.
                for (long n = 0; n < operations * 2; n++) {
                    if (!Sweeps.ALL && (n % 2 != n / 4 % 2 || n / 8 % 2 != i % 2)) {
                        continue;
                    }
                    FaultPlan.Fault fault = n % 3 == 0 ? half : whole;
                    SyncLoss loss = n / 2 % 2 == 0 ? SyncLoss.PAGES_CLEAN : SyncLoss.REVERT;
                    FaultPlan plan = new FaultPlan(kinds, n / 2, n % 2 == 1, fault);
                    FaultSweep.run(scenario, new FaultSweep.Plan(seed, plan, loss, endings()), tally);
                }
            }
        }
    }

    private Set<FaultSweep.Ending> endings() {
        FaultSweep.Ending[] all = FaultSweep.Ending.values();
        return Sweeps.ALL ? EnumSet.allOf(FaultSweep.Ending.class) : EnumSet.of(all[turn++ % all.length]);
    }

    @Test
    void a_full_disk_takes_removals_and_is_left_by_itself() {
        QUIET.setLevel(Level.OFF);
        for (StoreScenario scenario : scenarios()) {
            Seeds.each(1, Sweeps.count(6, 25), seed -> new FullDisk(scenario, seed, tally).run());
        }
        assertTrue(tally.of("full disk.writes refused") > 0, "the disk was never full");
        long refused = tally.of("full disk.removals refused");
        assertTrue(
                refused * 20 <= tally.of("full disk.removals done"), refused + " removals were refused on a full disk");
    }

    @AfterAll
    void report(TestReporter reporter) {
        tally.report(reporter, "Faults, " + getClass().getSimpleName());
    }
}
