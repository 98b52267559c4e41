package io.kvstore.server.edge;

import io.kvstore.error.Outcome;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A failure as the client sees it (RFC 9457).
 *
 * @param code the kind of the failure
 * @param detail what happened to this request; the middle of a very long one is left out
 * @param outcome what became of the operation
 * @param members further members of the answer, such as {@code limit} and {@code actual}
 */
public record Problem(ProblemCode code, String detail, Outcome outcome, Map<String, Object> members) {

    /** The most characters of a detail. It may quote what the client sent, and that can be as long as a request. */
    private static final int MOST_CHARS = 4_000;

    public Problem {
        detail = shortened(detail);
        members = Map.copyOf(members);
    }

    /** Leaves out the middle. The beginning names the thing, and the end the remedy. */
    private static String shortened(String text) {
        int half = MOST_CHARS / 2;
        return text.length() <= MOST_CHARS
                ? text
                : text.substring(0, half) + " ... " + text.substring(text.length() - half);
    }

    /** The problem of a request that was refused before anything was tried. */
    public static Problem of(ProblemCode code, String detail) {
        return new Problem(code, detail, Outcome.REJECTED, Map.of());
    }

    /** The problem of a request that exceeds a limit. */
    public static Problem beyond(ProblemCode code, String detail, long limit, long actual) {
        return new Problem(code, detail, Outcome.REJECTED, Map.of("limit", limit, "actual", actual));
    }

    /** This problem with one more member. */
    public Problem with(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(members);
        more.put(name, value);
        return new Problem(code, detail, outcome, more);
    }

    /** The members of the answer, in the order in which they are written. */
    public Map<String, Object> asJson(String requestId) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("type", "urn:kvstore:problem:" + code.text());
        json.put("title", code.title());
        json.put("status", code.status());
        json.put("detail", detail);
        json.put("code", code.text());
        json.put("outcome", outcome.name().toLowerCase(Locale.ROOT));
        json.put("request_id", requestId);
        members.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(e -> json.put(e.getKey(), e.getValue()));
        return json;
    }
}
