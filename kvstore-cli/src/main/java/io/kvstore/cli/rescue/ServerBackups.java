package io.kvstore.cli.rescue;

import io.kvstore.cli.console.Aftermath;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.Printable;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.client.ClientBackup;
import io.kvstore.client.ClientRestore;
import io.kvstore.client.KVClient;
import io.kvstore.client.OperationResult;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.NotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Backups in the directory that a server has for them.
 *
 * @param name the address of the server
 */
record ServerBackups(KVClient client, String name) implements BackupPlace {

    /** Makes a backup of the server's store. */
    ClientBackup make(ProgressLine progress) {
        ClientBackup made = await(client.startBackup(), progress).backup();
        if (made == null) {
            throw new IllegalStateException("the server does not say which backup it has made");
        }
        return made;
    }

    void restore(ClientRestore restore, ProgressLine progress) {
        await(client.startRestore(restore), progress);
    }

    /** Waits for an operation, and cancels it if a person presses Ctrl-C. */
    private OperationResult await(OperationResult begun, ProgressLine progress) {
        OperationResult ended;
        boolean[] hasFailed = new boolean[1];
        try {
            ended = client.awaitOperation(begun.id(), state -> {
                hasFailed[0] = state.state() == OperationResult.State.FAILED;
                Quietness.show(progress, Math.max(0, state.doneBytes()), state.totalBytes());
            });
        } catch (CommandFailure e) {
            throw new CommandFailure(e.status(), e.getMessage() + "; " + cancelled(begun.id()));
        } catch (KVClientException e) {
            throw hasFailed[0] ? e : Aftermath.told(e, "; " + name(begun.id()) + " may go on");
        }
        if (ended.state() == OperationResult.State.CANCELLED) {
            throw new CommandFailure(
                    ExitStatus.ERROR,
                    "operation " + ended.id() + " of the server, a "
                            + ended.kind().name().toLowerCase(Locale.ROOT)
                            + ", was cancelled by somebody else, or because the server stops; try again");
        }
        return ended;
    }

    private String name(long operation) {
        return "operation " + operation + " of " + name;
    }

    /** Cancels an operation. Returns its outcome in words. */
    private String cancelled(long operation) {
        OperationResult state;
        try {
            state = client.cancelOperation(operation);
        } catch (KVClientException e) {
            return name(operation) + " could not be told to stop, and may go on: " + e.getMessage();
        }
        return name(operation)
                + switch (state.state()) {
                    case RUNNING, OTHER -> " was told to stop";
                    case CANCELLED -> " has stopped";
                    case FAILED -> " had failed already";
                    case DONE -> " had ended already" + left(state);
                };
    }

    private static String left(OperationResult done) {
        return switch (done.kind()) {
            case BACKUP ->
                ": the backup"
                        + (done.backup() == null ? "" : " " + done.backup().id()) + " is there";
            case RESTORE ->
                ": the database"
                        + (done.restore() == null ? "" : " " + done.restore().restoredAs()) + " is there";
            default -> "";
        };
    }

    @Override
    public List<ClientBackup> all() {
        return client.backups();
    }

    @Override
    public @Nullable String verify(Console console, ProgressLine progress) {
        OperationResult ended = await(client.startVerifyBackups(), progress);
        for (OperationResult.Finding finding : ended.findings()) {
            console.print(Printable.line(finding.place() + ": " + finding.message()) + "\n");
        }
        return ended.findingsTotal() == 0 ? null : Figures.count(ended.findingsTotal(), "finding");
    }

    @Override
    public void delete(long id) {
        client.deleteBackup(id);
    }

    private static String listed(List<Long> ids) {
        return ids.stream().map(id -> Long.toString(id)).collect(Collectors.joining(", "));
    }

    @Override
    public List<Long> keepNewest(int count) {
        if (count < 1) {
            throw new CommandFailure(ExitStatus.USAGE, "at least 1 backup is kept, not " + count);
        }
        List<ClientBackup> all = client.backups();
        List<Long> deleted = new ArrayList<>();
        for (ClientBackup old : all.subList(0, Math.max(0, all.size() - count))) {
            try {
                client.deleteBackup(old.id());
                deleted.add(old.id());
            } catch (NotFoundException _) {
                // somebody else has deleted it
            } catch (KVClientException e) {
                throw deleted.isEmpty() ? e : Aftermath.told(e, " (deleted before: " + listed(deleted) + ")");
            }
        }
        return deleted;
    }
}
