package io.kvstore.client.embedded;

import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.NotFoundException;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StorageException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.error.StoreLockedException;
import io.kvstore.error.TableDroppedException;
import java.util.Map;
import java.util.Objects;

/** Turns exceptions of the store into those of the client. */
final class Failures {

    private Failures() {}

    /** The exception of the client for one of the store. A new class of the store does not compile until it has a code here. */
    static KVClientException of(KVStoreException failure) {
        return switch (failure) {
            case ConditionFailedException e ->
                io.kvstore.client.error.ConditionFailedException.at(e.index(), message(e));
            case NotFoundException e -> as(ErrorCode.NOT_FOUND, e);
            case AlreadyExistsException e -> as(ErrorCode.ALREADY_EXISTS, e);
            case InvalidRequestException e -> as(ErrorCode.INVALID_REQUEST, e);
            case TableDroppedException e -> as(ErrorCode.TABLE_DROPPED, e);
            case CorruptionException e -> as(ErrorCode.CORRUPTION, e);
            case StorageException e -> as(ErrorCode.STORAGE_FAILED, e);
            case DiskFullException e -> as(ErrorCode.DISK_FULL, e);
            case OverloadedException e -> as(ErrorCode.OVERLOADED, e);
            case OutcomeUnknownException e -> as(ErrorCode.OUTCOME_UNKNOWN, e);
            case StoreLockedException e -> as(ErrorCode.STORE_FAILED, e);
            case StoreFailedException e -> as(ErrorCode.STORE_FAILED, e);
            case StoreClosedException e -> as(ErrorCode.STOPPING, e);
        };
    }

    /** The exception of the client for one of the store, with a code that says more than the class does. */
    static KVClientException as(ErrorCode code, KVStoreException failure) {
        Outcome outcome = Outcome.valueOf(failure.outcome().name());
        boolean retryable = code == ErrorCode.OVERLOADED && outcome == Outcome.REJECTED;
        return KVClientException.of(
                new ErrorReport(code, outcome, message(failure), retryable, null, Map.of()), failure);
    }

    /** The exception of a request that the client refuses. */
    static KVClientException rejected(ErrorCode code, String message) {
        return KVClientException.of(ErrorReport.of(code, Outcome.REJECTED, message));
    }

    private static String message(KVStoreException failure) {
        return Objects.requireNonNullElse(failure.getMessage(), "");
    }
}
