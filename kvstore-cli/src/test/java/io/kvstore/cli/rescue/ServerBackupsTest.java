package io.kvstore.cli.rescue;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.client.ClientBackup;
import io.kvstore.client.ClientRestore;
import io.kvstore.client.KVClient;
import io.kvstore.client.OperationResult;
import io.kvstore.client.OperationResult.Kind;
import io.kvstore.client.OperationResult.State;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is said of an operation of a server that a person has ended, or that nobody can wait for. */
final class ServerBackupsTest {

    private static final ClientRestore RESTORE = new ClientRestore(1, "shop", "old");

    private final Console console = new Console(
            new ByteArrayInputStream("".getBytes(UTF_8)),
            OutputStream.nullOutputStream(),
            OutputStream.nullOutputStream(),
            new Terminals(false, false, false),
            System::nanoTime);

    private static OperationResult operation(Kind kind, State state) {
        ClientBackup backup = kind == Kind.BACKUP ? new ClientBackup(3, Instant.EPOCH, 1, 1, 1, null) : null;
        ClientRestore restore = kind == Kind.RESTORE ? RESTORE : null;
        return new OperationResult(7, kind, null, null, state, 1, 1, 1, 0, List.of(), null, backup, restore);
    }

    private static KVClientException failure(String message) {
        return KVClientException.of(ErrorReport.of(ErrorCode.CONNECTION_FAILED, Outcome.REJECTED, message));
    }

    /** A client whose operation is in one state when it is waited for, and answers a cancellation. */
    private static KVClient client(
            OperationResult waited, @Nullable KVClientException end, Supplier<OperationResult> cancelled) {
        return (KVClient) Proxy.newProxyInstance(
                ServerBackupsTest.class.getClassLoader(),
                new Class<?>[] {KVClient.class},
                (_, method, arguments) -> switch (method.getName()) {
                    case "startBackup", "startRestore" -> operation(waited.kind(), State.RUNNING);
                    case "awaitOperation" -> {
                        @SuppressWarnings("unchecked") // it is a parameter of this type
                        Consumer<OperationResult> watcher = (Consumer<OperationResult>) arguments[1];
                        watcher.accept(waited);
                        if (end != null) {
                            throw end;
                        }
                        yield waited;
                    }
                    case "cancelOperation" -> cancelled.get();
                    default -> throw new IllegalStateException(method.getName());
                });
    }

    private String told(Kind kind, KVClient client) {
        ServerBackups backups = new ServerBackups(client, "thrift://h:1");
        RuntimeException e = assertThrows(RuntimeException.class, () -> {
            try (ProgressLine progress = new ProgressLine(console, true)) {
                if (kind == Kind.BACKUP) {
                    backups.make(progress);
                } else {
                    backups.restore(RESTORE, progress);
                }
            }
        });
        if (e instanceof CommandFailure failure) {
            assertEquals(ExitStatus.INTERRUPTED, failure.status());
        }
        return String.valueOf(e.getMessage());
    }

    private String interrupted(Kind kind, State state) {
        console.interruption().ask();
        return told(kind, client(operation(kind, State.RUNNING), null, () -> operation(kind, state)));
    }

    @Test
    void an_interrupt_tells_what_the_operation_had_become() {
        String begin = "interrupted; operation 7 of thrift://h:1 ";
        assertEquals(begin + "was told to stop", interrupted(Kind.BACKUP, State.RUNNING));
        assertEquals(begin + "has stopped", interrupted(Kind.BACKUP, State.CANCELLED));
        assertEquals(begin + "had failed already", interrupted(Kind.BACKUP, State.FAILED));
        assertEquals(begin + "had ended already: the backup 3 is there", interrupted(Kind.BACKUP, State.DONE));
        assertEquals(begin + "had ended already: the database old is there", interrupted(Kind.RESTORE, State.DONE));
        KVClient broken = client(operation(Kind.BACKUP, State.RUNNING), null, () -> {
            throw failure("no server");
        });
        assertEquals(begin + "could not be told to stop, and may go on: no server", told(Kind.BACKUP, broken));
    }

    @Test
    void a_failure_of_waiting_names_the_operation() {
        for (State state : List.of(State.RUNNING, State.FAILED)) {
            KVClient client = client(operation(Kind.BACKUP, state), failure("gone"), () -> {
                throw new IllegalStateException("nobody has asked for it");
            });
            assertEquals(
                    state == State.FAILED ? "gone" : "gone; operation 7 of thrift://h:1 may go on",
                    told(Kind.BACKUP, client));
        }
    }

    /** A client of five backups, of which the second is deleted by somebody else, and the last ones cannot be deleted. */
    private static KVClient keeping(int deletable) {
        return (KVClient) Proxy.newProxyInstance(
                ServerBackupsTest.class.getClassLoader(),
                new Class<?>[] {KVClient.class},
                (_, method, arguments) -> switch (method.getName()) {
                    case "backups" ->
                        LongStream.rangeClosed(1, 5)
                                .mapToObj(id -> new ClientBackup(id, Instant.EPOCH, 1, 1, 1, null))
                                .toList();
                    case "deleteBackup" -> {
                        long id = (long) arguments[0];
                        if (id == 2) {
                            throw KVClientException.of(
                                    ErrorReport.of(ErrorCode.NOT_FOUND, Outcome.REJECTED, "there is no backup 2"));
                        }
                        if (id > deletable) {
                            throw failure("gone");
                        }
                        yield null;
                    }
                    default -> throw new IllegalStateException(method.getName());
                });
    }

    @Test
    void a_failure_tells_what_was_deleted_before() {
        assertEquals(List.of(1L, 3L), new ServerBackups(keeping(5), "thrift://h:1").keepNewest(2));
        for (int deletable : List.of(0, 2, 3)) {
            RuntimeException e = assertThrows(
                    RuntimeException.class, () -> new ServerBackups(keeping(deletable), "thrift://h:1").keepNewest(1));
            String before = List.of("", "", " (deleted before: 1)", " (deleted before: 1, 3)")
                    .get(deletable);
            assertEquals("gone" + before, e.getMessage());
        }
    }
}
