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
 * Long histories of stores in many configurations, every answer compared with a model. {@code -Dkv.history.operations=} asks
 * for more than the least.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class HistoryContract {

    private static final Logger QUIET = Logger.getLogger("io.kvstore");
    private static final int OPERATIONS = Sweeps.count(1_000, 2_500);

    private final Tally tally = new Tally();

    /** The configurations. */
    protected abstract List<StoreScenario> scenarios();

    /** How many operations to do every night when nothing else is said, and otherwise half as many. */
    protected abstract int leastOperations();

    @Test
    void every_answer_is_that_of_the_model() {
        QUIET.setLevel(Level.OFF);
        long wanted = Long.getLong("kv.history.operations", Sweeps.count(leastOperations() / 2, leastOperations()));
        List<StoreScenario> scenarios = scenarios();
        for (long seed = 0; seed * OPERATIONS < wanted || seed < scenarios.size(); seed++) {
            Seeds.each(seed, 1, each -> {
                StoreScenario scenario = scenarios.get((int) (each % scenarios.size()));
                new HistoryRun(scenario, each, tally).run(OPERATIONS);
                tally.add("operations." + scenario.name(), OPERATIONS);
            });
        }
        tally.add("configurations.", scenarios.size());
        assertTrue(tally.ofGroup("operations") >= wanted, "too few operations");
    }

    @AfterAll
    void report(TestReporter reporter) {
        tally.report(reporter, "Histories, " + getClass().getSimpleName());
    }
}
