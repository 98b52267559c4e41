package io.kvstore.cli.http;

import io.kvstore.client.ClientCondition;
import io.kvstore.client.ClientDurability;
import io.kvstore.client.ClientRange;
import io.kvstore.client.ClientTable;
import io.kvstore.client.EntryPage;
import io.kvstore.client.OperationResult;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.Statistics;
import io.kvstore.client.TableDescription;
import io.kvstore.client.TaggedValue;
import io.kvstore.client.error.ConditionFailedException;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.NotFoundException;
import io.kvstore.client.error.Outcome;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The handle of a table over HTTP. */
record HttpTable(Exchange exchange, Jobs jobs, String database, String name, ClientDurability durability)
        implements ClientTable {

    private static final int MOST_PAGE_ENTRIES = 100_000;

    private String path() {
        return Paths.table(database, name);
    }

    private String key(byte[] key) {
        return Paths.key(path(), key, "");
    }

    @Override
    public ClientTable withDurability(ClientDurability given) {
        return new HttpTable(exchange, jobs, database, name, given);
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        TaggedValue value = getTagged(key);
        return value == null ? null : value.value();
    }

    @Override
    public @Nullable TaggedValue getTagged(byte[] key) {
        Answer answer = exchange.send(Call.read(key(key)));
        return answer.status() == Answer.NOT_FOUND ? null : new TaggedValue(answer.body(), answer.tag());
    }

    @Override
    public List<byte @Nullable []> getAll(List<byte[]> keys) {
        if (keys.isEmpty()) {
            describe(); // the table has to be there, as if there were keys
            return List.of();
        }
        Call call = Call.read(path() + "/get" + Paths.ENCODING, Documents.keys(keys));
        List<byte @Nullable []> values = Descriptions.values(exchange.send(call).json());
        if (values.size() != keys.size()) {
            throw Answer.unexpected(values.size() + " values for " + keys.size() + " keys");
        }
        return values;
    }

    /** The answer that a value has not changed since any state says that there is one, without the value. */
    @Override
    public boolean contains(byte[] key) {
        Answer answer = exchange.send(Call.read(key(key)).with("If-None-Match", "*"));
        return switch (answer.status()) {
            case Answer.NOT_MODIFIED -> true;
            case Answer.NOT_FOUND -> false;
            default -> throw Answer.unexpected("an answer of status " + answer.status() + " to the question for a key");
        };
    }

    @Override
    public EntryPage page(ScanOptions options) {
        if (options.pageEntries() > MOST_PAGE_ENTRIES) {
            throw KVClientException.invalid(
                    "pageEntries is " + options.pageEntries() + "; give 1 to " + MOST_PAGE_ENTRIES);
        }
        try {
            return Descriptions.page(
                    exchange.send(Call.read(Paths.page(path(), options))).json(), options);
        } catch (NotFoundException e) {
            throw options.continuation() == null ? e : dropped(e);
        }
    }

    /** A table that is missing was there when the scan began. */
    private KVClientException dropped(NotFoundException cause) {
        return KVClientException.of(
                ErrorReport.of(
                        ErrorCode.TABLE_DROPPED,
                        Outcome.FAILED,
                        "the table \"" + name + "\" was dropped since the scan began"),
                cause);
    }

    @Override
    public long count(ClientRange range) {
        Answer answer = exchange.send(Call.read(Paths.count(path(), range)));
        return Answer.field(answer.json(), "count").asLong();
    }

    private Answer write(String method, String path, byte @Nullable [] body) {
        return exchange.send(durable(Call.write(method, path, body)));
    }

    private Call durable(Call call) {
        return call.with("KV-Durability", Documents.durability(durability));
    }

    @Override
    public void put(byte[] key, byte[] value) {
        long _ = write("PUT", key(key), Paths.value(value)).tag();
    }

    @Override
    public void remove(byte[] key) {
        write("DELETE", key(key), null).requireNoContent();
    }

    @Override
    public boolean putIf(byte[] key, byte[] value, ClientCondition condition) {
        return isDone(Call.write("PUT", key(key), Paths.value(value)), condition);
    }

    /** A removal takes no condition that a key has no value. If it has none, nothing is to be done. */
    @Override
    public boolean removeIf(byte[] key, ClientCondition condition) {
        return condition.kind() == ClientCondition.Kind.ABSENT
                ? !contains(key)
                : isDone(Call.write("DELETE", key(key), null), condition);
    }

    private boolean isDone(Call call, ClientCondition condition) {
        Call conditional = switch (condition.kind()) {
            case ABSENT -> call.with("If-None-Match", "*");
            case EXISTS -> call.with("If-Match", "*");
            case TAG_IS, VALUE_IS -> call.with("If-Match", "\"" + Documents.tag(condition) + "\"");
        };
        try {
            exchange.send(durable(conditional)).requireNoContent();
            return true;
        } catch (ConditionFailedException e) {
            return false;
        }
    }

    @Override
    public long add(byte[] key, long delta) {
        Answer answer = write("POST", Paths.key(path(), key, ":add"), Documents.delta(delta));
        return Answer.field(answer.json(), "value").asLong();
    }

    @Override
    public int append(byte[] key, byte[] suffix) {
        return length(write("POST", Paths.key(path(), key, ":append"), Paths.value(suffix)));
    }

    @Override
    public int patch(byte[] key, int offset, byte[] part) {
        byte[] given = Paths.value(part);
        if (offset < 0) {
            throw KVClientException.invalid("the offset is " + offset + "; give 0 to the length of the value");
        }
        if (given.length == 0) {
            throw KVClientException.invalid("the part is empty, which the HTTP API does not take; give a byte or more");
        }
        String range = "bytes " + offset + "-" + (offset + (long) given.length - 1) + "/*";
        Call call = Call.write("PATCH", key(key), given).with("Content-Range", range);
        return length(exchange.send(durable(call)));
    }

    private static int length(Answer answer) {
        return Answer.field(answer.json(), "bytes").asInt();
    }

    @Override
    public byte @Nullable [] getAndPut(byte[] key, byte[] value) {
        return before(write("PUT", key(key) + "&return=old", Paths.value(value)));
    }

    @Override
    public byte @Nullable [] getAndRemove(byte[] key) {
        return before(write("DELETE", key(key) + "&return=old", null));
    }

    private static byte @Nullable [] before(Answer answer) {
        return answer.status() == Answer.NO_CONTENT ? null : answer.body();
    }

    @Override
    public TableDescription describe() {
        return Descriptions.table(exchange.send(Call.read(path())).json());
    }

    @Override
    public TableDescription alter(Map<String, String> options) {
        return Descriptions.table(exchange.send(Call.write("PATCH", path(), Documents.options(options)))
                .json());
    }

    @Override
    public Statistics stats() {
        return Descriptions.statistics(
                exchange.send(Call.read(path() + "/stats")).json());
    }

    @Override
    public void truncate() {
        Answer answer = exchange.send(Call.write("POST", path() + ":truncate" + Paths.confirmed(name), null));
        Answer.field(answer.json(), "done");
    }

    @Override
    public OperationResult start(OperationResult.Kind kind) {
        return jobs.start(kind, database, name);
    }

    @Override
    public OperationResult flush() {
        return toEnd(OperationResult.Kind.FLUSH);
    }

    @Override
    public OperationResult optimize() {
        return toEnd(OperationResult.Kind.OPTIMIZE);
    }

    @Override
    public OperationResult verify() {
        return toEnd(OperationResult.Kind.VERIFY);
    }

    private OperationResult toEnd(OperationResult.Kind kind) {
        return jobs.await(start(kind).id(), _ -> {});
    }
}
