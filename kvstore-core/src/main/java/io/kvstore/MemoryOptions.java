package io.kvstore;

import io.kvstore.error.InvalidRequestException;

/**
 * How much memory a store takes. Part of {@link KVStoreOptions}.
 *
 * @param bytes off-heap memory of all tables together, from 8 MiB to {@link #mostBytes()}; 0, the default, takes a quarter of
 *     the bytes that the other open stores of the process leave of {@link #mostBytes()}, or more if a quarter is less than
 *     64 MiB
 * @param storageBytes the most bytes of all files of a store in memory, which come on top, from 1 MiB to {@link #mostBytes()};
 *     0, the default, takes half of the bytes that {@code bytes} and the other open stores leave. Other stores do not use it
 */
public record MemoryOptions(long bytes, long storageBytes) {

    private static final long LEAST_BYTES = 8 << 20;
    private static final long LEAST_STORAGE_BYTES = 1 << 20;

    /** @throws InvalidRequestException if a figure is out of its range */
    public MemoryOptions {
        KVStoreOptions.require("memoryBytes", bytes == 0 ? LEAST_BYTES : bytes, LEAST_BYTES, Long.MAX_VALUE);
        MachineMemory.OF_PROCESS.check(bytes);
        KVStoreOptions.require(
                "memoryStorageBytes",
                storageBytes == 0 ? LEAST_STORAGE_BYTES : storageBytes,
                LEAST_STORAGE_BYTES,
                Long.MAX_VALUE);
        MachineMemory.OF_PROCESS.check("memoryStorageBytes", storageBytes);
    }

    /** The defaults. */
    public static MemoryOptions defaults() {
        return new MemoryOptions(0, 0);
    }

    /** These options with another {@code bytes}. */
    public MemoryOptions withBytes(long given) {
        return new MemoryOptions(given, storageBytes);
    }

    /** These options with another {@code storageBytes}. */
    public MemoryOptions withStorageBytes(long given) {
        return new MemoryOptions(bytes, given);
    }

    /** The most that is possible here: the memory that the machine or container has beside the heap. */
    public static long mostBytes() {
        return MachineMemory.OF_PROCESS.mostBytes();
    }
}
