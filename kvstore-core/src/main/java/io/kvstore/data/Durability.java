package io.kvstore.data;

/** What an acknowledged write survives. */
public enum Durability {
    /**
     * Survives {@code kill -9} of the process, and together with all earlier records a power loss once the log was
     * synced, which happens at least every {@code syncIntervalMillis}.
     */
    BUFFERED,
    /** Is on disk: survives a power loss. Writers that wait at the same time share one sync. */
    SYNC;

    /** The stronger of the two levels. */
    public Durability orStronger(Durability other) {
        return this == SYNC ? SYNC : other;
    }
}
