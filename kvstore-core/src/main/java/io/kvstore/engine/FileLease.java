package io.kvstore.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/** Keeps the bytes of a held file until the lease is given back. For any thread. */
public final class FileLease {

    private final LongSupplier pinnedBytes;
    private final Runnable giveBack;
    private final AtomicBoolean returned = new AtomicBoolean();

    /**
     * Makes a lease of what the caller takes next.
     *
     * @param pinnedBytes bytes on the disk that are there for views and holds only; roughly
     * @param giveBack called once; throws nothing
     */
    public FileLease(LongSupplier pinnedBytes, Runnable giveBack) {
        this.pinnedBytes = pinnedBytes;
        this.giveBack = giveBack;
    }

    /** For bytes that stay without a lease. */
    public static FileLease none() {
        return new FileLease(() -> 0, () -> {});
    }

    /** Bytes on the disk that this lease keeps, and that the table needs no more; roughly. */
    public long pinnedBytes() {
        return isReturned() ? 0 : pinnedBytes.getAsLong();
    }

    public boolean isReturned() {
        return returned.get();
    }

    /** Lets the file go. A second call does nothing. */
    public void giveBack() {
        if (returned.compareAndSet(false, true)) {
            giveBack.run();
        }
    }
}
