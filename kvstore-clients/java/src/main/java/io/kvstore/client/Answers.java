package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import io.kvstore.thrift.Backup;
import io.kvstore.thrift.Finding;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.Operation;
import io.kvstore.thrift.OperationKind;
import io.kvstore.thrift.OperationState;
import io.kvstore.thrift.Restore;
import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ServerInfo;
import io.kvstore.thrift.Stats;
import io.kvstore.thrift.TableInfo;
import io.kvstore.thrift.TableName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Turns the answers of the server into the types of the client. */
final class Answers {

    private Answers() {}

    /** Returns a field whose presence the generated code has checked. */
    private static <T> T required(@Nullable T field) {
        return Objects.requireNonNull(field);
    }

    static @Nullable TaggedValue tagged(GetResult result) {
        byte[] value = result.getValue();
        return value == null ? null : new TaggedValue(value, result.getTag());
    }

    static List<byte @Nullable []> values(List<GetResult> results) {
        List<byte @Nullable []> values = new ArrayList<>(results.size());
        for (GetResult result : results) {
            values.add(result.getValue());
        }
        return values;
    }

    /** The page of an answer that a {@link Connection} has read. */
    static EntryPage page(ScanPage page) {
        return ((ScanAnswer.Page) page).page();
    }

    /** A server of a version without tables that are not ordered leaves that field out. */
    static TableDescription table(TableInfo info) {
        return new TableDescription(
                required(info.getDatabase()),
                required(info.getTable()),
                info.getTableId(),
                required(info.getEngine()),
                !info.isSetOrdered() || info.isOrdered(),
                Map.copyOf(required(info.getOptions())));
    }

    static ServerDescription server(ServerInfo info) {
        return new ServerDescription(
                required(info.getVersion()),
                List.copyOf(required(info.getEngines())),
                required(info.getDurability()),
                info.getMaxKeyBytes(),
                info.getMaxValueBytes(),
                info.getMaxFrameBytes(),
                info.getMaxItems());
    }

    static Statistics statistics(Stats stats) {
        return new Statistics(Map.copyOf(required(stats.getNumbers())), Map.copyOf(required(stats.getTexts())));
    }

    /** The generated code reads an unknown value as null. */
    private static OperationResult.Kind kind(@Nullable OperationKind kind) {
        return kind == null ? OperationResult.Kind.OTHER : OperationResult.Kind.valueOf(kind.name());
    }

    private static OperationResult.State state(@Nullable OperationState state) {
        return state == null ? OperationResult.State.OTHER : OperationResult.State.valueOf(state.name());
    }

    static OperationResult operation(Operation operation) {
        TableName table = operation.getTable();
        List<OperationResult.Finding> findings = new ArrayList<>();
        if (operation.isSetFindings()) {
            for (Finding finding : required(operation.getFindings())) {
                findings.add(new OperationResult.Finding(required(finding.getPlace()), required(finding.getMessage())));
            }
        }
        KVClientException error = operation.isSetError() ? Failures.of(operation.getError()) : null;
        return new OperationResult(
                operation.getOperationId(),
                kind(operation.getKind()),
                table == null ? null : table.getDatabase(),
                table == null ? null : table.getTable(),
                state(operation.getState()),
                operation.getSeconds(),
                operation.isSetDoneBytes() ? operation.getDoneBytes() : -1,
                operation.isSetTotalBytes() ? operation.getTotalBytes() : -1,
                operation.getFindingsTotal(),
                findings,
                error,
                operation.isSetBackup() ? backup(required(operation.getBackup())) : null,
                operation.isSetRestore() ? restore(required(operation.getRestore())) : null);
    }

    static ClientBackup backup(Backup backup) {
        return new ClientBackup(
                backup.getBackupId(),
                Instant.ofEpochMilli(backup.getTimeMillis()),
                backup.getLsn(),
                backup.getStoreBytes(),
                backup.getWrittenBytes(),
                backup.getDamage());
    }

    private static ClientRestore restore(Restore restore) {
        return new ClientRestore(
                restore.getBackupId(), required(restore.getDatabase()), required(restore.getRestoredAs()));
    }
}
