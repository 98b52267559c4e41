package io.kvstore.server.edge;

import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.NotFoundException;
import io.kvstore.error.Outcome;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StorageException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.error.StoreLockedException;
import io.kvstore.error.TableDroppedException;
import java.util.Map;
import java.util.Objects;

/**
 * Maps exceptions to problems. If the store gets a new exception, this class does not compile until the exception has a code
 * here.
 */
public final class ErrorTable {

    private static final String SEE_LOG = "; the log of the server names the cause under this request id";

    private ErrorTable() {}

    /** The problem that a client gets for a failure. */
    public static Problem of(Throwable failure) {
        return switch (failure) {
            case ProblemException e -> e.problem();
            case KVStoreException e -> {
                Problem problem = new Problem(code(e), detail(e), e.outcome(), Map.of());
                yield e instanceof ConditionFailedException failed
                        ? problem.with("failed_check", failed.index())
                        : problem;
            }
            default ->
                new Problem(
                        ProblemCode.INTERNAL_ERROR,
                        "The request could not be answered" + SEE_LOG,
                        Outcome.UNKNOWN,
                        Map.of());
        };
    }

    /** The code of an exception of the store. */
    public static ProblemCode code(KVStoreException failure) {
        return switch (failure) {
            case NotFoundException e -> ProblemCode.NOT_FOUND;
            case AlreadyExistsException e -> ProblemCode.ALREADY_EXISTS;
            case InvalidRequestException e -> ProblemCode.INVALID_REQUEST;
            case ConditionFailedException e -> ProblemCode.CONDITION_FAILED;
            case TableDroppedException e -> ProblemCode.TABLE_DROPPED;
            case CorruptionException e -> ProblemCode.CORRUPTION;
            case StorageException e -> ProblemCode.STORAGE_FAILED;
            case DiskFullException e -> ProblemCode.DISK_FULL;
            case OverloadedException e -> ProblemCode.OVERLOADED;
            case OutcomeUnknownException e -> ProblemCode.OUTCOME_UNKNOWN;
            case StoreLockedException e -> ProblemCode.STORE_LOCKED;
            case StoreFailedException e -> ProblemCode.STORE_FAILED;
            case StoreClosedException e -> ProblemCode.STORE_CLOSED;
        };
    }

    /**
     * The text that a client gets. Messages of I/O failures come from the operating system and can name paths, so they stay in
     * the log.
     */
    private static String detail(KVStoreException failure) {
        return switch (failure) {
            case StorageException e -> "An I/O operation failed" + SEE_LOG;
            case StoreFailedException e ->
                "The store takes no more work after an I/O failure: it has to be opened again" + SEE_LOG;
            case DiskFullException e -> "The disk is full: writes are refused until there is room" + SEE_LOG;
            case OutcomeUnknownException e ->
                "An I/O operation failed while the write was made durable: read it back" + SEE_LOG;
            default -> Objects.requireNonNullElse(failure.getMessage(), "");
        };
    }
}
