package io.kvstore.client.error;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A failure of a call. It is unchecked and sealed. A failure that a program may want to handle has a class of its own. Every
 * other failure is of this class, and its {@link #code()} tells its kind.
 */
public sealed class KVClientException extends RuntimeException
        permits AlreadyExistsException,
                ConditionFailedException,
                ConnectionFailedException,
                CorruptionException,
                InvalidRequestException,
                NotFoundException,
                OutcomeUnknownException,
                SnapshotExpiredException,
                TableDroppedException,
                TooLargeException,
                UnauthenticatedException,
                UnavailableException {

    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final Outcome outcome;
    private final boolean retryable;
    private final @Nullable String errorId;
    private final TreeMap<String, String> details;

    KVClientException(ErrorReport report, @Nullable Throwable cause) {
        super(
                report.errorId() == null ? report.message() : report.message() + " (error id " + report.errorId() + ")",
                cause);
        this.code = report.code();
        this.outcome = report.outcome();
        this.retryable = report.retryable();
        this.errorId = report.errorId();
        this.details = new TreeMap<>(report.details());
    }

    /** The exception of the class that belongs to the report's code. */
    public static KVClientException of(ErrorReport report) {
        return of(report, null);
    }

    /** The exception of the class that belongs to the report's code, with its cause. */
    public static KVClientException of(ErrorReport report, @Nullable Throwable cause) {
        return switch (report.code()) {
            case INVALID_REQUEST, CONTINUATION_INVALID -> new InvalidRequestException(report, cause);
            case UNAUTHENTICATED -> new UnauthenticatedException(report, cause);
            case DATABASE_NOT_FOUND, TABLE_NOT_FOUND, NOT_FOUND -> new NotFoundException(report, cause);
            case ALREADY_EXISTS, DEFINITION_DIFFERS -> new AlreadyExistsException(report, cause);
            case TABLE_DROPPED -> new TableDroppedException(report, cause);
            case TOO_LARGE, ANSWER_TOO_LARGE -> new TooLargeException(report, cause);
            case SNAPSHOT_EXPIRED -> new SnapshotExpiredException(report, cause);
            case CORRUPTION -> new CorruptionException(report, cause);
            case DISK_FULL, OVERLOADED, STORE_FAILED, STOPPING -> new UnavailableException(report, cause);
            case OUTCOME_UNKNOWN -> new OutcomeUnknownException(report, cause);
            case CONDITION_FAILED -> new ConditionFailedException(report, cause);
            case CONNECTION_FAILED, TIMED_OUT -> new ConnectionFailedException(report, cause);
            case PERMISSION_DENIED, DATABASE_NOT_EMPTY, STORAGE_FAILED, INTERNAL_ERROR, INTERRUPTED ->
                new KVClientException(report, cause);
        };
    }

    /** The exception of a request that is not valid and therefore not sent. */
    public static KVClientException invalid(String message) {
        return of(ErrorReport.of(ErrorCode.INVALID_REQUEST, Outcome.REJECTED, message));
    }

    /** The kind of the error, for programs. */
    public final ErrorCode code() {
        return code;
    }

    /** Whether the call was applied. */
    public final Outcome outcome() {
        return outcome;
    }

    /** Whether the call has changed nothing and can succeed a moment later. */
    public final boolean isRetryable() {
        return retryable;
    }

    /** The name of the error in the server's log; null if it has none. */
    public final @Nullable String errorId() {
        return errorId;
    }

    /** Numbers of the error by name, such as "limit" and "actual". The map cannot be changed. */
    public final Map<String, String> details() {
        return Collections.unmodifiableMap(details);
    }
}
