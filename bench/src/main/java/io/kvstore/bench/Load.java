package io.kvstore.bench;

/** What is asked of a store, and the memtable it is given for it. */
enum Load {
    /** Puts that survive the process, for a while: log, memtables, flushes and compactions share the machine. */
    BUFFERED("BUFFERED", false, 64L << 20, Long.MAX_VALUE),
    /** As many such puts as go into one empty memtable: log and memtable alone. */
    BURST("BUFFERED burst", false, 256L << 20, 300_000),
    /** Puts that survive a power loss. */
    SYNC("SYNC", true, 64L << 20, Long.MAX_VALUE);

    private final String title;
    private final boolean synced;
    private final long memTableBytes;
    private final long maxEntries;

    Load(String title, boolean synced, long memTableBytes, long maxEntries) {
        this.title = title;
        this.synced = synced;
        this.memTableBytes = memTableBytes;
        this.maxEntries = maxEntries;
    }

    /** What the table of results calls it. */
    String title() {
        return title;
    }

    boolean isSynced() {
        return synced;
    }

    long memTableBytes() {
        return memTableBytes;
    }

    /** Where a measurement ends before its time is over; all threads together. */
    long maxEntries() {
        return maxEntries;
    }
}
