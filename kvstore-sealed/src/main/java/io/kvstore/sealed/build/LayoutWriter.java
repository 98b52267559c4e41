package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import java.io.IOException;

/** Writes what stands between the header and the digests of a file, from entries in the order of their keys. */
sealed interface LayoutWriter permits PointLayoutWriter, SortedLayoutWriter {

    /** Where the parts of a file begin. */
    record Places(long dataEnd, long locator, long fences) {}

    /**
     * Adds an entry.
     *
     * @param ordinal how many entries are before it
     */
    void put(byte[] key, Slice value, long ordinal) throws IOException;

    /** Hands what was put to a sorter, before it has anything else. Nothing is put any more. */
    void handTo(RunSorter sorter) throws IOException;

    /** Writes all, up to the digests. */
    Places finish(long entries) throws IOException;
}
