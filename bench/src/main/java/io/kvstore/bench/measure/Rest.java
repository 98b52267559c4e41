package io.kvstore.bench.measure;

import io.kvstore.data.Pause;
import java.io.IOException;

/** Waits until this process is at rest. */
public final class Rest {

    private static final long LONGEST_WAIT_NANOS = 300_000_000_000L;
    private static final long LOOK_NANOS = 100_000_000;

    /** The system counts the time of processors in ticks of 10 ms. */
    private static final long LEAST_LOOK_NANOS = 40_000_000;

    /** A process at rest uses less than one part in this number of a processor. */
    private static final int IDLE_PART = 4;

    private Rest() {}

    /**
     * Waits until the process has been at rest for some time. A process that waits for a long sync writes nothing and uses no
     * processor, so waiting for the disk does not count as rest. Gives up after {@link #LONGEST_WAIT_NANOS}. Returns the time
     * at which the rest began.
     */
    public static long await(long quietMillis) throws IOException {
        long lookNanos = Math.clamp(quietMillis * 1_000_000, LEAST_LOOK_NANOS, LOOK_NANOS);
        long begin = System.nanoTime();
        long since = begin;
        long looked = begin;
        long cpuNanos = OwnProcess.cpuNanos();
        long written = OwnProcess.writtenBytes();
        while (looked - begin < LONGEST_WAIT_NANOS && looked - since < quietMillis * 1_000_000) {
            Pause.nanos(lookNanos);
            long now = System.nanoTime();
            long cpuNow = OwnProcess.cpuNanos();
            long writtenNow = OwnProcess.writtenBytes();
            boolean works = (cpuNow - cpuNanos) * IDLE_PART > now - looked;
            if (works || writtenNow != written || OwnProcess.waitsForDisk()) {
                since = now;
            }
            looked = now;
            cpuNanos = cpuNow;
            written = writtenNow;
        }
        return since;
    }
}
