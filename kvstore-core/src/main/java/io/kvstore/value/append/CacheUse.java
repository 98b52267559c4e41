package io.kvstore.value.append;

import io.kvstore.data.KeyHash;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the values of a table are written past the system's cache of files. They are once enough bytes were written
 * with no read in between. A bulk load or an overwrite then leaves the cache to other data and saves the system a copy. In a
 * table whose values are read, new values are likely to be read soon, so they are written through the cache.
 *
 * <p>Enough is much more while large values are put for new keys. The first read of a large value that went past the cache
 * waits for the disk. Small values share that wait with their neighbours, and large ones do not.
 */
public final class CacheUse {

    /** A page of 4 KiB has parts of three values of this length at most. */
    public static final int LARGE_BYTES = 2 << 10;

    private final Limits limits;
    private final KeyHash keyHash;
    private final AtomicLong uncachedBytes = new AtomicLong();

    /** Bytes of large values that were put, in all. */
    private final AtomicLong largeBytes = new AtomicLong();

    /** Of the large values. None before half of {@link Limits#unreadBytes} were written without a read. */
    private volatile @Nullable PutSample sample;

    /** Set by readers and cleared by the writer, without a lock. */
    private boolean read;

    /** Bytes that were written since the last read. Only the writer uses it. */
    private long since;

    /** {@link #largeBytes} when {@link #since} was 0. Only the writer uses it. */
    private long largeBefore;

    private volatile boolean unread;
    private volatile boolean passesCache;
    private volatile boolean wantsSample;

    /**
     * How many bytes without a read in between are written through the cache before it is passed.
     *
     * @param unreadBytes in general
     * @param loadedBytes while most of the bytes are large values for new keys
     */
    public record Limits(long unreadBytes, long loadedBytes) {}

    public CacheUse(Limits limits, KeyHash keyHash) {
        this.limits = limits;
        this.keyHash = keyHash;
    }

    public void noteRead() {
        if (!read) {
            read = true;
        }
    }

    /** Makes the sample if it is wanted, because {@link #notePut} allocates nothing. For the thread that puts. */
    public void reserve() {
        if (wantsSample && sample == null) {
            try {
                sample = new PutSample(keyHash);
            } catch (OutOfMemoryError e) {
                wantsSample = false; // no write is refused for a guess
            }
        }
    }

    /** Notes that a value is put. For one thread at a time. Allocates nothing. */
    public void notePut(byte[] key, int length) {
        if (length >= LARGE_BYTES) {
            largeBytes.setRelease(largeBytes.getPlain() + length);
            PutSample keys = sample;
            if (keys != null) {
                keys.note(key, length);
            }
        }
    }

    /** Whether nobody has read for so many bytes that the next bytes are probably not read soon. */
    boolean isUnread() {
        return unread && !read;
    }

    /** Whether the next bytes are to be written past the cache. */
    boolean passesCache() {
        return passesCache && !read;
    }

    /** Notes that bytes were written, some of them past the cache. For one thread at a time. */
    void noteWritten(long bytes, long uncached) {
        if (read) {
            read = false;
            since = 0;
            largeBefore = largeBytes.getAcquire();
        }
        since += bytes;
        wantsSample = since >= limits.unreadBytes / 2;
        unread = since >= limits.unreadBytes;
        passesCache = unread && (since >= limits.loadedBytes || !isLoadOfLarge());
        uncachedBytes.addAndGet(uncached);
    }

    private boolean isLoadOfLarge() {
        PutSample keys = sample;
        return keys != null && !keys.replaces() && largeBytes.getAcquire() - largeBefore >= since / 2;
    }

    public long uncachedBytes() {
        return uncachedBytes.get();
    }
}
