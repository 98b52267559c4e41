package io.kvstore.client;

import io.kvstore.client.error.ConditionFailedException;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import io.kvstore.thrift.ConditionFailed;
import io.kvstore.thrift.ServiceError;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Map;
import javax.net.ssl.SSLHandshakeException;
import org.apache.thrift.TException;
import org.apache.thrift.transport.TTransportException;

/** Turns what went wrong below into the exceptions of the client. */
final class Failures {

    private Failures() {}

    /** What the server answered. */
    static KVClientException of(ServiceError error) {
        ErrorCode code = error.getCode() == null
                ? ErrorCode.INTERNAL_ERROR
                : ErrorCode.valueOf(error.getCode().name());
        Outcome outcome = error.getOutcome() == null
                ? Outcome.UNKNOWN
                : Outcome.valueOf(error.getOutcome().name());
        String message = error.getMessage() == null ? code.name() : error.getMessage();
        Map<String, String> details = error.getDetails() == null ? Map.of() : error.getDetails();
        return KVClientException.of(
                new ErrorReport(code, outcome, message, error.isRetryable(), error.getErrorId(), details));
    }

    /** A check of a batch that does not hold. */
    static KVClientException of(ConditionFailed failed) {
        String message = failed.getMessage() == null
                ? "check " + failed.getFailedCheck() + " of the batch does not hold"
                : failed.getMessage();
        return ConditionFailedException.at(failed.getFailedCheck(), message);
    }

    /** An answer that tells that the server could not understand the call, or failed without an error of its own. */
    static KVClientException notUnderstood(TException cause, Purpose purpose) {
        return KVClientException.of(
                ErrorReport.of(
                        ErrorCode.INTERNAL_ERROR,
                        purpose.whenLost(),
                        "the server did not do the call: " + cause.getMessage()),
                cause);
    }

    /** A request that is over the limit of this side. */
    static KVClientException tooLarge(int maxFrameBytes) {
        return KVClientException.of(new ErrorReport(
                ErrorCode.TOO_LARGE,
                Outcome.REJECTED,
                "the request does not fit into a frame of " + maxFrameBytes + " bytes (max_frame_bytes)",
                false,
                null,
                Map.of("limit", Integer.toString(maxFrameBytes))));
    }

    /** A connection that could not be made. */
    static KVClientException notConnected(ClientOptions options, IOException cause) {
        boolean timedOut = cause instanceof SocketTimeoutException;
        String message = "cannot connect to " + options.address() + ": " + cause;
        ErrorCode code = timedOut ? ErrorCode.TIMED_OUT : ErrorCode.CONNECTION_FAILED;
        return KVClientException.of(
                cause instanceof SSLHandshakeException
                        ? ErrorReport.of(code, Outcome.REJECTED, message)
                        : ErrorReport.retryable(code, Outcome.REJECTED, message),
                cause);
    }

    /** A connection that broke before anything of the call was sent. */
    static KVClientException notSent(TException cause, boolean timedOut) {
        ErrorCode code = timedOut ? ErrorCode.TIMED_OUT : ErrorCode.CONNECTION_FAILED;
        return KVClientException.of(
                ErrorReport.retryable(code, Outcome.REJECTED, "nothing was sent: " + cause.getMessage()), cause);
    }

    /** A connection that broke after something of the call was sent. */
    static KVClientException lost(TException cause, Purpose purpose, boolean timedOut) {
        String what = timedOut ? "the call timed out" : "the connection failed: " + cause.getMessage();
        if (purpose == Purpose.WRITE) {
            return KVClientException.of(
                    ErrorReport.of(
                            ErrorCode.OUTCOME_UNKNOWN,
                            Outcome.UNKNOWN,
                            what + "; the write may or may not have been applied: read it back"),
                    cause);
        }
        ErrorCode code = timedOut ? ErrorCode.TIMED_OUT : ErrorCode.CONNECTION_FAILED;
        Outcome outcome = purpose.whenLost();
        return KVClientException.of(
                timedOut || isPeerGone(cause)
                        ? ErrorReport.retryable(code, outcome, what)
                        : ErrorReport.of(code, outcome, what),
                cause);
    }

    /** The time of a call was over before anything of it was sent. */
    static KVClientException timedOut(String message) {
        return KVClientException.of(ErrorReport.retryable(ErrorCode.TIMED_OUT, Outcome.REJECTED, message));
    }

    /** A snapshot that is gone. */
    static KVClientException snapshotExpired(String message) {
        return KVClientException.of(ErrorReport.of(ErrorCode.SNAPSHOT_EXPIRED, Outcome.REJECTED, message));
    }

    /** A call after {@link KVClient#close}. */
    static KVClientException closed() {
        return KVClientException.of(
                ErrorReport.of(ErrorCode.CONNECTION_FAILED, Outcome.REJECTED, "the client is closed"));
    }

    /** A thread that was interrupted while it waited. */
    static KVClientException interrupted(String message) {
        return KVClientException.of(ErrorReport.of(ErrorCode.INTERRUPTED, Outcome.REJECTED, message));
    }

    /** Whether the connection ended, rather than carried something that is not understood. */
    static boolean isPeerGone(Throwable cause) {
        if (cause.getCause() instanceof IOException) {
            return true;
        }
        return cause instanceof TTransportException transport
                && (transport.getType() == TTransportException.END_OF_FILE
                        || transport.getType() == TTransportException.NOT_OPEN);
    }
}
