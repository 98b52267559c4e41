package io.kvstore;

import io.kvstore.backup.Backup;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A backup in a repository. If its manifest is damaged, only the id is known, and all other figures are 0.
 *
 * @param id counts the backups of the repository, from 1 on; never used twice while the newest backup is kept
 * @param time when the backup was made, by the clock of its machine
 * @param lsn a store that is restored from it has every operation up to this lsn, as {@link KVStore#write} returned it, and
 *     nothing of a later one
 * @param storeBytes bytes of all files of a store that is restored from it
 * @param writtenBytes bytes that were written for this backup, because no earlier one had them
 * @param damage why the backup cannot be restored, as far as its manifest tells; null if it can be read. {@link Backups#verify}
 *     reads all the rest
 */
public record BackupInfo(
        long id,
        Instant time,
        long lsn,
        long storeBytes,
        long writtenBytes,
        @Nullable String damage) {

    static BackupInfo of(Backup backup) {
        return new BackupInfo(
                backup.id(),
                Instant.ofEpochMilli(backup.wallMillis()),
                backup.lsn(),
                backup.storeBytes(),
                backup.writtenBytes(),
                null);
    }

    static BackupInfo damaged(long id, String reason) {
        return new BackupInfo(id, Instant.EPOCH, 0, 0, 0, reason);
    }
}
