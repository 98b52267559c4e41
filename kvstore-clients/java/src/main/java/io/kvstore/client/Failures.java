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
import java.net.UnknownHostException;
import java.util.Map;
import javax.net.ssl.SSLHandshakeException;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.transport.TTransportException;

/** Turns failures of the network and of the server into the exceptions of the client. */
final class Failures {

    private static final String LENGTH_OF_HTTP = "Frame size (" + 0x48545450 + ")";

    private Failures() {}

    /** The exception of an error that the server answered. */
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

    /** The exception of a batch with a check that does not hold. */
    static KVClientException of(ConditionFailed failed) {
        String message = failed.getMessage() == null
                ? "check " + failed.getFailedCheck() + " of the batch does not hold"
                : failed.getMessage();
        return ConditionFailedException.at(failed.getFailedCheck(), message);
    }

    /** The exception of a call that the server did not understand, or that failed in the server without a known error. */
    static KVClientException notUnderstood(TApplicationException cause, String method, Purpose purpose) {
        boolean isUnknown = cause.getType() == TApplicationException.UNKNOWN_METHOD;
        String message = isUnknown
                ? "the server is older than this client and does not know the method " + method
                        + "; nothing was changed"
                : "the server did not do the call: " + cause.getMessage();
        Outcome outcome = isUnknown ? Outcome.REJECTED : purpose.whenLost();
        return KVClientException.of(ErrorReport.of(ErrorCode.INTERNAL_ERROR, outcome, message), cause);
    }

    /** The exception of a request that is over the limit of the client. */
    static KVClientException tooLarge(int maxFrameBytes) {
        return KVClientException.of(new ErrorReport(
                ErrorCode.TOO_LARGE,
                Outcome.REJECTED,
                "the request does not fit into a frame of " + maxFrameBytes + " bytes (max_frame_bytes)",
                false,
                null,
                Map.of("limit", Integer.toString(maxFrameBytes))));
    }

    /** The exception of a connection that could not be made. */
    static KVClientException notConnected(ClientOptions options, IOException cause) {
        boolean timedOut = cause instanceof SocketTimeoutException;
        String reason = cause instanceof UnknownHostException
                ? "there is no host with the name " + options.host()
                : cause.toString();
        String message = "cannot connect to " + options.address() + ": " + reason;
        ErrorCode code = timedOut ? ErrorCode.TIMED_OUT : ErrorCode.CONNECTION_FAILED;
        return KVClientException.of(
                cause instanceof SSLHandshakeException
                        ? ErrorReport.of(code, Outcome.REJECTED, message)
                        : ErrorReport.retryable(code, Outcome.REJECTED, message),
                cause);
    }

    /** The exception of a connection that broke before anything of the call was sent. */
    static KVClientException notSent(TException cause, boolean timedOut) {
        ErrorCode code = timedOut ? ErrorCode.TIMED_OUT : ErrorCode.CONNECTION_FAILED;
        return KVClientException.of(
                ErrorReport.retryable(code, Outcome.REJECTED, "nothing was sent: " + cause.getMessage()), cause);
    }

    /** The exception of a connection that broke after something of the call was sent. */
    static KVClientException lost(TException cause, Purpose purpose, boolean timedOut) {
        String what = timedOut ? "the call timed out" : "the connection failed: " + reason(cause);
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

    /** A server for HTTP answers a frame with the letters of its protocol, which are read as the length of the answer. */
    private static String reason(TException cause) {
        String message = String.valueOf(cause.getMessage());
        return message.startsWith(LENGTH_OF_HTTP)
                ? "what answers there speaks HTTP and not Thrift; give the port for Thrift"
                : message;
    }

    /** The exception of a call whose time was over before anything of it was sent. */
    static KVClientException timedOut(String message) {
        return KVClientException.of(ErrorReport.retryable(ErrorCode.TIMED_OUT, Outcome.REJECTED, message));
    }

    /** The exception of a snapshot that has ended. */
    static KVClientException snapshotExpired(String message) {
        return KVClientException.of(ErrorReport.of(ErrorCode.SNAPSHOT_EXPIRED, Outcome.REJECTED, message));
    }

    /** The exception of a call after {@link KVClient#close}. */
    static KVClientException closed() {
        return KVClientException.of(
                ErrorReport.of(ErrorCode.CONNECTION_FAILED, Outcome.REJECTED, "the client is closed"));
    }

    /** The exception of a thread that was interrupted while it waited. */
    static KVClientException interrupted(String message) {
        return KVClientException.of(ErrorReport.of(ErrorCode.INTERRUPTED, Outcome.REJECTED, message));
    }

    /** Whether the connection ended. If not, it carried bytes that the client does not understand. */
    static boolean isPeerGone(Throwable cause) {
        if (cause.getCause() instanceof IOException) {
            return true;
        }
        return cause instanceof TTransportException transport
                && (transport.getType() == TTransportException.END_OF_FILE
                        || transport.getType() == TTransportException.NOT_OPEN);
    }
}
