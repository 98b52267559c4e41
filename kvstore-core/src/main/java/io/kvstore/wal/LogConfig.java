package io.kvstore.wal;

import io.kvstore.data.Clock;
import io.kvstore.data.Workers;
import io.kvstore.io.NumberedName;
import io.kvstore.io.Storage;
import java.util.function.Consumer;

/**
 * What a log needs.
 *
 * @param storage where its files are
 * @param directory their directory, which exists
 * @param storeId the store they belong to
 * @param landing how bytes land
 * @param segmentBytes size of a segment
 * @param limitBytes how long all its files may be together; a record that is larger than a segment may go beyond it
 * @param syncIntervalMillis the longest time landed bytes stay unsynced
 * @param background runs preparation of segments and the sync of full ones
 * @param onFailure told once when the log fails
 * @param clock elapsed time
 */
public record LogConfig(
        Storage storage,
        String directory,
        StoreId storeId,
        Landing landing,
        long segmentBytes,
        long limitBytes,
        long syncIntervalMillis,
        Workers background,
        Consumer<Throwable> onFailure,
        Clock clock) {

    /** The simple names of segments, by their ids. */
    public static final NumberedName SEGMENT_NAME = new NumberedName(16, ".wal");

    /** How appended bytes reach the file; see {@code docs/adr} for the measurements. */
    public enum Landing {
        /** Gathered in memory, written by a leader. */
        STAGED,
        /** Copied into a mapping of the file. */
        MAPPED
    }
}
