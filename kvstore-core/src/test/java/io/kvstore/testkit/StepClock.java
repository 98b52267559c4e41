package io.kvstore.testkit;

import io.kvstore.data.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until it is told to go on. */
public final class StepClock implements Clock {

    private final AtomicLong nanos = new AtomicLong(1);

    @Override
    public long nanoTime() {
        return nanos.get();
    }

    /** Lets time pass. */
    public void advance(long millis) {
        advanceNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    void advanceNanos(long by) {
        nanos.addAndGet(by);
    }
}
