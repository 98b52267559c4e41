package io.kvstore;

import com.sun.management.OperatingSystemMXBean;
import io.kvstore.error.InvalidRequestException;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The memory of the machine, or of the container, that is not the heap's, and what the open stores of this process have of it.
 * A store that does not say how much it wants takes a quarter of what the others left: so any number of them fits.
 */
final class MachineMemory {

    /** Of this process. Stores share nothing here but the count of bytes. */
    static final MachineMemory OF_PROCESS = ofProcess();

    private static final int DEFAULT_PART = 4;
    private static final int MAPPABLE_PART = 2;
    private static final long LEAST_DEFAULT_BYTES = 64L << 20;
    private static final long LEAST_BYTES = 8L << 20;

    private final long mostBytes;

    /** A store that was forgotten without being closed has nothing any more. */
    private final Set<Share> shares = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /**
     * A machine with nothing taken.
     *
     * @param machineBytes all of it
     * @param heapBytes the most that the heap takes; a quarter of the machine is left beside any
     */
    MachineMemory(long machineBytes, long heapBytes) {
        this.mostBytes = Math.max(LEAST_DEFAULT_BYTES, Math.max(machineBytes - heapBytes, machineBytes / DEFAULT_PART));
    }

    private static MachineMemory ofProcess() {
        OperatingSystemMXBean machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return new MachineMemory(
                machine.getTotalMemorySize(), Runtime.getRuntime().maxMemory());
    }

    /** The most that a store may have. */
    long mostBytes() {
        return mostBytes;
    }

    /** @throws InvalidRequestException if that is more than there is */
    void check(long memoryBytes) {
        if (memoryBytes > mostBytes) {
            throw new InvalidRequestException("memoryBytes is " + memoryBytes + "; the machine has " + mostBytes
                    + " bytes beside the heap, give at most that, or 0 for a part of it");
        }
    }

    /**
     * What a store has until it is closed.
     *
     * @param asked what it is to have; 0 for a part of what others left
     */
    Share take(long asked) {
        long left;
        synchronized (shares) {
            left = Math.max(
                    0, mostBytes - shares.stream().mapToLong(Share::bytes).sum());
        }
        long usual = Math.max(left / DEFAULT_PART, Math.min(left / 2, LEAST_DEFAULT_BYTES));
        long bytes = asked > 0 ? asked : Math.max(LEAST_BYTES, usual);
        Share share = new Share(bytes, left / MAPPABLE_PART);
        shares.add(share);
        return share;
    }

    /** Part of the machine. */
    final class Share implements AutoCloseable {

        private final long bytes;
        private final long mappableBytes;

        private Share(long bytes, long mappableBytes) {
            this.bytes = bytes;
            this.mappableBytes = mappableBytes;
        }

        /** Memory of the store's own. */
        long bytes() {
            return bytes;
        }

        /** How much of its files may be mapped, which the system takes back when it needs to. */
        long mappableBytes() {
            return mappableBytes;
        }

        @Override
        public void close() {
            shares.remove(this);
        }
    }
}
