package io.kvstore;

import com.sun.management.OperatingSystemMXBean;
import io.kvstore.error.InvalidRequestException;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The memory of the machine or container beside the heap, and the parts of it that the open stores of this process have. A
 * store that does not say how much memory it wants takes a quarter of the memory that the others left, or more if a quarter is
 * less than 64 MiB: then half of it, but at most 64 MiB, and never less than 8 MiB. So any number of stores fits. The
 * files of a store in memory take half of the rest.
 */
final class MachineMemory {

    /** The machine of this process. Stores share nothing here except the count of bytes. */
    static final MachineMemory OF_PROCESS = ofProcess();

    private static final int DEFAULT_PART = 4;
    private static final int MAPPABLE_PART = 2;
    private static final int FILES_PART = 2;
    private static final long LEAST_DEFAULT_BYTES = 64L << 20;
    private static final long LEAST_BYTES = 8L << 20;

    private final long mostBytes;

    /** The shares of open stores. A store that was forgotten without being closed has no share any more. */
    private final Set<Share> shares = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /**
     * @param machineBytes all memory of the machine
     * @param heapBytes the most memory that the heap takes; whatever it is, a quarter of the machine counts as left beside it,
     *     and at least 64 MiB
     */
    MachineMemory(long machineBytes, long heapBytes) {
        this.mostBytes = Math.max(LEAST_DEFAULT_BYTES, Math.max(machineBytes - heapBytes, machineBytes / DEFAULT_PART));
    }

    private static MachineMemory ofProcess() {
        OperatingSystemMXBean machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return new MachineMemory(
                machine.getTotalMemorySize(), Runtime.getRuntime().maxMemory());
    }

    long mostBytes() {
        return mostBytes;
    }

    /** @throws InvalidRequestException if {@code memoryBytes} is more than the machine has beside the heap */
    void check(long memoryBytes) {
        check("memoryBytes", memoryBytes);
    }

    /** @param option the option that asks for the bytes */
    void check(String option, long bytes) {
        if (bytes > mostBytes) {
            throw new InvalidRequestException(option + " is " + bytes + "; the machine has " + mostBytes
                    + " bytes beside the heap, give at most that, or 0 for a part of it");
        }
    }

    /**
     * Takes the share that a store has until it is closed.
     *
     * @param asked the bytes that the store asks for; 0 for a part of the memory that the others left
     */
    Share take(long asked) {
        long left = left();
        long usual = Math.max(left / DEFAULT_PART, Math.min(left / 2, LEAST_DEFAULT_BYTES));
        long bytes = asked > 0 ? asked : Math.max(LEAST_BYTES, usual);
        return keep(bytes, left / MAPPABLE_PART);
    }

    /**
     * Takes the share that the files of a store in memory have until the store is closed.
     *
     * @param asked the bytes that the store asks for; 0 for half of the memory that the others left
     */
    Share takeForFiles(long asked) {
        return keep(asked > 0 ? asked : Math.max(LEAST_BYTES, left() / FILES_PART), 0);
    }

    private long left() {
        synchronized (shares) {
            return Math.max(
                    0, mostBytes - shares.stream().mapToLong(Share::bytes).sum());
        }
    }

    private Share keep(long bytes, long mappableBytes) {
        Share share = new Share(bytes, mappableBytes);
        shares.add(share);
        return share;
    }

    /** The part of the machine's memory that one store has. */
    final class Share implements AutoCloseable {

        private final long bytes;
        private final long mappableBytes;

        private Share(long bytes, long mappableBytes) {
            this.bytes = bytes;
            this.mappableBytes = mappableBytes;
        }

        long bytes() {
            return bytes;
        }

        /** The most bytes of the store's files that may be mapped. The system takes such memory back when it needs to. */
        long mappableBytes() {
            return mappableBytes;
        }

        @Override
        public void close() {
            shares.remove(this);
        }
    }
}
