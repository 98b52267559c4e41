package io.kvstore.wal.segment;

import io.kvstore.data.Clock;
import io.kvstore.data.Workers;
import io.kvstore.io.NumberedName;
import io.kvstore.io.Storage;
import io.kvstore.wal.format.StoreId;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The settings of a log, and the services that it uses.
 *
 * @param limitBytes limit of the total length of all its files; a record that is larger than a segment may exceed it
 * @param syncIntervalMillis the longest time landed bytes stay unsynced
 * @param background runs preparation of segments and the sync of full ones
 * @param onFailure told when the log fails; two failures at the same time may both be told
 * @param catalog the revision of the catalog that is durable, which marks note; 0 while there is none
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
        Clock clock,
        LongSupplier catalog) {

    public static final NumberedName SEGMENT_NAME = new NumberedName(16, ".wal");

    /** The settings of a copy of the log in another storage. */
    public LogConfig copiedTo(Storage target, String targetDirectory, long catalogRevision) {
        return new LogConfig(
                target,
                targetDirectory,
                storeId,
                Landing.STAGED,
                segmentBytes,
                limitBytes,
                syncIntervalMillis,
                background,
                onFailure,
                clock,
                () -> catalogRevision);
    }

    /** How appended bytes reach the file; see {@code docs/adr} for the measurements. */
    public enum Landing {
        /** Bytes gather in memory, and a leader writes them. */
        STAGED,
        /** Bytes are copied into a mapping of the file. */
        MAPPED
    }
}
