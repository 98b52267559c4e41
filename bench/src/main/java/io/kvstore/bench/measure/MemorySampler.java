package io.kvstore.bench.measure;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Samples the memory of this process ten times a second and keeps the greatest figures. The sampler's own lock guards them. */
public final class MemorySampler implements AutoCloseable {

    private static final int PERIOD_MILLIS = 100;

    /**
     * The JVM gives heap memory back in pieces, and takes this time, at most, after it has reported the memory as given back.
     */
    private static final int GIVING_BACK_MILLIS = 1_000;

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final ScheduledFuture<?> ticks;

    @GuardedBy("this")
    private final long[] lastHeapBytes = new long[GIVING_BACK_MILLIS / PERIOD_MILLIS];

    @GuardedBy("this")
    private int samples;

    @GuardedBy("this")
    private long anonymousBytes;

    @GuardedBy("this")
    private long besideHeapBytes;

    public MemorySampler() {
        ticks = clock.scheduleAtFixedRate(this::sample, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Takes a sample now. */
    public void sample() {
        try {
            long heap = OwnProcess.touchedHeapBytes();
            long anonymous = OwnProcess.anonymousBytes();
            synchronized (this) {
                lastHeapBytes[samples++ % lastHeapBytes.length] = Math.max(heap, OwnProcess.touchedHeapBytes());
                heap = Arrays.stream(lastHeapBytes).max().orElseThrow();
                anonymousBytes = Math.max(anonymousBytes, anonymous);
                besideHeapBytes = Math.max(besideHeapBytes, anonymous - heap);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The most anonymous memory that was seen. */
    public synchronized long anonymousBytes() {
        return anonymousBytes;
    }

    /** The most anonymous memory that was seen beside the part of the heap that was ever in use. */
    public synchronized long besideHeapBytes() {
        return besideHeapBytes;
    }

    @Override
    public void close() {
        ticks.cancel(false);
        clock.shutdownNow();
    }
}
