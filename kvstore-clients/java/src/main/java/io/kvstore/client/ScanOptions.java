package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import org.jspecify.annotations.Nullable;

/**
 * The entries that a scan visits, and the size of its pages. Start from {@link #all()} or {@link #of}, and change single
 * options by the other methods. Arrays are not copied.
 *
 * @param range the range of keys
 * @param reversed whether the scan goes from the last key down
 * @param keysOnly whether values are left out
 * @param limit the most entries that are visited, 1 or more; {@link Long#MAX_VALUE} for no limit
 * @param pageEntries the most entries of a page, 1 to 100,000; 0 for 1,000
 * @param pageBytes the most bytes of the keys and values of a page, 1 to half a MiB less than a frame; 0 for 1 MiB. A page has
 *     at least one entry
 * @param maxValueBytes of a larger value only the size is returned; -1 for the most that fits into a frame
 * @param continuation {@link EntryPage#continuation} of the page before; null for the first page
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

    /** @throws io.kvstore.client.error.InvalidRequestException if a number is below its range; a call checks the upper ends */
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

    /** These options with the other direction. */
    public ScanOptions reverse() {
        return new ScanOptions(range, !reversed, keysOnly, limit, pageEntries, pageBytes, maxValueBytes, continuation);
    }

    /** These options without values. */
    public ScanOptions withoutValues() {
        return new ScanOptions(range, reversed, true, limit, pageEntries, pageBytes, maxValueBytes, continuation);
    }

    /** These options with another {@code limit}. */
    public ScanOptions withLimit(long given) {
        return new ScanOptions(range, reversed, keysOnly, given, pageEntries, pageBytes, maxValueBytes, continuation);
    }

    /** These options with another {@code pageEntries}. */
    public ScanOptions withPageEntries(int given) {
        return new ScanOptions(range, reversed, keysOnly, limit, given, pageBytes, maxValueBytes, continuation);
    }

    /** These options with another {@code pageBytes}. */
    public ScanOptions withPageBytes(int given) {
        return new ScanOptions(range, reversed, keysOnly, limit, pageEntries, given, maxValueBytes, continuation);
    }

    /** These options with another {@code maxValueBytes}. */
    public ScanOptions withMaxValueBytes(int given) {
        return new ScanOptions(range, reversed, keysOnly, limit, pageEntries, pageBytes, given, continuation);
    }

    /** These options with another {@code continuation}. */
    public ScanOptions withContinuation(byte @Nullable [] given) {
        return new ScanOptions(range, reversed, keysOnly, limit, pageEntries, pageBytes, maxValueBytes, given);
    }
}
