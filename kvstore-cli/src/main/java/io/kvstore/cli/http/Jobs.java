package io.kvstore.cli.http;

import io.kvstore.client.ClientBackup;
import io.kvstore.client.ClientRestore;
import io.kvstore.client.OperationResult;
import io.kvstore.client.OperationResult.Kind;
import io.kvstore.client.OperationResult.State;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Jobs of the server, and its backups. */
final class Jobs {

    private static final String OPERATIONS = Paths.ROOT + "/operations";
    private static final String BACKUPS = Paths.ROOT + "/backups";
    private static final long FIRST_POLL_MILLIS = 10;
    private static final long LAST_POLL_MILLIS = 500;

    private final Exchange exchange;

    Jobs(Exchange exchange) {
        this.exchange = exchange;
    }

    /** Starts a job that is not for a table. */
    OperationResult start(Kind kind) {
        return start(Documents.job(name(kind), null, null));
    }

    /** Starts a job for a table. */
    OperationResult start(Kind kind, String database, String table) {
        return switch (kind) {
            case FLUSH, OPTIMIZE, VERIFY -> start(Documents.job(name(kind), database, table));
            default -> throw KVClientException.invalid(kind + " is not an operation of a table");
        };
    }

    OperationResult start(ClientRestore restore) {
        return start(Documents.restore(restore));
    }

    private OperationResult start(byte[] document) {
        return operation(exchange.send(Call.write("POST", OPERATIONS, document)).json());
    }

    List<OperationResult> all() {
        List<OperationResult> all = new ArrayList<>();
        JsonNode document = exchange.send(Call.read(OPERATIONS)).json();
        Answer.field(document, "operations").forEach(operation -> all.add(operation(operation)));
        return all;
    }

    OperationResult get(long id) {
        return operation(exchange.send(Call.read(OPERATIONS + "/" + id)).json());
    }

    OperationResult cancel(long id) {
        Call call = Call.write("POST", OPERATIONS + "/" + id + ":cancel", null);
        return operation(exchange.send(call).json());
    }

    /** Asks for the state of an operation until it has ended. The pause between two calls grows. */
    OperationResult await(long id, Consumer<? super OperationResult> watcher) {
        OperationResult operation = get(id);
        watcher.accept(operation);
        for (long pause = FIRST_POLL_MILLIS;
                operation.state() == State.RUNNING;
                pause = Math.min(2 * pause, LAST_POLL_MILLIS)) {
            if (!exchange.pause(pause)) {
                throw KVClientException.of(ErrorReport.of(
                        ErrorCode.INTERRUPTED,
                        Outcome.REJECTED,
                        "the thread was interrupted; operation " + id + " goes on"));
            }
            operation = get(id);
            watcher.accept(operation);
        }
        if (operation.error() != null) {
            throw operation.error();
        }
        return operation;
    }

    List<ClientBackup> backups() {
        List<ClientBackup> backups = new ArrayList<>();
        JsonNode document = exchange.send(Call.read(BACKUPS)).json();
        Answer.field(document, "backups").forEach(backup -> backups.add(backup(backup)));
        return backups;
    }

    void deleteBackup(long id) {
        exchange.send(Call.write("DELETE", BACKUPS + "/" + id, null)).requireNoContent();
    }

    private static String name(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static OperationResult operation(JsonNode document) {
        Kind kind = named(Kind.values(), document.path("kind").asString(""), Kind.OTHER);
        boolean isRestore = kind == Kind.RESTORE;
        JsonNode made = document.get("made");
        return new OperationResult(
                Answer.field(document, "id").asLong(),
                kind,
                isRestore ? null : text(document, "database"),
                isRestore ? null : text(document, "table"),
                named(State.values(), document.path("state").asString(""), State.OTHER),
                document.path("seconds").asDouble(0),
                document.path("done_bytes").asLong(-1),
                document.path("total_bytes").asLong(-1),
                document.path("total").asLong(0),
                Descriptions.findings(document),
                document.has("problem") ? Problems.of(document.path("problem")) : null,
                made == null ? null : backup(made),
                isRestore ? restore(document) : null);
    }

    private static @Nullable String text(JsonNode document, String name) {
        JsonNode text = document.get(name);
        return text == null ? null : text.asString();
    }

    private static <E extends Enum<E>> E named(E[] values, String name, E other) {
        return Arrays.stream(values)
                .filter(value -> value.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst()
                .orElse(other);
    }

    private static ClientBackup backup(JsonNode backup) {
        JsonNode damage = backup.path("damage");
        return new ClientBackup(
                Answer.field(backup, "id").asLong(),
                time(backup.path("time").asString("")),
                backup.path("lsn").asLong(0),
                backup.path("store_bytes").asLong(0),
                backup.path("written_bytes").asLong(0),
                damage.isString() ? damage.asString() : null);
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw Answer.unexpected("a backup without its time");
        }
    }

    private static ClientRestore restore(JsonNode document) {
        return new ClientRestore(
                document.path("backup").asLong(0),
                document.path("database").asString(""),
                document.path("restored_as").asString(""));
    }
}
