package io.kvstore.client.error;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A check of a batch does not hold. Nothing was applied. */
public final class ConditionFailedException extends KVClientException {

    private static final long serialVersionUID = 1L;
    private static final String PLACE = "failed_check";

    private final int failedCheck;

    ConditionFailedException(ErrorReport report, @Nullable Throwable cause) {
        super(report, cause);
        this.failedCheck = Integer.parseInt(report.details().getOrDefault(PLACE, "0"));
    }

    /** The exception of a batch whose check at this place failed. */
    public static ConditionFailedException at(int failedCheck, String message) {
        Map<String, String> details = Map.of(PLACE, Integer.toString(failedCheck));
        return new ConditionFailedException(
                new ErrorReport(ErrorCode.CONDITION_FAILED, Outcome.FAILED, message, false, null, details), null);
    }

    /** The place of the first check that failed among the checks of the batch, from 0. */
    public int failedCheck() {
        return failedCheck;
    }
}
