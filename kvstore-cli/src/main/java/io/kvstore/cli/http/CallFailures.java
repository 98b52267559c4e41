package io.kvstore.cli.http;

import io.kvstore.client.ClientOptions;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLHandshakeException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.jspecify.annotations.Nullable;

/** Turns what the network does to a call into the exception that a client over Thrift throws for it. */
final class CallFailures {

    private final ClientOptions options;
    private final String base;
    private final BooleanSupplier isClosed;

    /** @param isClosed whether the client is closed, which is then why a call failed */
    CallFailures(ClientOptions options, String base, BooleanSupplier isClosed) {
        this.options = options;
        this.base = base;
        this.isClosed = isClosed;
    }

    /** The failure of a call for which no connection was free. */
    KVClientException allInUse(int connections) {
        return KVClientException.of(ErrorReport.retryable(
                ErrorCode.TIMED_OUT,
                Outcome.REJECTED,
                "all " + connections + " connections of this client were in use for " + options.timeoutMillis()
                        + " ms (timeout_ms)"));
    }

    /** The failure of a call that was not answered in time. */
    KVClientException unanswered(Call call, Throwable cause) {
        return lost(
                call, ErrorCode.TIMED_OUT, "no answer came in " + options.timeoutMillis() + " ms (timeout_ms)", cause);
    }

    /** The failure of an answer of which nothing more came in time. */
    KVClientException stuck(Call call) {
        return lost(
                call,
                ErrorCode.TIMED_OUT,
                "nothing more came in " + options.timeoutMillis() + " ms (timeout_ms)",
                null);
    }

    static KVClientException interrupted(Call call, InterruptedException cause) {
        return lost(call, ErrorCode.INTERRUPTED, "the thread was interrupted", cause);
    }

    /** The failure of a call that an interrupt ended before anything was sent. */
    static KVClientException interruptedBefore(InterruptedException cause) {
        return KVClientException.of(
                ErrorReport.of(ErrorCode.INTERRUPTED, Outcome.REJECTED, "the thread was interrupted"), cause);
    }

    /** The failure of an answer that had begun. */
    KVClientException broken(Call call, Throwable cause) {
        return isClosed.getAsBoolean()
                ? closedMeanwhile(call, cause)
                : lost(
                        call,
                        ErrorCode.STOPPING,
                        "the connection broke in the middle of the answer (" + reason(cause)
                                + "): the server has ended it, as it does if nothing is taken from it for 30 seconds; try"
                                + " again",
                        cause);
    }

    /** The failure of a call whose attempt threw. */
    KVClientException failed(Call call, Throwable cause) {
        if (isClosed.getAsBoolean()) {
            return closedMeanwhile(call, cause);
        }
        String address = "cannot connect to " + base + ": ";
        return switch (cause) {
            case BoundedBody.TooLong _ ->
                KVClientException.of(
                        ErrorReport.of(
                                ErrorCode.ANSWER_TOO_LARGE,
                                call.purpose() == Call.Purpose.WRITE ? Outcome.UNKNOWN : Outcome.FAILED,
                                cause.getMessage() + "; a thrift:// URL may take it"),
                        cause);
            case ConnectTimeoutException _ ->
                KVClientException.of(
                        ErrorReport.retryable(
                                ErrorCode.TIMED_OUT,
                                Outcome.REJECTED,
                                address + "it took more than " + options.connectTimeoutMillis()
                                        + " ms (connect_timeout_ms)"),
                        cause);
            case ConnectException _, NoRouteToHostException _, UnknownHostException _ ->
                KVClientException.of(
                        ErrorReport.retryable(ErrorCode.CONNECTION_FAILED, Outcome.REJECTED, address + reason(cause)),
                        cause);
            case SSLHandshakeException _ ->
                KVClientException.of(
                        ErrorReport.of(ErrorCode.CONNECTION_FAILED, Outcome.REJECTED, address + reason(cause)), cause);
            default -> lost(call, ErrorCode.CONNECTION_FAILED, "the connection failed: " + reason(cause), cause);
        };
    }

    private static String reason(Throwable cause) {
        return switch (cause) {
            case UnknownHostException _ -> "there is no host with this name";
            // a port for Thrift ends a connection that speaks HTTP
            case NoHttpResponseException _ -> "it ended without an answer; is this the port for HTTP?";
            case ConnectException _
            when String.valueOf(cause.getMessage()).endsWith("Connection refused") -> "nobody answers there";
            default ->
                cause.getCause() instanceof HttpException
                        ? "the answer is not HTTP; is this the port for HTTP?"
                        : message(cause);
        };
    }

    private static String message(Throwable cause) {
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /** The failure of a call that may have been sent and was not answered. */
    private static KVClientException lost(Call call, ErrorCode code, String message, @Nullable Throwable cause) {
        return switch (call.purpose()) {
            case READ ->
                KVClientException.of(
                        code == ErrorCode.CONNECTION_FAILED
                                ? ErrorReport.retryable(code, Outcome.FAILED, message)
                                : ErrorReport.of(code, Outcome.FAILED, message),
                        cause);
            case WRITE -> outcomeUnknown(message, cause);
        };
    }

    static KVClientException outcomeUnknown(String message, @Nullable Throwable cause) {
        return KVClientException.of(
                ErrorReport.of(
                        ErrorCode.OUTCOME_UNKNOWN,
                        Outcome.UNKNOWN,
                        message + "; the write may or may not have been applied: read it back"),
                cause);
    }

    /** The failure of a call that was under way when the client was closed. Nothing tells how much of it was sent. */
    private static KVClientException closedMeanwhile(Call call, Throwable cause) {
        return switch (call.purpose()) {
            case READ -> closed();
            case WRITE -> outcomeUnknown("the client was closed before the answer came", cause);
        };
    }

    /** The failure of a call of a client that was closed before. */
    static KVClientException closed() {
        return KVClientException.of(
                ErrorReport.of(ErrorCode.CONNECTION_FAILED, Outcome.REJECTED, "the client is closed"));
    }
}
