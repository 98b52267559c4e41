package io.kvstore.value.append;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides whether the values of a table are written past the system's cache of files. They are once enough bytes were written
 * with no read in between. A bulk load or an overwrite then leaves the cache to other data and saves the system a copy. In a
 * table whose values are read, new values are likely to be read soon, so they are written through the cache.
 */
public final class CacheUse {

    private final long unreadBytes;
    private final AtomicLong uncachedBytes = new AtomicLong();

    /** Set by readers and cleared by the writer, without a lock. */
    private boolean read;

    /** Bytes that were written since the last read. Only the writer uses it. */
    private long since;

    private volatile boolean unread;

    /** @param unreadBytes this many bytes without a read in between are written through the cache before the cache is passed */
    public CacheUse(long unreadBytes) {
        this.unreadBytes = unreadBytes;
    }

    public void noteRead() {
        if (!read) {
            read = true;
        }
    }

    /** Whether the next bytes are to be written past the cache. */
    boolean isUnread() {
        return unread && !read;
    }

    /** Notes that bytes were written, some of them past the cache. For one thread at a time. */
    void noteWritten(long bytes, long uncached) {
        if (read) {
            read = false;
            since = 0;
        }
        since += bytes;
        unread = since >= unreadBytes;
        uncachedBytes.addAndGet(uncached);
    }

    public long uncachedBytes() {
        return uncachedBytes.get();
    }
}
