package io.kvstore.client.error;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an error.
 *
 * @param code the kind of the error, for programs
 * @param outcome whether the call was applied
 * @param message the error and its remedy, for people
 * @param retryable whether the call has changed nothing and can succeed a moment later
 * @param errorId the name of the error in the server's log; null if it has none
 * @param details numbers of the error by name, such as "limit" and "actual"
 */
public record ErrorReport(
        ErrorCode code,
        Outcome outcome,
        String message,
        boolean retryable,
        @Nullable String errorId,
        Map<String, String> details) {

    /** Copies the details. */
    public ErrorReport {
        details = Map.copyOf(details);
    }

    /** A report without an id and details, of a call that should not be repeated. */
    public static ErrorReport of(ErrorCode code, Outcome outcome, String message) {
        return new ErrorReport(code, outcome, message, false, null, Map.of());
    }

    /** A report without an id and details, of a call that can be repeated. */
    public static ErrorReport retryable(ErrorCode code, Outcome outcome, String message) {
        return new ErrorReport(code, outcome, message, true, null, Map.of());
    }
}
