package io.kvstore.testkit;

import io.kvstore.KVStoreOptions;
import io.kvstore.data.Clock;
import io.kvstore.data.Durability;
import io.kvstore.engine.Background;
import io.kvstore.io.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * How the stores of a test are set up.
 *
 * @param name what reports call it
 * @param engines the engines its tables take turns to have
 * @param durability of the store, which decides how the log lands
 * @param walSegmentBytes size of a log segment
 * @param checkpointLogBytes log bytes after which a checkpoint is made
 * @param syncIntervalMillis longest time buffered writes stay unsynced
 * @param keys how many different keys are written, 20 or more
 */
public record StoreScenario(
        String name,
        List<Engine> engines,
        Durability durability,
        long walSegmentBytes,
        long checkpointLogBytes,
        long syncIntervalMillis,
        int keys) {

    private static final long STALL_TIMEOUT_MILLIS = 2_000;
    private static final long MEMORY_BYTES = 64L << 20;

    /** An engine and the parameters its tables are created with. */
    public record Engine(String name, Map<String, ?> parameters) {

        /** Whether what an answer rests on is known for a page of entries only. */
        boolean restsOnPages() {
            return name.equals("BPLUS");
        }
    }

    /** Small segments and frequent checkpoints. */
    public static StoreScenario of(Durability durability, Engine... engines) {
        StringBuilder name = new StringBuilder(durability.name());
        for (Engine engine : engines) {
            name.append(' ').append(engine.name());
        }
        return new StoreScenario(name.toString(), List.of(engines), durability, 64 << 10, 256 << 10, 1_000, 60);
    }

    /** Whether the log is mapped in such a store. */
    public boolean isMapped() {
        return durability == Durability.BUFFERED;
    }

    /** With another durability of the store. */
    public StoreScenario withDurability(Durability other) {
        return new StoreScenario(name, engines, other, walSegmentBytes, checkpointLogBytes, syncIntervalMillis, keys);
    }

    /** With log segments and checkpoints of another size. */
    public StoreScenario withSegments(long segmentBytes, long checkpointBytes) {
        return new StoreScenario(name, engines, durability, segmentBytes, checkpointBytes, syncIntervalMillis, keys);
    }

    /** With another sync interval. */
    public StoreScenario withSyncInterval(long millis) {
        return new StoreScenario(name, engines, durability, walSegmentBytes, checkpointLogBytes, millis, keys);
    }

    /** With another number of keys. */
    public StoreScenario withKeys(int number) {
        return new StoreScenario(
                name, engines, durability, walSegmentBytes, checkpointLogBytes, syncIntervalMillis, number);
    }

    /** Stores with these tables, of both durabilities and several sizes of log segment, checkpoint and key space. */
    public static List<StoreScenario> grid(Engine... engines) {
        List<StoreScenario> all = new ArrayList<>();
        for (Durability durability : Durability.values()) {
            for (int keys : new int[] {60, 3_000}) {
                for (long segmentBytes : new long[] {64 << 10, 1 << 20}) {
                    all.add(of(durability, engines)
                            .withKeys(keys)
                            .withSegments(segmentBytes, segmentBytes * 4)
                            .withSyncInterval(segmentBytes >> 10));
                }
            }
        }
        return all;
    }

    KVStoreOptions options(Storage storage, Clock clock, @Nullable Background background) {
        KVStoreOptions options = KVStoreOptions.defaults();
        return (background == null ? options : options.withBackground(background))
                .withStorage(storage)
                .withClock(clock)
                .withDurability(durability)
                .withSyncIntervalMillis(syncIntervalMillis)
                .withStallTimeoutMillis(STALL_TIMEOUT_MILLIS)
                .withWalSegmentBytes(walSegmentBytes)
                .withCheckpointLogBytes(checkpointLogBytes)
                .withMemoryBytes(MEMORY_BYTES);
    }

    /** The parameters of a table. */
    static Properties properties(Engine engine, boolean logged, Durability durability) {
        Properties properties = new Properties();
        properties.putAll(engine.parameters());
        properties.put("ENABLE_WAL", logged);
        properties.put("DURABILITY", durability.name());
        return properties;
    }
}
