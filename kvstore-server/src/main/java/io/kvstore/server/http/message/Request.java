package io.kvstore.server.http.message;

import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Tables;
import io.undertow.io.UndertowInputStream;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderValues;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.xnio.Option;
import org.xnio.Options;

/** A request whose route was found. Used by one thread at a time. */
public final class Request {

    private final HttpServerExchange exchange;
    private final Route route;
    private final Map<String, String> variables;
    private final Query query;
    private final StreamPace pace;
    private final ByteBudget.Claim answer;
    private Body body = Body.empty();

    /**
     * @param variables the raw segments of the path, by the names of the variables in the route's template
     * @param pace for a body or an answer of any length
     * @param answer the heap memory that the answer takes, which is given back when the request ends
     */
    public Request(
            HttpServerExchange exchange,
            Route route,
            Map<String, String> variables,
            StreamPace pace,
            ByteBudget.Claim answer) {
        this.exchange = exchange;
        this.pace = pace;
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

    /** The length of the body that the client announced, or -1. */
    public long announcedBytes() {
        return exchange.getRequestContentLength();
    }

    /** A header that may be given at most once, or null. */
    public @Nullable String header(String name) {
        HeaderValues values = exchange.getRequestHeaders().get(name);
        if (values == null || values.isEmpty()) {
            return null;
        }
        if (values.size() > 1) {
            throw ProblemException.invalid("the header " + name + " is given " + values.size() + " times");
        }
        return values.getFirst();
    }

    /** A header whose values are a list, on one line or several. The values are joined by commas. Null if it is not given. */
    public @Nullable String listHeader(String name) {
        HeaderValues values = exchange.getRequestHeaders().get(name);
        return values == null || values.isEmpty() ? null : String.join(", ", values);
    }

    /** The durability that the header KV-Durability asks for. Null without the header, which means the table's own. */
    public @Nullable Durability durability() {
        String given = header("KV-Durability");
        return given == null ? null : durability(given, "the header KV-Durability");
    }

    /** The durability that a text names. */
    public static Durability durability(String given, String field) {
        for (Durability level : Durability.values()) {
            if (level.name().toLowerCase(Locale.ROOT).equals(given)) {
                return level;
            }
        }
        throw ProblemException.invalid(field + " is \"" + given + "\"; give sync or buffered");
    }

    /** The part of a value that the body is, by the header Content-Range. */
    public ContentRange contentRange() {
        String given = header("Content-Range");
        if (given == null) {
            throw ProblemException.invalid(
                    "the header Content-Range is missing; it says which bytes to overwrite, such as bytes 10-14/*");
        }
        return ContentRange.parse(given);
    }

    /** Whether the value before the change is to be answered. */
    public boolean wantsPrevious() {
        String given = query.text("return");
        if (given != null && !given.equals("old")) {
            throw ProblemException.invalid("return is \"" + given + "\"; give old");
        }
        return given != null;
    }

    /**
     * Refuses a request with a condition. A client that gives one means that nothing is to be changed without it.
     *
     * @param message what else to do
     */
    public void refuseConditions(String message) {
        if (listHeader("If-Match") != null || listHeader("If-None-Match") != null) {
            throw ProblemException.invalid(message);
        }
    }

    /** The heap memory that the answer takes. */
    public ByteBudget.Claim answer() {
        return answer;
    }

    public Body body() {
        return body;
    }

    public void body(Body arrived) {
        this.body = arrived;
    }

    /** How slow the client of a body or an answer of any length may be. */
    public StreamPace pace() {
        return pace;
    }

    /**
     * The body of a route that takes one of any length. Reading waits for the client, and fails with a
     * {@link StreamPace.TooSlowException} if that is too slow. What is not read when the request was answered is left to the
     * thread for I/O.
     */
    public InputStream stream() throws IOException {
        // The stream takes its time-out from the connection when it is made. The connection then gets a longer one,
        // because it is closed when its own time is over, and the client could not be told. The exchange does not
        // become a blocking one: the library would read the rest of the body on this thread when it ends that.
        exchange.getConnection().setOption(Options.READ_TIMEOUT, pace.behindMillis());
        InputStream in = new UndertowInputStream(exchange);
        setTimeoutUntilAnswered(Options.READ_TIMEOUT, pace.behindMillis() + Limits.IDLE_MILLIS);
        return pace.of(in);
    }

    /**
     * An answer of any length, of an exchange that is a blocking one. Writing waits for the client, and fails with a
     * {@link StreamPace.TooSlowException} if that is too slow. The connection of a client that takes nothing for longer is
     * closed.
     */
    public OutputStream answerStream() throws IOException {
        setTimeoutUntilAnswered(Options.WRITE_TIMEOUT, pace.behindMillis() + Limits.BEHIND_MARGIN_MILLIS);
        return pace.of(exchange.getOutputStream());
    }

    /** Gives the connection a time-out of its own. The next request finds the usual one. */
    private void setTimeoutUntilAnswered(Option<Integer> timeout, int millis) throws IOException {
        exchange.getConnection().setOption(timeout, millis);
        exchange.addExchangeCompleteListener((done, more) -> {
            try {
                done.getConnection().setOption(timeout, Limits.IDLE_MILLIS);
            } catch (IOException e) {
                done.setPersistent(false);
            }
            more.proceed();
        });
    }

    /**
     * The problem of a client that sent nothing for too long, or sends too slowly. Its connection ends after the answer.
     *
     * @param remedy what the client can do
     */
    public Problem tooSlow(String remedy) {
        endConnection();
        return Problem.of(
                ProblemCode.REQUEST_TIMEOUT,
                "the body arrived too slowly: it was more than " + pace.behindMillis() / 1_000.0
                        + " seconds behind the least pace of a stream; " + remedy);
    }

    /** Ends the connection after the answer. */
    public void endConnection() {
        exchange.setPersistent(false);
    }

    public String requestId() {
        return RequestId.of(exchange);
    }
}
