package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.TableParameter;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
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
        finds(context -> with(context, ignoring(context.storage(), Storage.class, "sync"), context.barrier()));
    }

    @Test
    void directories_that_are_never_synced() {
        finds(context -> with(context, ignoring(context.storage(), Storage.class, "syncDirectory"), context.barrier()));
    }

    @Test
    void commit_points_that_do_not_wait_for_the_log() {
        finds(context -> with(
                context, context.storage(), ignoring(context.barrier(), DurabilityBarrier.class, "beforeCommitPoint")));
    }

    @Test
    void versions_dropped_under_an_open_snapshot() {
        finds(context -> new TableContext(
                context.storage(),
                context.directory(),
                context.tableId(),
                context.fileTag(),
                context.properties(),
                context.barrier(),
                context.failures(),
                () -> new long[0],
                context.epochs(),
                context.memory(),
                context.background(),
                context.clock(),
                context.stallTimeoutMillis(),
                context.readOnly(),
                context.seed()));
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

    private static TableContext with(TableContext context, Storage storage, DurabilityBarrier barrier) {
        return new TableContext(
                storage,
                context.directory(),
                context.tableId(),
                context.fileTag(),
                context.properties(),
                barrier,
                context.failures(),
                context.snapshots(),
                context.epochs(),
                context.memory(),
                context.background(),
                context.clock(),
                context.stallTimeoutMillis(),
                context.readOnly(),
                context.seed());
    }

    /** The same, but one method does nothing, here and in the files it opens. */
    private static <T> T ignoring(T inner, Class<T> type, String ignored) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
            if (method.getName().equals(ignored)) {
                return null;
            }
            try {
                // what is done with an open directory is done by a call of the storage, which may be the one that is
                // ignored
                Object result = method.getName().equals("openDirectory")
                        ? InvocationHandler.invokeDefault(self, method, given)
                        : method.invoke(inner, given);
                return result instanceof StorageFile file ? ignoring(file, StorageFile.class, ignored) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }
}
