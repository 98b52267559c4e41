package io.kvstore.cli.rescue;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TargetOptions;
import picocli.CommandLine.Mixin;

/** The server that a command means if it names no directory. */
final class GivenServer {

    private static final String SCHEME = "://";

    @Mixin
    private final TargetOptions target = new TargetOptions();

    /** Requires that no option names a server: the command line names directories. */
    void requireNone() {
        if (!target.isNone()) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "the command names directories, which --url, --profile, --token-file, --ca-file and --read-only do"
                            + " not apply to; leave those options out, or leave the directories out for those of a server");
        }
    }

    /** As {@link #requireNone}, for a command that writes to directories, which a shell that only reads refuses. */
    void requireNoneToWrite(Session session) {
        requireNone();
        session.requireWritable();
    }

    ServerBackups backups(Session session, String directories) {
        String where = session.where(target);
        if (!where.contains(SCHEME)) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    where
                            + " is a directory, and has no backups of its own; name the directories, as in 'kvstore backup "
                            + directories + "'");
        }
        return new ServerBackups(session.client(target), where);
    }
}
