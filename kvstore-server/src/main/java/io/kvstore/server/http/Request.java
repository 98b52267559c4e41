package io.kvstore.server.http;

import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderValues;
import java.io.InputStream;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request that found its route. Used by one thread at a time. */
final class Request {

    private final HttpServerExchange exchange;
    private final Route route;
    private final Map<String, String> variables;
    private final Query query;
    private byte[] body = new byte[0];

    /** @param variables the raw segments that stand at the variables of the route's template */
    Request(HttpServerExchange exchange, Route route, Map<String, String> variables) {
        this.exchange = exchange;
        this.route = route;
        this.variables = variables;
        this.query = new Query(exchange.getQueryString(), route.parameters());
    }

    Route route() {
        return route;
    }

    Query query() {
        return query;
    }

    /** A name in the path. */
    String name(String variable) {
        String field = switch (variable) {
            case "db" -> "the database name";
            case "table" -> "the table name";
            default -> variable;
        };
        return Percent.text(Percent.pathBytes(raw(variable), field), field);
    }

    /** The table in the path, which must exist. */
    Table table(Tables tables) {
        return tables.named(name("db"), name("table"));
    }

    /** The key in the path. */
    byte[] key() {
        byte[] written = Percent.pathBytes(raw("key"), "the key");
        return KeyEncoding.named(query.text("encoding")).bytes(written, "the key");
    }

    private String raw(String variable) {
        String raw = variables.get(variable);
        if (raw == null) {
            throw new IllegalStateException(route.template() + " has no variable " + variable);
        }
        return raw;
    }

    /** A header that may be there once. */
    @Nullable
    String header(String name) {
        HeaderValues values = exchange.getRequestHeaders().get(name);
        if (values == null || values.isEmpty()) {
            return null;
        }
        if (values.size() > 1) {
            throw ProblemException.invalid("the header " + name + " is given " + values.size() + " times");
        }
        return values.getFirst();
    }

    /** What the header KV-Durability asks for; null, meaning what the table says, without it. */
    @Nullable
    Durability durability() {
        String given = header("KV-Durability");
        return given == null ? null : durability(given, "the header KV-Durability");
    }

    /** The level that a text names. */
    static Durability durability(String given, String field) {
        for (Durability level : Durability.values()) {
            if (level.name().toLowerCase(Locale.ROOT).equals(given)) {
                return level;
            }
        }
        throw ProblemException.invalid(field + " is \"" + given + "\"; give sync or buffered");
    }

    byte[] body() {
        return body;
    }

    void body(byte[] bytes) {
        this.body = bytes;
    }

    /** The body of a route of lines. Reading waits for the client; closing reads all that is left, so leave it open. */
    InputStream stream() {
        exchange.startBlocking();
        return exchange.getInputStream();
    }

    String requestId() {
        return RequestId.of(exchange);
    }
}
