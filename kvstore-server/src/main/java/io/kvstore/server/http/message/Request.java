package io.kvstore.server.http.message;

import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderValues;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.xnio.Options;

/** A request that found its route. Used by one thread at a time. */
public final class Request {

    private final HttpServerExchange exchange;
    private final Route route;
    private final Map<String, String> variables;
    private final Query query;
    private final ByteBudget.Claim answer;
    private Body body = Body.empty();

    /**
     * @param variables the raw segments that stand at the variables of the route's template
     * @param answer the heap that its answer takes, which goes back when the request ends
     */
    public Request(HttpServerExchange exchange, Route route, Map<String, String> variables, ByteBudget.Claim answer) {
        this.exchange = exchange;
        this.route = route;
        this.variables = variables;
        this.answer = answer;
        exchange.addExchangeCompleteListener((done, more) -> {
            answer.close();
            more.proceed();
        });
        this.query = new Query(exchange.getQueryString(), route.parameters());
    }

    public Route route() {
        return route;
    }

    public Query query() {
        return query;
    }

    /** A name in the path. */
    public String name(String variable) {
        String field = switch (variable) {
            case "db" -> "the database name";
            case "table" -> "the table name";
            default -> variable;
        };
        return Percent.text(Percent.pathBytes(raw(variable), field), field);
    }

    /** The table in the path, which must exist. */
    public Table table(Tables tables) {
        return tables.named(name("db"), name("table"));
    }

    /** The key in the path. */
    public byte[] key() {
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

    /** A header whose values are a list, on one line or several, joined by commas. */
    public @Nullable String listHeader(String name) {
        HeaderValues values = exchange.getRequestHeaders().get(name);
        return values == null || values.isEmpty() ? null : String.join(", ", values);
    }

    /** What the header KV-Durability asks for; null, meaning what the table says, without it. */
    public @Nullable Durability durability() {
        String given = header("KV-Durability");
        return given == null ? null : durability(given, "the header KV-Durability");
    }

    /** The level that a text names. */
    public static Durability durability(String given, String field) {
        for (Durability level : Durability.values()) {
            if (level.name().toLowerCase(Locale.ROOT).equals(given)) {
                return level;
            }
        }
        throw ProblemException.invalid(field + " is \"" + given + "\"; give sync or buffered");
    }

    /** The heap that the answer takes. */
    public ByteBudget.Claim answer() {
        return answer;
    }

    public Body body() {
        return body;
    }

    public void body(Body arrived) {
        this.body = arrived;
    }

    /**
     * The body of a route of lines. Reading waits for the client; closing reads all that is left, so leave it open.
     *
     * @param pauseMillis how long the client may send nothing before reading ends with a {@code ReadTimeoutException}
     */
    public InputStream stream(int pauseMillis) throws IOException {
        // The stream takes its patience from the connection when it is made. The connection has a little more, because
        // it
        // is closed when its own ends, and then nobody can be told.
        exchange.getConnection().setOption(Options.READ_TIMEOUT, pauseMillis);
        exchange.startBlocking();
        InputStream in = exchange.getInputStream();
        exchange.getConnection().setOption(Options.READ_TIMEOUT, pauseMillis + Limits.IDLE_MILLIS);
        exchange.addExchangeCompleteListener((done, more) -> {
            try {
                done.getConnection().setOption(Options.READ_TIMEOUT, Limits.IDLE_MILLIS);
            } catch (IOException e) {
                done.setPersistent(false);
            }
            more.proceed();
        });
        return in;
    }

    /** The connection ends after the answer. */
    public void endConnection() {
        exchange.setPersistent(false);
    }

    public String requestId() {
        return RequestId.of(exchange);
    }
}
