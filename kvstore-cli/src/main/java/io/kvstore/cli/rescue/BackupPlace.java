package io.kvstore.cli.rescue;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.client.ClientBackup;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where backups are. */
sealed interface BackupPlace permits DirectoryBackups, ServerBackups {

    /** For people. */
    String name();

    /** The backups, oldest first. */
    List<ClientBackup> all();

    /** Reads every byte, and prints each finding in a line. Returns how many there are, for people; null if there is none. */
    @Nullable
    String verify(Console console, ProgressLine progress);

    void delete(long id);

    /** Deletes all but the newest ones. Returns the ids of those that were deleted. */
    List<Long> keepNewest(int count);

    /** The backup of an option, or the newest one. */
    default long wanted(@Nullable Long id) {
        if (id != null) {
            return id;
        }
        List<ClientBackup> all = all();
        if (all.isEmpty()) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    name() + " has no backup; 'kvstore backup create --help' says how to make one");
        }
        return all.getLast().id();
    }
}
