package io.kvstore.io.offheap;

import java.util.concurrent.atomic.AtomicLong;

/** The most bytes that the chunks of all files of one storage take together. Safe for use by any number of threads. */
public final class OffHeapLimit {

    private final long mostBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    public OffHeapLimit(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Takes bytes if they are free. Otherwise returns false and takes nothing. */
    boolean tryTake(long bytes) {
        long now;
        do {
            now = usedBytes.get();
            if (bytes > mostBytes - now) {
                return false;
            }
        } while (!usedBytes.compareAndSet(now, now + bytes));
        return true;
    }

    void giveBack(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    public long mostBytes() {
        return mostBytes;
    }

    public long usedBytes() {
        return usedBytes.get();
    }
}
