package io.kvstore.server.http.endpoint;

import io.kvstore.Table;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.ValueTag;
import io.kvstore.error.Outcome;
import io.kvstore.server.edge.KeyName;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import io.kvstore.server.http.message.ETag;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests for one key: values are raw bytes, and conditions are ETags. */
public final class KeyHandlers {

    private final Tables tables;

    public KeyHandlers(Tables tables) {
        this.tables = tables;
    }

    public Reply get(Request request) {
        Table table = request.table(tables);
        byte[] key = request.key();
        String known = request.listHeader("If-None-Match");
        byte[] value = table.get(key);
        if (value == null) {
            throw new ProblemException(
                    Problem.of(ProblemCode.KEY_NOT_FOUND, "the table \"" + table.name() + "\" does not have the key"));
        }
        request.answer().take(value.length, () -> "the value of the key " + KeyName.of(key));
        String tag = ETag.of(value);
        String match = request.listHeader("If-Match");
        if (match != null && !ETag.matches(match, tag)) {
            throw conditionFailed(table, key, null);
        }
        if (known != null && ETag.isListed(known, tag)) {
            return new Reply.Whole(304, Map.of("ETag", tag), new byte[0]);
        }
        return new Reply.Whole(200, Map.of("Content-Type", "application/octet-stream", "ETag", tag), value);
    }

    public Reply put(Request request) {
        Table table = request.table(tables);
        byte[] key = request.key();
        byte[] value = request.body().toByteArray();
        // The body is within the limit of the store. The limit of the table can be lower.
        Tables.checkValueBytes(table, value.length);
        Durability durability = request.durability();
        if (request.wantsPrevious()) {
            prepareForPrevious(request);
            return previous(request, table.getAndPut(key, value, durability)).with("ETag", ETag.of(value));
        }
        change(
                request,
                table,
                key,
                condition -> condition == null
                        ? done(() -> table.put(key, value, durability))
                        : table.putIf(condition, key, value, durability));
        return Reply.noContent().with("ETag", ETag.of(value));
    }

    public Reply delete(Request request) {
        Table table = request.table(tables);
        byte[] key = request.key();
        Durability durability = request.durability();
        if (request.listHeader("If-None-Match") != null) {
            throw ProblemException.invalid("If-None-Match has no meaning for DELETE; give If-Match");
        }
        if (request.wantsPrevious()) {
            prepareForPrevious(request);
            return previous(request, table.getAndRemove(key, durability));
        }
        change(
                request,
                table,
                key,
                condition -> condition == null
                        ? done(() -> table.remove(key, durability))
                        : table.removeIf(condition, key, durability));
        return Reply.noContent();
    }

    /** Refuses what cannot be answered before anything is changed. */
    private static void prepareForPrevious(Request request) {
        request.answer().check();
        request.refuseConditions(
                "return=old does not go with If-Match and If-None-Match: with a condition the previous value"
                        + " is known; leave one of them out");
    }

    /** The value that a key had before, or 204 if it had none. */
    private static Reply.Whole previous(Request request, byte @Nullable [] value) {
        if (value == null) {
            return Reply.noContent();
        }
        request.answer().takeAnyway(value.length);
        return new Reply.Whole(200, Map.of("Content-Type", "application/octet-stream"), value);
    }

    private static boolean done(Runnable change) {
        change.run();
        return true;
    }

    /** Changes the key if a condition holds, or in any case if the condition is null. */
    private interface Change {
        boolean ifHolds(@Nullable Condition condition);
    }

    /**
     * Makes a change under the conditions of a request. A list of tags is reduced to the tag that the value has now. If the
     * value gets another tag before the change, the new tag is looked up in the list again. So the answer is right at some
     * moment of the request.
     */
    private static void change(Request request, Table table, byte[] key, Change change) {
        Condition condition = condition(request, table, key);
        while (!change.ifHolds(condition)) {
            Condition again = condition instanceof Condition.TagIs ? condition(request, table, key) : null;
            if (again == null || again.equals(condition)) {
                throw conditionFailed(table, key, condition);
            }
            condition = again;
        }
    }

    private static @Nullable Condition condition(Request request, Table table, byte[] key) {
        String match = request.listHeader("If-Match");
        String noneMatch = request.listHeader("If-None-Match");
        if (match != null && noneMatch != null) {
            throw ProblemException.invalid("give either If-Match or If-None-Match, not both");
        }
        if (noneMatch != null) {
            if (!noneMatch.strip().equals("*")) {
                throw ProblemException.invalid("If-None-Match is not *; a write takes no other");
            }
            return new Condition.Absent(key);
        }
        if (match == null) {
            return null;
        }
        if (match.strip().equals("*")) {
            return new Condition.Exists(key);
        }
        List<Long> tags = ETag.strong(match, "If-Match");
        if (tags.size() == 1) {
            return new Condition.TagIs(key, tags.getFirst());
        }
        byte[] present = tags.isEmpty() ? null : table.get(key);
        if (present == null || !tags.contains(ValueTag.of(present))) {
            throw conditionFailed(table, key, null);
        }
        return new Condition.TagIs(key, ValueTag.of(present));
    }

    /**
     * The problem of a condition that does not hold, with the present tag. The tag is read after the check, so it can be newer
     * than the value that failed.
     */
    private static ProblemException conditionFailed(Table table, byte[] key, @Nullable Condition failed) {
        byte[] present = table.get(key);
        String other = failed instanceof Condition.Absent ? "the key has a value" : "the key has another value";
        Problem problem = new Problem(
                ProblemCode.CONDITION_FAILED,
                present == null ? "the key has no value" : other,
                Outcome.FAILED,
                Map.of());
        return new ProblemException(present == null ? problem : problem.with("current_etag", ETag.of(present)));
    }
}
