package io.kvstore.server.thrift;

import static io.kvstore.server.thrift.ThriftTestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.thrift.Backup;
import io.kvstore.thrift.ErrorCode;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.Operation;
import io.kvstore.thrift.OperationKind;
import io.kvstore.thrift.OperationRequest;
import io.kvstore.thrift.OperationState;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.Restore;
import io.kvstore.thrift.TableName;
import io.kvstore.thrift.WriteOptions;
import java.nio.file.Files;
import java.util.List;
import org.apache.thrift.TException;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** Backups and restores of a server, as operations. */
@NullUnmarked // What a generated getter gives may be null; that fails the test as well.
final class BackupCallsTest extends ServiceCalls {

    private Operation run(OperationRequest request) throws TException, InterruptedException {
        Operation operation = client().startOperation(request);
        long end = System.nanoTime() + 120_000_000_000L;
        while (operation.getState() == OperationState.RUNNING && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
            operation = client().operation(operation.getOperationId());
        }
        return operation;
    }

    private Operation done(OperationRequest request) throws TException, InterruptedException {
        Operation operation = run(request);
        assertEquals(OperationState.DONE, operation.getState(), operation::toString);
        return operation;
    }

    private static OperationRequest restore(long backup, String database, String as) {
        return new OperationRequest(OperationKind.RESTORE).setRestore(new Restore(backup, database, as));
    }

    private String value(String database) throws TException {
        GetResult got = client().get(new TableName(database, "t"), bytes("k"), new ReadOptions());
        return new String(got.getValue(), java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void a_backup_is_made_verified_restored_and_deleted() throws Exception {
        assertEquals(List.of(), client().backups());
        client().put(TABLE, bytes("k"), bytes("one"), new WriteOptions());
        Backup made = done(new OperationRequest(OperationKind.BACKUP)).getBackup();
        assertEquals(1, made.getBackupId());
        assertFalse(made.isSetDamage());
        client().put(TABLE, bytes("k"), bytes("two"), new WriteOptions());
        assertEquals(List.of(made), client().backups());
        Operation verified = done(new OperationRequest(OperationKind.VERIFY_BACKUPS));
        assertEquals(0, verified.getFindingsTotal());
        assertTrue(verified.isSetFindings() && verified.getTotalBytes() > 0, verified::toString);
        Operation restored = done(restore(1, "d", "d_old"));
        assertEquals(new Restore(1, "d", "d_old"), restored.getRestore());
        assertTrue(restored.getTotalBytes() > 0 && restored.getDoneBytes() == restored.getTotalBytes());
        assertEquals(List.of("d", "d_old"), client().databases());
        assertEquals("one", value("d_old"));
        assertEquals("two", value("d"));
        client().deleteBackup(1);
        assertEquals(List.of(), client().backups());
        fails(ErrorCode.NOT_FOUND, () -> client().deleteBackup(1));
    }

    @Test
    void what_cannot_be_fails_and_says_why() throws Exception {
        fails(ErrorCode.INVALID_REQUEST, () -> client().startOperation(new OperationRequest(OperationKind.RESTORE)));
        fails(
                ErrorCode.INVALID_REQUEST,
                () -> client().startOperation(new OperationRequest(OperationKind.BACKUP).setTable(TABLE)));
        fails(
                ErrorCode.INVALID_REQUEST,
                () -> client().startOperation(
                                new OperationRequest(OperationKind.BACKUP).setRestore(new Restore(1, "d", "e"))));
        done(new OperationRequest(OperationKind.BACKUP));
        failed(ErrorCode.NOT_FOUND, "no backup 7", restore(7, "d", "e"));
        failed(ErrorCode.NOT_FOUND, "no database other; it has [d]", restore(1, "other", "e"));
        failed(ErrorCode.ALREADY_EXISTS, "d exists", restore(1, "d", "d"));
        fails(ErrorCode.INVALID_REQUEST, () -> client().startOperation(restore(1, "d", "")));
        fails(ErrorCode.INVALID_REQUEST, () -> client().startOperation(restore(1, "d".repeat(65), "e")));
        assertEquals(List.of("d"), client().databases());
    }

    @Test
    void a_directory_that_leads_into_the_store_is_refused() throws Exception {
        Files.createSymbolicLink(directory().resolve("backups"), directory().resolve("store"));
        failed(
                ErrorCode.INVALID_REQUEST,
                "is not apart from that of the store",
                new OperationRequest(OperationKind.BACKUP));
    }

    private void failed(ErrorCode code, String why, OperationRequest request) throws Exception {
        Operation operation = run(request);
        assertEquals(OperationState.FAILED, operation.getState(), operation::toString);
        assertEquals(code, operation.getError().getCode());
        assertTrue(operation.getError().getMessage().contains(why), operation::toString);
    }
}
