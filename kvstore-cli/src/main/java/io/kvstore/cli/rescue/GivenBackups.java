package io.kvstore.cli.rescue;

import io.kvstore.cli.session.Session;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The backups that a command is about. */
final class GivenBackups {

    @Parameters(
            arity = "0..1",
            paramLabel = "REPOSITORY",
            description = "The directory of the backups. Default: the one that the server has for them.")
    private @Nullable Path repository;

    @Mixin
    private final GivenServer server = new GivenServer();

    /** The backups, for a command that only reads them. */
    BackupPlace in(Session session, String command) {
        if (repository == null) {
            return server.backups(session, command + " REPOSITORY");
        }
        server.requireNone();
        return new DirectoryBackups(GivenStore.existing(repository));
    }

    /** The backups, for a command that changes them. */
    BackupPlace toWrite(Session session, String command) {
        if (repository != null) {
            server.requireNoneToWrite(session);
        }
        return in(session, command);
    }
}
