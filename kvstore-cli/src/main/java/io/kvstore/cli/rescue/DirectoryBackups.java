package io.kvstore.cli.rescue;

import io.kvstore.BackupInfo;
import io.kvstore.Backups;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.FindingLines;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.client.ClientBackup;
import io.kvstore.engine.Findings;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Backups in a directory of this machine. */
record DirectoryBackups(Path repository) implements BackupPlace {

    static ClientBackup described(BackupInfo backup) {
        return new ClientBackup(
                backup.id(), backup.time(), backup.lsn(), backup.storeBytes(), backup.writtenBytes(), backup.damage());
    }

    @Override
    public String name() {
        return repository.toString();
    }

    @Override
    public List<ClientBackup> all() {
        return Backups.list(repository).stream()
                .map(DirectoryBackups::described)
                .toList();
    }

    @Override
    public @Nullable String verify(Console console, ProgressLine progress) {
        Findings findings = Backups.verify(repository, Quietness.told(progress));
        FindingLines.print(console, findings);
        return findings.total() == 0 ? null : FindingLines.count(findings);
    }

    @Override
    public void delete(long id) {
        Backups.delete(repository, id);
    }

    @Override
    public List<Long> keepNewest(int count) {
        return Backups.keepNewest(repository, count);
    }
}
