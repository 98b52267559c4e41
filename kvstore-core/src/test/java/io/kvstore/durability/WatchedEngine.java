package io.kvstore.durability;

import static java.util.Objects.requireNonNull;

import io.kvstore.data.Clock;
import io.kvstore.data.Durability;
import io.kvstore.data.TableProperties;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.FileHold;
import io.kvstore.engine.Replay;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.io.Storage;
import io.kvstore.testkit.ModelEngineProvider;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;

/**
 * A store whose engine is that of the test kit, with a place to do something before each call of the engine, and of its
 * cursors, holds and replays: their calls have names such as {@code EngineCursor.close}.
 */
final class WatchedEngine {

    private WatchedEngine() {}

    /** Does something before a call. */
    @FunctionalInterface
    interface Watcher {
        void before(String method, Object[] arguments) throws Exception;
    }

    /** A new store, with threads of its own. */
    static OpenStore open(long stallMillis, Watcher watcher) throws IOException {
        return open(new SimStorage(), stallMillis, watcher);
    }

    /** A store with threads of its own. */
    static OpenStore open(Storage storage, long stallMillis, Watcher watcher) throws IOException {
        TableEngineProvider memory = new ModelEngineProvider();
        TableEngineProvider provider = (TableEngineProvider) Proxy.newProxyInstance(
                TableEngineProvider.class.getClassLoader(),
                new Class<?>[] {TableEngineProvider.class},
                (_, method, arguments) -> {
                    Object result = method.invoke(memory, arguments);
                    return result instanceof TableEngine engine ? watched(engine, watcher) : result;
                });
        return Recovery.open(new StoreSetup(
                storage,
                Map.of("MODEL", provider),
                Durability.SYNC,
                1_000,
                8 << 20,
                stallMillis,
                false,
                64 << 20,
                0,
                16 << 20,
                64 << 20,
                60_000,
                Clock.system(),
                null,
                null,
                () -> {}));
    }

    private static TableEngine watched(TableEngine engine, Watcher watcher) {
        return watched(TableEngine.class, "", engine, watcher);
    }

    private static <T> T watched(Class<T> type, String prefix, T inner, Watcher watcher) {
        return type.cast(Proxy.newProxyInstance(
                TableEngine.class.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
                    watcher.before(prefix + method.getName(), arguments);
                    try {
                        return switch (method.invoke(inner, arguments)) {
                            case EngineCursor cursor -> watched(EngineCursor.class, "EngineCursor.", cursor, watcher);
                            case FileHold hold -> watched(FileHold.class, "FileHold.", hold, watcher);
                            case Replay replay -> watched(Replay.class, "Replay.", replay, watcher);
                            case null -> null;
                            case Object result -> result;
                        };
                    } catch (InvocationTargetException e) {
                        throw requireNonNull(e.getCause());
                    }
                }));
    }

    /** A new table with a log, whose values have at most 1 MiB. */
    static OpenTable table(OpenStore store) {
        store.schema().createDatabase("db");
        Map<String, String> properties = Map.of(
                "ENABLE_WAL",
                "true",
                "DURABILITY",
                "SYNC",
                "MAX_VALUE_BYTES",
                "" + (1 << 20),
                "TEMPORARY",
                "false",
                ModelEngineProvider.MEMORY_LIMIT,
                "" + (64 << 20));
        return store.schema().createTable("db", "t", "MODEL", new TableProperties(properties));
    }
}
