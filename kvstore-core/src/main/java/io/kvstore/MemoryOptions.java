package io.kvstore;

import io.kvstore.error.InvalidRequestException;

/**
 * How much memory a store takes. Part of {@link KVStoreOptions}.
 *
 * @param bytes off-heap memory of all tables together, from 8 MiB to {@link #mostBytes()}; 0, the default, takes a quarter of
 *     the bytes that the other open stores of the process leave of {@link #mostBytes()}, or more if a quarter is less than
 *     64 MiB
 */
public record MemoryOptions(long bytes) {

    private static final long LEAST_BYTES = 8 << 20;

    /** @throws InvalidRequestException if a figure is out of its range */
    public MemoryOptions {
        KVStoreOptions.require("memoryBytes", bytes == 0 ? LEAST_BYTES : bytes, LEAST_BYTES, Long.MAX_VALUE);
        MachineMemory.OF_PROCESS.check(bytes);
    }

    /** The defaults. */
    public static MemoryOptions defaults() {
        return new MemoryOptions(0);
    }

    /** The most that is possible here: the memory that the machine or container has beside the heap. */
    public static long mostBytes() {
        return MachineMemory.OF_PROCESS.mostBytes();
    }
}
