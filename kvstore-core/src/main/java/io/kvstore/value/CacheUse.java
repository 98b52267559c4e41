package io.kvstore.value;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether the values of a table are written past the system's cache of files: when so much was written that nobody reads any.
 * Who loads a table, or overwrites it, then leaves the cache to others, and the system has no copy to make. Where values are
 * read as well, those that come are likely to be read soon, and the cache has them.
 */
final class CacheUse {

    private final long unreadBytes;
    private final AtomicLong uncachedBytes = new AtomicLong();

    /** Changed by all readers without a lock. */
    private boolean read;

    /** Of the one who writes. */
    private long since;

    private volatile boolean unread;

    /** @param unreadBytes so many are written through the cache first, and after each read */
    CacheUse(long unreadBytes) {
        this.unreadBytes = unreadBytes;
    }

    /** Some value is read. */
    void noteRead() {
        if (!read) {
            read = true;
        }
    }

    /** Whether what comes is to be written past the cache. */
    boolean isUnread() {
        return unread && !read;
    }

    /** Something was written, some of it past the cache; for one thread at a time. */
    void noteWritten(long bytes, long uncached) {
        if (read) {
            read = false;
            since = 0;
        }
        since += bytes;
        unread = since >= unreadBytes;
        uncachedBytes.addAndGet(uncached);
    }

    /** How many bytes went past the cache so far. */
    long uncachedBytes() {
        return uncachedBytes.get();
    }
}
