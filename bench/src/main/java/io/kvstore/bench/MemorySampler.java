package io.kvstore.bench;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Looks at the memory of this process ten times a second and keeps the greatest figures. Its own lock guards them. */
final class MemorySampler implements AutoCloseable {

    private static final int PERIOD_MILLIS = 100;

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final ScheduledFuture<?> ticks;

    @GuardedBy("this")
    private long anonymousBytes;

    @GuardedBy("this")
    private long besideHeapBytes;

    MemorySampler() {
        ticks = clock.scheduleAtFixedRate(this::sample, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Looks now. */
    void sample() {
        try {
            long anonymous = OwnProcess.anonymousBytes();
            long heap = OwnProcess.touchedHeapBytes();
            synchronized (this) {
                anonymousBytes = Math.max(anonymousBytes, anonymous);
                besideHeapBytes = Math.max(besideHeapBytes, anonymous - heap);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The most anonymous memory seen. */
    synchronized long anonymousBytes() {
        return anonymousBytes;
    }

    /** The most anonymous memory seen beside the heap that was ever in use. */
    synchronized long besideHeapBytes() {
        return besideHeapBytes;
    }

    @Override
    public void close() {
        ticks.cancel(false);
        clock.shutdownNow();
    }
}
