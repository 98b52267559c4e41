package io.kvstore.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A backup of the store. If its description is damaged, only the id is known, and all other figures are 0.
 *
 * @param id counts the backups, from 1 on
 * @param time when the backup was made, by the clock of the server
 * @param lsn the backup has every operation of the store up to this place in its log, and no later one
 * @param storeBytes the size of a store that is restored from it
 * @param writtenBytes what this backup added to those before
 * @param damage what is wrong with its description; null if nothing is
 */
public record ClientBackup(
        long id,
        Instant time,
        long lsn,
        long storeBytes,
        long writtenBytes,
        @Nullable String damage) {}
