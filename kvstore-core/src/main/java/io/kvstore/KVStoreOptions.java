package io.kvstore;

import io.kvstore.data.Clock;
import io.kvstore.data.Durability;
import io.kvstore.engine.Background;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.Storage;
import org.jspecify.annotations.Nullable;

/**
 * How a store is opened. Start from {@link #defaults()} and change the options that matter.
 *
 * <h2>Options and their effects</h2>
 *
 * @param durability the failures that an acknowledged write survives, unless its table or the write itself says otherwise;
 *     default {@code SYNC}
 * @param syncIntervalMillis the longest time {@code BUFFERED} data stays unsynced, 1 to 3,600,000; default 1000
 * @param maxValueBytes the largest value, 0 to 1 GiB; default 64 MiB
 * @param maxBatchBytes the most bytes of keys and values in one batch, 1 KiB to 1 GiB; default 64 MiB
 * @param stallTimeoutMillis how long a write may wait for room before it is refused, 0 to 3,600,000; default 30,000
 * @param readOnly whether to write nothing at all; default false
 * @param memoryBytes off-heap memory of all tables together, from 8 MiB to {@link #mostMemoryBytes()}, which is the memory that
 *     the machine or container has beside the heap; 0, the default, takes a quarter of the part of that memory that the other
 *     open stores of the process leave, or more if a quarter is less than 64 MiB
 * @param walSegmentBytes size of a log segment, 64 KiB to 1 GiB; default 64 MiB
 * @param checkpointLogBytes log bytes after which a checkpoint is made, at least one segment; default 256 MiB
 * @param checkpointIntervalMillis the longest time between checkpoints of changed tables; default 300,000
 * @param storage where files are kept, for tests; null for the directory that is opened
 * @param clock elapsed time, for tests
 * @param background threads and waits, for tests; null for threads of the store's own
 */
public record KVStoreOptions(
        Durability durability,
        long syncIntervalMillis,
        long maxValueBytes,
        long maxBatchBytes,
        long stallTimeoutMillis,
        boolean readOnly,
        long memoryBytes,
        long walSegmentBytes,
        long checkpointLogBytes,
        long checkpointIntervalMillis,
        @Nullable Storage storage,
        Clock clock,
        @Nullable Background background) {

    /** The largest size of a value, whatever the options say: 1 GiB. */
    public static final long HARD_MAX_VALUE_BYTES = 1L << 30;

    private static final long HOUR_MILLIS = 3_600_000;

    /** @throws InvalidRequestException if a figure is out of its range */
    public KVStoreOptions {
        require("syncIntervalMillis", syncIntervalMillis, 1, HOUR_MILLIS);
        require("maxValueBytes", maxValueBytes, 0, HARD_MAX_VALUE_BYTES);
        require("maxBatchBytes", maxBatchBytes, 1 << 10, HARD_MAX_VALUE_BYTES);
        require("stallTimeoutMillis", stallTimeoutMillis, 0, HOUR_MILLIS);
        require("memoryBytes", memoryBytes == 0 ? 8 << 20 : memoryBytes, 8 << 20, Long.MAX_VALUE);
        MachineMemory.OF_PROCESS.check(memoryBytes);
        require("walSegmentBytes", walSegmentBytes, 64 << 10, 1 << 30);
        require("checkpointLogBytes", checkpointLogBytes, walSegmentBytes, Long.MAX_VALUE);
        require("checkpointIntervalMillis", checkpointIntervalMillis, 1, 24 * HOUR_MILLIS);
    }

    /** The largest {@code memoryBytes} that is possible here: the memory that the machine or container has beside the heap. */
    public static long mostMemoryBytes() {
        return MachineMemory.OF_PROCESS.mostBytes();
    }

    /** The defaults of every option. */
    public static KVStoreOptions defaults() {
        return new KVStoreOptions(
                Durability.SYNC,
                1_000,
                64L << 20,
                64L << 20,
                30_000,
                false,
                0,
                64L << 20,
                256L << 20,
                300_000,
                null,
                Clock.system(),
                null);
    }

    /** These options with another {@code durability}. */
    public KVStoreOptions withDurability(Durability given) {
        return new KVStoreOptions(
                given,
                syncIntervalMillis,
                maxValueBytes,
                maxBatchBytes,
                stallTimeoutMillis,
                readOnly,
                memoryBytes,
                walSegmentBytes,
                checkpointLogBytes,
                checkpointIntervalMillis,
                storage,
                clock,
                background);
    }

    /** These options with another {@code syncIntervalMillis}. */
    public KVStoreOptions withSyncIntervalMillis(long given) {
        return new KVStoreOptions(
                durability,
                given,
                maxValueBytes,
                maxBatchBytes,
                stallTimeoutMillis,
                readOnly,
                memoryBytes,
                walSegmentBytes,
                checkpointLogBytes,
                checkpointIntervalMillis,
                storage,
                clock,
                background);
    }

    /** These options with another {@code maxValueBytes}. */
    public KVStoreOptions withMaxValueBytes(long given) {
        return new KVStoreOptions(
                durability,
                syncIntervalMillis,
                given,
                maxBatchBytes,
                stallTimeoutMillis,
                readOnly,
                memoryBytes,
                walSegmentBytes,
                checkpointLogBytes,
                checkpointIntervalMillis,
                storage,
                clock,
                background);
    }

    /** These options with another {@code maxBatchBytes}. */
    public KVStoreOptions withMaxBatchBytes(long given) {
        return new KVStoreOptions(
                durability,
                syncIntervalMillis,
                maxValueBytes,
                given,
                stallTimeoutMillis,
                readOnly,
                memoryBytes,
                walSegmentBytes,
                checkpointLogBytes,
                checkpointIntervalMillis,
                storage,
                clock,
                background);
    }

    /** These options with another {@code stallTimeoutMillis}. */
    public KVStoreOptions withStallTimeoutMillis(long given) {
        return new KVStoreOptions(
                durability,
                syncIntervalMillis,
                maxValueBytes,
                maxBatchBytes,
                given,
                readOnly,
                memoryBytes,
                walSegmentBytes,
                checkpointLogBytes,
                checkpointIntervalMillis,
                storage,
                clock,
                background);
    }

    /** These options with another {@code readOnly}. */
    public KVStoreOptions withReadOnly(boolean given) {
        return new KVStoreOptions(
                durability,
                syncIntervalMillis,
                maxValueBytes,
                maxBatchBytes,
                stallTimeoutMillis,
                given,
                memoryBytes,
                walSegmentBytes,
                checkpointLogBytes,
                checkpointIntervalMillis,
                storage,
                clock,
                background);
    }

    /** These options with another {@code memoryBytes}. */
    public KVStoreOptions withMemoryBytes(long given) {
        return new KVStoreOptions(
                durability,
                syncIntervalMillis,
                maxValueBytes,
                maxBatchBytes,
                stallTimeoutMillis,
                readOnly,
                given,
                walSegmentBytes,
                checkpointLogBytes,
                checkpointIntervalMillis,
                storage,
                clock,
                background);
    }

    /** These options with another {@code walSegmentBytes}. */
    public KVStoreOptions withWalSegmentBytes(long given) {
        return new KVStoreOptions(
                durability,
                syncIntervalMillis,
                maxValueBytes,
                maxBatchBytes,
                stallTimeoutMillis,
                readOnly,
                memoryBytes,
                given,
                checkpointLogBytes,
                checkpointIntervalMillis,
                storage,
                clock,
                background);
    }

    /** These options with another {@code checkpointLogBytes}. */
    public KVStoreOptions withCheckpointLogBytes(long given) {
        return new KVStoreOptions(
                durability,
                syncIntervalMillis,
                maxValueBytes,
                maxBatchBytes,
                stallTimeoutMillis,
                readOnly,
                memoryBytes,
                walSegmentBytes,
                given,
                checkpointIntervalMillis,
                storage,
                clock,
                background);
    }

    /** These options with another {@code checkpointIntervalMillis}. */
    public KVStoreOptions withCheckpointIntervalMillis(long given) {
        return new KVStoreOptions(
                durability,
                syncIntervalMillis,
                maxValueBytes,
                maxBatchBytes,
                stallTimeoutMillis,
                readOnly,
                memoryBytes,
                walSegmentBytes,
                checkpointLogBytes,
                given,
                storage,
                clock,
                background);
    }

    /** These options with another {@code storage}. */
    public KVStoreOptions withStorage(Storage given) {
        return new KVStoreOptions(
                durability,
                syncIntervalMillis,
                maxValueBytes,
                maxBatchBytes,
                stallTimeoutMillis,
                readOnly,
                memoryBytes,
                walSegmentBytes,
                checkpointLogBytes,
                checkpointIntervalMillis,
                given,
                clock,
                background);
    }

    /** These options with another {@code clock}. */
    public KVStoreOptions withClock(Clock given) {
        return new KVStoreOptions(
                durability,
                syncIntervalMillis,
                maxValueBytes,
                maxBatchBytes,
                stallTimeoutMillis,
                readOnly,
                memoryBytes,
                walSegmentBytes,
                checkpointLogBytes,
                checkpointIntervalMillis,
                storage,
                given,
                background);
    }

    /** These options with another {@code background}. */
    public KVStoreOptions withBackground(Background given) {
        return new KVStoreOptions(
                durability,
                syncIntervalMillis,
                maxValueBytes,
                maxBatchBytes,
                stallTimeoutMillis,
                readOnly,
                memoryBytes,
                walSegmentBytes,
                checkpointLogBytes,
                checkpointIntervalMillis,
                storage,
                clock,
                given);
    }

    private static void require(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new InvalidRequestException(name + " is " + value + "; give " + min + " to " + max);
        }
    }
}
