package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import org.jspecify.annotations.Nullable;

/**
 * Which entries to visit, and how. Start from {@link #all()} or {@link #of} and change what matters. Arrays are not copied.
 *
 * @param range the range of keys
 * @param reversed whether to visit from the last key down
 * @param keysOnly whether values are left out
 * @param limit the most entries to visit, 1 or more; {@link Long#MAX_VALUE} for no limit
 * @param pageEntries entries of a page, 1 to 100,000; 0 for 1,000
 * @param pageBytes bytes of keys and values of a page, which has one entry at least; 0 for 1 MiB
 * @param maxValueBytes larger values are told by size instead; -1 for what fits into a frame
 * @param continuation {@link EntryPage#continuation} of the page before; null to begin
 */
public record ScanOptions(
        ClientRange range,
        boolean reversed,
        boolean keysOnly,
        long limit,
        int pageEntries,
        int pageBytes,
        int maxValueBytes,
        byte @Nullable [] continuation) {

    /** @throws io.kvstore.client.error.InvalidRequestException if a figure is out of its range */
    public ScanOptions {
        if (limit < 1 || pageEntries < 0 || pageBytes < 0 || maxValueBytes < -1) {
            throw KVClientException.invalid("limit is " + limit + ", pageEntries " + pageEntries + ", pageBytes "
                    + pageBytes + ", maxValueBytes " + maxValueBytes
                    + "; give 1 or more, 0 or more, 0 or more, -1 or more");
        }
    }

    /** All entries from the first key up. */
    public static ScanOptions all() {
        return of(ClientRange.all());
    }

    /** The entries of a range from its first key up. */
    public static ScanOptions of(ClientRange range) {
        return new ScanOptions(range, false, false, Long.MAX_VALUE, 0, 0, -1, null);
    }

    /** These in the other direction. */
    public ScanOptions reverse() {
        return new ScanOptions(range, !reversed, keysOnly, limit, pageEntries, pageBytes, maxValueBytes, continuation);
    }

    /** These without values. */
    public ScanOptions withoutValues() {
        return new ScanOptions(range, reversed, true, limit, pageEntries, pageBytes, maxValueBytes, continuation);
    }

    /** These with another {@code limit}. */
    public ScanOptions withLimit(long given) {
        return new ScanOptions(range, reversed, keysOnly, given, pageEntries, pageBytes, maxValueBytes, continuation);
    }

    /** These with another {@code pageEntries}. */
    public ScanOptions withPageEntries(int given) {
        return new ScanOptions(range, reversed, keysOnly, limit, given, pageBytes, maxValueBytes, continuation);
    }

    /** These with another {@code pageBytes}. */
    public ScanOptions withPageBytes(int given) {
        return new ScanOptions(range, reversed, keysOnly, limit, pageEntries, given, maxValueBytes, continuation);
    }

    /** These with another {@code maxValueBytes}. */
    public ScanOptions withMaxValueBytes(int given) {
        return new ScanOptions(range, reversed, keysOnly, limit, pageEntries, pageBytes, given, continuation);
    }

    /** These with another {@code continuation}. */
    public ScanOptions withContinuation(byte @Nullable [] given) {
        return new ScanOptions(range, reversed, keysOnly, limit, pageEntries, pageBytes, maxValueBytes, given);
    }
}
