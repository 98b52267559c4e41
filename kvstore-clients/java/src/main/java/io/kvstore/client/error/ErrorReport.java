package io.kvstore.client.error;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an error has to tell.
 *
 * @param code what went wrong, for programs
 * @param outcome what became of the call
 * @param message what happened and what to do, for people
 * @param retryable whether the same call can succeed a moment later, with nothing changed by this one
 * @param errorId names the error in the server's log; null when it has none
 * @param details figures of the failure, such as "limit" and "actual"
 */
public record ErrorReport(
        ErrorCode code,
        Outcome outcome,
        String message,
        boolean retryable,
        @Nullable String errorId,
        Map<String, String> details) {

    /** The details are copied. */
    public ErrorReport {
        details = Map.copyOf(details);
    }

    /** A report without an id and details, of a call that is not to be repeated. */
    public static ErrorReport of(ErrorCode code, Outcome outcome, String message) {
        return new ErrorReport(code, outcome, message, false, null, Map.of());
    }

    /** A report without an id and details, of a call that can be repeated. */
    public static ErrorReport retryable(ErrorCode code, Outcome outcome, String message) {
        return new ErrorReport(code, outcome, message, true, null, Map.of());
    }
}
