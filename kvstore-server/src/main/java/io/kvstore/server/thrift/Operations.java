package io.kvstore.server.thrift;

import io.kvstore.BackupInfo;
import io.kvstore.DatabaseRestore;
import io.kvstore.engine.Findings;
import io.kvstore.server.edge.JobKind;
import io.kvstore.server.edge.JobReport;
import io.kvstore.server.edge.JobRequest;
import io.kvstore.thrift.Backup;
import io.kvstore.thrift.Finding;
import io.kvstore.thrift.Operation;
import io.kvstore.thrift.OperationKind;
import io.kvstore.thrift.OperationRequest;
import io.kvstore.thrift.OperationState;
import io.kvstore.thrift.Restore;
import io.kvstore.thrift.TableName;
import org.jspecify.annotations.Nullable;

/** Turns the jobs of the server into operations of the service. */
final class Operations {

    private static final int FINDINGS_SHOWN = 100;

    private Operations() {}

    static JobRequest request(@Nullable OperationRequest given) {
        OperationRequest wanted = Requests.need(given, "the request");
        TableName table = wanted.getTable();
        Restore restore = wanted.getRestore();
        return new JobRequest(
                kind(Requests.need(wanted.getKind(), "the kind")),
                table == null ? null : Requests.need(table.getDatabase(), "the database of the table"),
                table == null ? null : Requests.need(table.getTable(), "the name of the table"),
                restore == null
                        ? null
                        : new DatabaseRestore(
                                restore.getBackupId(),
                                Requests.need(restore.getDatabase(), "the database of the restore"),
                                Requests.need(restore.getRestoredAs(), "the new name of the database")));
    }

    private static JobKind kind(OperationKind kind) {
        return switch (kind) {
            case FLUSH -> JobKind.FLUSH;
            case CHECKPOINT -> JobKind.CHECKPOINT;
            case OPTIMIZE -> JobKind.OPTIMIZE;
            case VERIFY -> JobKind.VERIFY;
            case BACKUP -> JobKind.BACKUP;
            case VERIFY_BACKUPS -> JobKind.VERIFY_BACKUPS;
            case RESTORE -> JobKind.RESTORE;
        };
    }

    private static OperationKind kind(JobKind kind) {
        return switch (kind) {
            case FLUSH -> OperationKind.FLUSH;
            case CHECKPOINT -> OperationKind.CHECKPOINT;
            case OPTIMIZE -> OperationKind.OPTIMIZE;
            case VERIFY -> OperationKind.VERIFY;
            case BACKUP -> OperationKind.BACKUP;
            case VERIFY_BACKUPS -> OperationKind.VERIFY_BACKUPS;
            case RESTORE -> OperationKind.RESTORE;
        };
    }

    private static OperationState state(JobReport.State state) {
        return switch (state) {
            case RUNNING -> OperationState.RUNNING;
            case DONE -> OperationState.DONE;
            case FAILED -> OperationState.FAILED;
            case CANCELLED -> OperationState.CANCELLED;
        };
    }

    static Operation of(JobReport job) {
        JobRequest request = job.request();
        Operation told = new Operation(job.id(), kind(request.kind()), state(job.state()), job.seconds());
        if (request.table() != null) {
            told.setTable(new TableName(request.database(), request.table()));
        }
        DatabaseRestore restore = request.restore();
        if (restore != null) {
            told.setRestore(new Restore(restore.backup(), restore.database(), restore.restoredAs()));
        }
        JobReport.Done progress = job.progress();
        if (progress != null) {
            told.setDoneBytes(progress.bytes()).setTotalBytes(progress.totalBytes());
        }
        Findings findings = job.findings();
        if (findings != null) {
            told.setFindingsTotal(findings.total());
            told.setFindings(findings.kept().stream()
                    .limit(FINDINGS_SHOWN)
                    .map(Operations::finding)
                    .toList());
        }
        BackupInfo made = job.made();
        if (made != null) {
            told.setBackup(of(made));
        }
        JobReport.Failure failure = job.failure();
        if (failure != null) {
            told.setError(Errors.of(failure.problem(), failure.id()));
        }
        return told;
    }

    private static Finding finding(Findings.Finding found) {
        String place = found.offset() < 0 ? found.file() : found.file() + " at " + found.offset();
        return new Finding(place, found.message());
    }

    static Backup of(BackupInfo backup) {
        Backup told = new Backup(
                backup.id(), backup.time().toEpochMilli(), backup.lsn(), backup.storeBytes(), backup.writtenBytes());
        return backup.damage() == null ? told : told.setDamage(backup.damage());
    }
}
