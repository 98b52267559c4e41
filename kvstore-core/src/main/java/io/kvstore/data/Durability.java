package io.kvstore.data;

/** The failures that an acknowledged write survives. */
public enum Durability {
    /**
     * The write survives {@code kill -9} of the process. Once the log was synced, the write survives a power loss, too,
     * together with all earlier records. The log is synced at least every {@code syncIntervalMillis}.
     */
    BUFFERED,
    /** The write is durable: it survives a power loss. Writers that wait at the same time share one sync. */
    SYNC;

    /** The stronger of the two levels. */
    public Durability orStronger(Durability other) {
        return this == SYNC ? SYNC : other;
    }
}
