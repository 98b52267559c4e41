package io.kvstore.cli.http;

import io.kvstore.client.error.ConditionFailedException;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Turns what the server calls a problem into the exception that a client over Thrift throws for it. */
final class Problems {

    private static final int FIRST_OF_SERVER = 500;
    private static final String KEY_NOT_FOUND = "key_not_found";
    private static final Set<String> USUAL =
            Set.of("type", "title", "status", "detail", "code", "outcome", "request_id", "failed_check");

    private Problems() {}

    /** Whether the answer says that a key of a table that is there has no value. */
    static boolean isMissingKey(Answer answer) {
        JsonNode problem = answer.status() == Answer.NOT_FOUND ? answer.jsonOrNull() : null;
        return problem != null && problem.path("code").asString("").equals(KEY_NOT_FOUND);
    }

    /** The exception of an answer that says that the call failed. */
    static KVClientException of(Answer answer, Call.Purpose purpose) {
        JsonNode problem = answer.jsonOrNull();
        return problem == null || !problem.has("code") ? strange(answer, purpose) : of(problem);
    }

    /** The exception of a problem. */
    static KVClientException of(JsonNode problem) {
        String detail = problem.path("detail").asString("");
        if (problem.has("failed_check")) {
            return ConditionFailedException.at(problem.path("failed_check").asInt(0), detail);
        }
        String code = problem.path("code").asString("");
        Outcome outcome = outcome(problem.path("outcome").asString(""));
        Map<String, String> details = new TreeMap<>();
        problem.properties().stream()
                .filter(member -> !USUAL.contains(member.getKey()))
                .forEach(
                        member -> details.put(member.getKey(), member.getValue().asString("")));
        return KVClientException.of(new ErrorReport(
                code(code),
                outcome,
                detail,
                isTransient(code) && outcome != Outcome.UNKNOWN,
                problem.path("status").asInt(0) < FIRST_OF_SERVER ? null : id(problem),
                details));
    }

    private static @Nullable String id(JsonNode problem) {
        String id = problem.path("request_id").asString("");
        return id.isEmpty() ? null : id;
    }

    /** The exception of an answer of something between, such as a proxy, which may have passed the call on. */
    private static KVClientException strange(Answer answer, Call.Purpose purpose) {
        String message = "the server answered " + answer.status()
                + " in a form that is not KVStore's; is the URL that of its HTTP API?";
        boolean isRefusal = answer.status() < FIRST_OF_SERVER;
        return purpose == Call.Purpose.WRITE && !isRefusal
                ? CallFailures.outcomeUnknown(message, null)
                : KVClientException.of(ErrorReport.of(
                        ErrorCode.INTERNAL_ERROR, isRefusal ? Outcome.REJECTED : Outcome.UNKNOWN, message));
    }

    private static Outcome outcome(String text) {
        return Arrays.stream(Outcome.values())
                .filter(outcome -> outcome.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst()
                .orElse(Outcome.UNKNOWN);
    }

    private static boolean isTransient(String code) {
        return code.equals("overloaded") || code.equals("stopping") || code.equals("store_closed");
    }

    /** The codes that Thrift has as well have the same names. */
    private static ErrorCode code(String text) {
        return switch (text) {
            case "invalid_json", "invalid_line", "invalid_file", "confirmation_missing", "route_not_found" ->
                ErrorCode.INVALID_REQUEST;
            case "method_not_allowed", "not_acceptable", "content_coded", "range_not_satisfiable" ->
                ErrorCode.INVALID_REQUEST;
            case "origin_not_allowed", "host_not_allowed" -> ErrorCode.PERMISSION_DENIED;
            case "too_many_items", "uri_too_long", "headers_too_large" -> ErrorCode.TOO_LARGE;
            case "request_timeout" -> ErrorCode.TIMED_OUT;
            case KEY_NOT_FOUND -> ErrorCode.NOT_FOUND;
            case "store_closed", "store_locked" -> ErrorCode.STOPPING;
            default ->
                Arrays.stream(ErrorCode.values())
                        .filter(code -> code.name().toLowerCase(Locale.ROOT).equals(text))
                        .findFirst()
                        .orElse(ErrorCode.INTERNAL_ERROR);
        };
    }
}
