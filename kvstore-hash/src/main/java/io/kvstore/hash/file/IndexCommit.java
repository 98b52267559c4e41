package io.kvstore.hash.file;

import io.kvstore.value.segment.ValueSegmentList;

/**
 * What a commit says.
 *
 * @param sequence counts the commits of a table
 * @param lsn the index has every operation up to this lsn, and nothing of a later one
 * @param entries how many keys have a value
 * @param segments the value segments into which the words of the index point
 */
public record IndexCommit(long sequence, long lsn, long entries, ValueSegmentList segments) {

    /** That of a table in which nothing was written yet. */
    static final IndexCommit EMPTY = new IndexCommit(1, 0, 0, ValueSegmentList.EMPTY);
}
