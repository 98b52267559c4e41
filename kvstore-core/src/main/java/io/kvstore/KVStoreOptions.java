package io.kvstore;

import io.kvstore.data.Clock;
import io.kvstore.data.Durability;
import io.kvstore.engine.Background;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.Storage;

/**
 * How a store is opened. Start from {@link #defaults()} and change the options that matter.
 *
 * <h2>Options and their effects</h2>
 *
 * @param durability the failures that an acknowledged write survives, unless its table or the write itself says otherwise;
 *     default {@code SYNC}
 * @param maxValueBytes the largest value, 0 to 1 GiB; default 64 MiB
 * @param maxBatchBytes the most bytes of keys and values in one batch, 1 KiB to 1 GiB; default 64 MiB
 * @param stallTimeoutMillis how long a write may wait for room before it is refused, 0 to 3,600,000; default 30,000
 * @param readOnly whether to write nothing at all; default false
 * @param log the log and its checkpoints
 * @param memory the memory of all tables, and of the files of a store in memory
 * @param seams parts that tests replace
 */
public record KVStoreOptions(
        Durability durability,
        long maxValueBytes,
        long maxBatchBytes,
        long stallTimeoutMillis,
        boolean readOnly,
        LogOptions log,
        MemoryOptions memory,
        TestSeams seams) {

    /** The largest size of a value, whatever the options say: 1 GiB. */
    public static final long HARD_MAX_VALUE_BYTES = 1L << 30;

    static final long HOUR_MILLIS = 3_600_000;

    /** @throws InvalidRequestException if a figure is out of its range */
    public KVStoreOptions {
        require("maxValueBytes", maxValueBytes, 0, HARD_MAX_VALUE_BYTES);
        require("maxBatchBytes", maxBatchBytes, 1 << 10, HARD_MAX_VALUE_BYTES);
        require("stallTimeoutMillis", stallTimeoutMillis, 0, HOUR_MILLIS);
    }

    static void require(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new InvalidRequestException(name + " is " + value + "; give " + min + " to " + max);
        }
    }

    /** The defaults of every option. */
    public static KVStoreOptions defaults() {
        return new KVStoreOptions(
                Durability.SYNC,
                64L << 20,
                64L << 20,
                30_000,
                false,
                LogOptions.defaults(),
                MemoryOptions.defaults(),
                TestSeams.none());
    }

    /** These options with another {@code durability}. */
    public KVStoreOptions withDurability(Durability given) {
        return new KVStoreOptions(
                given, maxValueBytes, maxBatchBytes, stallTimeoutMillis, readOnly, log, memory, seams);
    }

    /** These options with another {@code maxValueBytes}. */
    public KVStoreOptions withMaxValueBytes(long given) {
        return new KVStoreOptions(durability, given, maxBatchBytes, stallTimeoutMillis, readOnly, log, memory, seams);
    }

    /** These options with another {@code maxBatchBytes}. */
    public KVStoreOptions withMaxBatchBytes(long given) {
        return new KVStoreOptions(durability, maxValueBytes, given, stallTimeoutMillis, readOnly, log, memory, seams);
    }

    /** These options with another {@code stallTimeoutMillis}. */
    public KVStoreOptions withStallTimeoutMillis(long given) {
        return new KVStoreOptions(durability, maxValueBytes, maxBatchBytes, given, readOnly, log, memory, seams);
    }

    /** These options with another {@code readOnly}. */
    public KVStoreOptions withReadOnly(boolean given) {
        return new KVStoreOptions(
                durability, maxValueBytes, maxBatchBytes, stallTimeoutMillis, given, log, memory, seams);
    }

    /** These options with another {@code log}. */
    public KVStoreOptions withLog(LogOptions given) {
        return new KVStoreOptions(
                durability, maxValueBytes, maxBatchBytes, stallTimeoutMillis, readOnly, given, memory, seams);
    }

    /** These options with another {@code memory}. */
    public KVStoreOptions withMemory(MemoryOptions given) {
        return new KVStoreOptions(
                durability, maxValueBytes, maxBatchBytes, stallTimeoutMillis, readOnly, log, given, seams);
    }

    /** These options with another {@code seams}. */
    public KVStoreOptions withSeams(TestSeams given) {
        return new KVStoreOptions(
                durability, maxValueBytes, maxBatchBytes, stallTimeoutMillis, readOnly, log, memory, given);
    }

    /** These options with another {@link LogOptions#syncIntervalMillis}. */
    public KVStoreOptions withSyncIntervalMillis(long given) {
        return withLog(log.withSyncIntervalMillis(given));
    }

    /** These options with another {@link LogOptions#segmentBytes}. */
    public KVStoreOptions withWalSegmentBytes(long given) {
        return withLog(log.withSegmentBytes(given));
    }

    /** These options with another {@link LogOptions#checkpointBytes}. */
    public KVStoreOptions withCheckpointLogBytes(long given) {
        return withLog(log.withCheckpointBytes(given));
    }

    /** These options with another {@link LogOptions#checkpointIntervalMillis}. */
    public KVStoreOptions withCheckpointIntervalMillis(long given) {
        return withLog(log.withCheckpointIntervalMillis(given));
    }

    /** These options with another {@link MemoryOptions#bytes}. */
    public KVStoreOptions withMemoryBytes(long given) {
        return withMemory(memory.withBytes(given));
    }

    /** These options with another {@link MemoryOptions#storageBytes}. */
    public KVStoreOptions withMemoryStorageBytes(long given) {
        return withMemory(memory.withStorageBytes(given));
    }

    /** These options with another {@link TestSeams#storage}. */
    public KVStoreOptions withStorage(Storage given) {
        return withSeams(seams.withStorage(given));
    }

    /** These options with another {@link TestSeams#clock}. */
    public KVStoreOptions withClock(Clock given) {
        return withSeams(seams.withClock(given));
    }

    /** These options with another {@link TestSeams#background}. */
    public KVStoreOptions withBackground(Background given) {
        return withSeams(seams.withBackground(given));
    }
}
