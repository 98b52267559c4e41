package io.kvstore.testkit;

import io.kvstore.data.Durability;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;

/**
 * Errors, and loggers that throw, are met anywhere and strand nobody; {@link ErrorRun} says what holds afterwards. {@code
 * -Dkv.error.runs} makes it longer.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ErrorContract {

    private static final Logger LOGGER = Logger.getLogger("io.kvstore");
    private static final int RUNS = Integer.getInteger("kv.error.runs", 10);
    private static final int ROUNDS = 60;
    private static final int MANY_WRITERS = 16;

    private final Tally tally = new Tally();
    private final Handler broken = new Broken();

    /** The parameters of the tables. */
    protected abstract Map<String, ?> parameters();

    /** As that of a host that was closed, or that finds no memory. */
    private static final class Broken extends Handler {
        @Override
        public void publish(LogRecord record) {
            if (record.getSequenceNumber() % 2 == 0) {
                throw new OutOfMemoryError("injected into the logger");
            }
            throw new IllegalStateException("injected into the logger");
        }

        @Override
        public void flush() {
            // keeps nothing
        }

        @Override
        public void close() {
            // has nothing
        }
    }

    @BeforeAll
    void breakTheLogger() {
        LOGGER.setLevel(Level.ALL);
        LOGGER.setUseParentHandlers(false);
        LOGGER.addHandler(broken);
    }

    @AfterAll
    void repairTheLogger(TestReporter reporter) {
        LOGGER.removeHandler(broken);
        LOGGER.setUseParentHandlers(true);
        LOGGER.setLevel(null);
        tally.report(reporter, "Errors, " + getClass().getSimpleName());
    }

    @Test
    void an_error_of_the_storage_strands_nobody() {
        sweep(EnumSet.of(ErrorPlan.Place.STORAGE), 1);
    }

    @Test
    void a_thread_that_cannot_be_started_strands_nobody() {
        sweep(EnumSet.of(ErrorPlan.Place.THREAD), 1);
    }

    @Test
    void an_error_around_an_operation_strands_nobody() {
        sweep(EnumSet.of(ErrorPlan.Place.RESERVE, ErrorPlan.Place.APPLY), 1);
    }

    @Test
    void errors_anywhere_strand_none_of_many() {
        sweep(EnumSet.allOf(ErrorPlan.Place.class), MANY_WRITERS);
    }

    private void sweep(Set<ErrorPlan.Place> places, int writers) {
        StoreScenario.Engine engine = new StoreScenario.Engine(HookedEngineProvider.NAME, parameters());
        for (Durability durability : Durability.values()) {
            StoreScenario scenario = StoreScenario.of(durability, engine)
                    .withSegments(64 << 10, 128 << 10)
                    .withSyncInterval(50);
            ErrorPlan none = new ErrorPlan(places, Long.MAX_VALUE, 0, ErrorPlan.Kind.OUT_OF_MEMORY);
            long reached = ErrorRun.places(scenario, none, writers, ROUNDS);
            tally.add("places." + places, reached);
            Seeds.each(1, RUNS / 2, seed -> run(scenario, places, writers, seed * reached / (RUNS / 2 + 1)));
        }
    }

    /** One time, some in a row, or from then on. */
    private void run(StoreScenario scenario, Set<ErrorPlan.Place> places, int writers, long at) {
        int times = List.of(1, 20, Integer.MAX_VALUE / 2).get((int) (at % 3));
        ErrorPlan.Kind kind = at / 3 % 2 == 0 ? ErrorPlan.Kind.OUT_OF_MEMORY : ErrorPlan.Kind.STACK_OVERFLOW;
        ErrorPlan plan = new ErrorPlan(places, at, times, kind);
        try {
            new ErrorRun(scenario, plan, tally).run(writers, ROUNDS);
        } catch (AssertionError e) {
            throw new AssertionError(scenario.name() + " " + plan + ": " + e.getMessage(), e);
        }
    }
}
