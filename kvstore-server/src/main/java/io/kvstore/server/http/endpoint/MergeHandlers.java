package io.kvstore.server.http.endpoint;

import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.Merge;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import io.kvstore.server.http.message.ContentRange;
import io.kvstore.server.http.message.Json;
import io.kvstore.server.http.message.JsonFields;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import java.util.Map;

/** Requests that change a value by what it is: add to it, append to it, overwrite a part of it. */
public final class MergeHandlers {

    private final Tables tables;

    public MergeHandlers(Tables tables) {
        this.tables = tables;
    }

    /** Adds to a number, and answers the sum. */
    public Reply add(Request request) {
        refuseConditions(request);
        Table table = request.table(tables);
        byte[] key = request.key();
        Durability durability = request.durability();
        JsonFields body = Json.read(request.body().stream(Limits.JSON_COPIES), input -> input.fields(""));
        Merge.Add add = new Merge.Add(key, body.wholeNumber("delta"));
        body.end();
        return Reply.ok(Map.of("value", add.numberOf(table.merge(add, durability))));
    }

    /** Appends the body to a value, and answers the value's length. */
    public Reply append(Request request) {
        refuseConditions(request);
        Table table = request.table(tables);
        byte[] key = request.key();
        return length(request, table, new Merge.Append(key, request.body().toByteArray()));
    }

    /** Overwrites the part of a value that Content-Range names by the body, and answers the value's length. */
    public Reply patch(Request request) {
        refuseConditions(request);
        Table table = request.table(tables);
        byte[] key = request.key();
        ContentRange range = request.contentRange();
        byte[] part = request.body().toByteArray();
        if (part.length != range.bytes()) {
            throw ProblemException.invalid(
                    "Content-Range names " + range.bytes() + " bytes; the body has " + part.length);
        }
        return length(request, table, new Merge.Patch(key, range.first(), part));
    }

    private static void refuseConditions(Request request) {
        request.refuseConditions(
                "If-Match and If-None-Match are not taken here; make the change in a batch with a check, or"
                        + " put the whole value");
    }

    private static Reply length(Request request, Table table, Merge merge) {
        return Reply.ok(Map.of("bytes", table.merge(merge, request.durability()).length));
    }
}
