package io.kvstore.sealed.read;

import io.kvstore.error.CorruptionException;
import java.io.IOException;

/** Fences stand before some of the records. The records from one fence to the next are a block. */
sealed interface Fences permits PointFences, StoredFences {

    long count();

    /** The head of the first key of a block. */
    long head(long block) throws IOException;

    /** Where a block begins. The one behind the last begins where the records end. */
    long place(long block) throws IOException;

    /** How many records are before a block. */
    long ordinal(long block) throws IOException;

    /** The damage of a block that does not have a record which it should have. */
    CorruptionException withoutRecord(long block, long ordinal) throws IOException;

    /** The block in which the record of an ordinal is. */
    default long blockOf(long ordinal) throws IOException {
        long low = 0;
        long high = count();
        while (high - low > 1) {
            long middle = (low + high) >>> 1;
            if (ordinal(middle) <= ordinal) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The first block from {@code from} on whose head is not below (or, if {@code orSame}, above) a head; else {@code to}. */
    default long firstFrom(long from, long to, long head, boolean orSame) throws IOException {
        long low = from;
        long high = to;
        while (low < high) {
            long middle = (low + high) >>> 1;
            int order = Long.compareUnsigned(head(middle), head);
            if (order < 0 || (orSame && order == 0)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
