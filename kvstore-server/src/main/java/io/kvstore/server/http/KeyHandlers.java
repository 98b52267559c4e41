package io.kvstore.server.http;

import io.kvstore.Table;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.error.Outcome;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One key: raw bytes in and out, conditions by ETag. */
final class KeyHandlers {

    private final Tables tables;

    KeyHandlers(Tables tables) {
        this.tables = tables;
    }

    Reply get(Request request) {
        Table table = request.table(tables);
        byte[] key = request.key();
        String known = request.header("If-None-Match");
        byte[] value = table.get(key);
        if (value == null) {
            throw new ProblemException(
                    Problem.of(ProblemCode.KEY_NOT_FOUND, "the table \"" + table.name() + "\" does not have the key"));
        }
        String tag = ETag.of(value);
        if (known != null && ETag.isListed(known, tag)) {
            return new Reply.Whole(304, Map.of("ETag", tag), new byte[0]);
        }
        return new Reply.Whole(200, Map.of("Content-Type", "application/octet-stream", "ETag", tag), value);
    }

    Reply put(Request request) {
        Table table = request.table(tables);
        byte[] key = request.key();
        byte[] value = request.body();
        // The body was let in by the limit of the store; that of the table can be lower.
        Tables.checkValueBytes(table, value.length);
        Durability durability = request.durability();
        Condition condition = condition(request, table, key);
        if (condition == null) {
            table.put(key, value, durability);
        } else if (!table.putIf(condition, key, value, durability)) {
            throw conditionFailed(table, key);
        }
        return Reply.noContent().with("ETag", ETag.of(value));
    }

    Reply delete(Request request) {
        Table table = request.table(tables);
        byte[] key = request.key();
        Durability durability = request.durability();
        if (request.header("If-None-Match") != null) {
            throw ProblemException.invalid("If-None-Match has no meaning for DELETE; give If-Match");
        }
        Condition condition = condition(request, table, key);
        if (condition == null) {
            table.remove(key, durability);
        } else if (!table.removeIf(condition, key, durability)) {
            throw conditionFailed(table, key);
        }
        return Reply.noContent();
    }

    private static @Nullable Condition condition(Request request, Table table, byte[] key) {
        String match = request.header("If-Match");
        String noneMatch = request.header("If-None-Match");
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
        Long tag = ETag.parse(match, "If-Match");
        if (tag == null) {
            throw conditionFailed(table, key);
        }
        return new Condition.TagIs(key, tag);
    }

    /** Names the present tag as well; it is read afterwards, so it can be newer than what failed. */
    private static ProblemException conditionFailed(Table table, byte[] key) {
        byte[] present = table.get(key);
        Problem problem = new Problem(
                ProblemCode.CONDITION_FAILED,
                present == null ? "the key has no value" : "the key has another value",
                Outcome.FAILED,
                Map.of());
        return new ProblemException(present == null ? problem : problem.with("current_etag", ETag.of(present)));
    }
}
