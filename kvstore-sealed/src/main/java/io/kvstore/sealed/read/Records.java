package io.kvstore.sealed.read;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The records of a file. Each is checked whenever it is read. A place of a record is what the locator has. */
sealed interface Records permits PackedRecords, PlainRecords, PointRecords {

    /** The value of a key, if the record at a place is the key's; else null. */
    byte @Nullable [] valueOf(byte[] key, long place) throws IOException;

    /** Reads all records of a block and checks them. */
    void load(long block, RecordBlock into) throws IOException;

    /** The place of a record of a block that was loaded. */
    long placeOf(RecordBlock block, int record) throws IOException;

    /**
     * How many places of records a locator leads to, for a verification.
     *
     * @param step runs after every few of them, and may throw to end this
     */
    default long used(Locator locator, Runnable step) throws IOException {
        return locator.used(step);
    }
}
