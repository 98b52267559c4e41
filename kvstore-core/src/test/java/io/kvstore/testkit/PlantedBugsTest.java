package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.TableParameter;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Engines with a mistake made on purpose: random histories with crashes have to find each of them. */
final class PlantedBugsTest {

    private static final int HISTORIES = 30;

    @Test
    void engine_without_a_mistake_passes() throws IOException {
        run(context -> context);
    }

    @Test
    void files_that_are_never_synced() {
        finds(context -> without(context, "sync"));
    }

    @Test
    void directories_that_are_never_synced() {
        finds(context -> without(context, "syncDirectory"));
    }

    @Test
    void commit_points_that_do_not_wait_for_the_log() {
        finds(context -> ReplacedPart.of(context, new DurabilityBarrier() {
            @Override
            public void beforeAnswer(long lsn) {
                context.barrier().beforeAnswer(lsn);
            }

            @Override
            public boolean isPassed(long lsn) {
                return context.barrier().isPassed(lsn);
            }

            @Override
            public void beforeCommitPoint(long lsn) {
                // the mistake
            }
        }));
    }

    @Test
    void versions_dropped_under_an_open_snapshot() {
        finds(context -> ReplacedPart.of(context, () -> new long[0]));
    }

    /** With a storage one of whose methods does nothing. */
    private static TableContext without(TableContext context, String method) {
        return ReplacedPart.of(
                context,
                HookedStorage.over(
                        context.storage(), (name, path, proceed) -> name.equals(method) ? null : proceed.call()));
    }

    private static void finds(UnaryOperator<TableContext> mistake) {
        AssertionError found = assertThrows(AssertionError.class, () -> run(mistake));
        assertTrue(String.valueOf(found.getMessage()).contains("kv.seed="), found::toString);
    }

    private static void run(UnaryOperator<TableContext> mistake) throws IOException {
        Seeds.each(
                1, HISTORIES, seed -> TableRun.of(new Mistaken(mistake), Map.of(), TableHistory.of(seed, 150, true)));
    }

    /** The smallest engine in a world that is not as it should be. */
    private record Mistaken(UnaryOperator<TableContext> mistake) implements TableEngineProvider {

        @Override
        public String name() {
            return "MISTAKEN";
        }

        @Override
        public List<TableParameter> parameters() {
            return new ModelEngineProvider().parameters();
        }

        @Override
        public TableEngine open(TableContext context) throws IOException {
            return new ModelEngineProvider().open(mistake.apply(context));
        }
    }
}
