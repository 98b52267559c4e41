package io.kvstore.server.http.endpoint;

import io.kvstore.BackupInfo;
import io.kvstore.engine.Findings;
import io.kvstore.server.edge.BackupDirectory;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Lifecycle;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes backups of the server's store, lists, verifies and deletes them, while the client waits. */
public final class BackupHandlers {

    private final Lifecycle lifecycle;
    private final BackupDirectory backups;

    public BackupHandlers(Edge edge) {
        this.lifecycle = edge.lifecycle();
        this.backups = edge.backups();
    }

    private record Described(
            long id,
            String time,
            long lsn,
            long storeBytes,
            long writtenBytes,
            @Nullable String damage) {
        static Described of(BackupInfo backup) {
            return new Described(
                    backup.id(),
                    backup.time().toString(),
                    backup.lsn(),
                    backup.storeBytes(),
                    backup.writtenBytes(),
                    backup.damage());
        }
    }

    /** A backup as JSON. */
    static Object described(BackupInfo backup) {
        return Described.of(backup);
    }

    private record Verified(String done, double seconds, long total, List<Findings.Finding> findings) {}

    /** Makes a backup while the store is used. Answers 201 with the backup. */
    public Reply create(Request request) {
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob()) {
            BackupInfo made = backups.make((done, total) -> !lifecycle.isStopping());
            if (made == null) {
                lifecycle.checkNotStopping();
                throw new IllegalStateException("the backup ended early");
            }
            return Reply.json(201, Described.of(made));
        }
    }

    public Reply list(Request request) {
        return Reply.ok(
                Map.of("backups", backups.list().stream().map(Described::of).toList()));
    }

    /** Reads every byte of all backups. Stops when the server is stopping. */
    public Reply verify(Request request) {
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob()) {
            long begun = System.nanoTime();
            Findings findings = backups.verify((done, total) -> !lifecycle.isStopping());
            lifecycle.checkNotStopping();
            return Reply.ok(new Verified("verify", ServerHandlers.seconds(begun), findings.total(), findings.kept()));
        }
    }

    public Reply delete(Request request) {
        backups.delete(id(request.name("backup")));
        return Reply.noContent();
    }

    private static long id(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw ProblemException.invalid("the id of a backup is a number, not \"" + text + "\"");
        }
    }
}
