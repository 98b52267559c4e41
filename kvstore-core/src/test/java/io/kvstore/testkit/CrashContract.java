package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;

/**
 * What every store survives: no acknowledged write is lost, nothing removed comes back, no batch is there in part, wherever
 * the process or the power ends. {@code -Dkv.crash.images=} asks for more images than the least.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class CrashContract {

    private static final Logger QUIET = Logger.getLogger("io.kvstore");
    private static final int OPERATIONS = 120;

    private final Tally tally = new Tally();

    /** The kinds of store to crash. */
    protected abstract List<StoreScenario> scenarios();

    /** How many images to check every night when nothing else is said, and otherwise half as many. */
    protected abstract int leastImages();

    @Test
    void no_crash_loses_or_resurrects_anything() {
        QUIET.setLevel(Level.OFF);
        long wanted = Long.getLong("kv.crash.images", Sweeps.count(leastImages() / 2, leastImages()));
        List<StoreScenario> scenarios = scenarios();
        long[] images = {0};
        for (long seed = 1; images[0] < wanted; seed++) {
            Seeds.each(seed, 1, each -> {
                StoreScenario scenario = scenarios.get((int) (each % scenarios.size()));
                CrashSweep sweep = new CrashSweep(scenario, each, 0.02, tally);
                sweep.run(OPERATIONS);
                images[0] += sweep.images();
                tally.add("scenario." + scenario.name(), sweep.images());
            });
        }
        assertTrue(tally.ofGroup("image") >= wanted, "too few images");
        assertTrue(tally.ofGroup("nested") >= wanted / 10, "too few nested images");
    }

    /**
     * {@code -Dkv.crash.share=1} crashes before every storage operation of every program. Of the longest programs those are run
     * that have each pair of operations at each two of their places, and with {@code -Dkv.fault.all=true} all.
     */
    @Test
    void no_short_program_has_a_crash_that_loses_anything() {
        QUIET.setLevel(Level.OFF);
        double share = Double.parseDouble(System.getProperty("kv.crash.share", "0.02"));
        List<StoreScenario> scenarios = scenarios();
        List<List<ProgramSweep.Step>> programs = ProgramSweep.programs(3, Sweeps.ALL);
        for (int i = 0; i < programs.size(); i++) {
            StoreScenario scenario = scenarios.get(i % scenarios.size()).withKeys(20);
            new ProgramSweep(scenario, programs.get(i), i, share, tally).run();
        }
        tally.add("programs.short", programs.size());
    }

    @AfterAll
    void report(TestReporter reporter) {
        tally.report(reporter, "Crash images, " + getClass().getSimpleName());
    }
}
