package io.kvstore.server.http.chain;

import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.http.endpoint.BackupHandlers;
import io.kvstore.server.http.endpoint.BatchHandlers;
import io.kvstore.server.http.endpoint.DatabaseHandlers;
import io.kvstore.server.http.endpoint.EntryHandlers;
import io.kvstore.server.http.endpoint.ImportHandler;
import io.kvstore.server.http.endpoint.KeyHandlers;
import io.kvstore.server.http.endpoint.MergeHandlers;
import io.kvstore.server.http.endpoint.OperationHandlers;
import io.kvstore.server.http.endpoint.ServerHandlers;
import io.kvstore.server.http.endpoint.TableHandlers;
import io.kvstore.server.http.message.Ranges;
import io.kvstore.server.http.message.Route;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The table of routes: all requests that the server answers, in one place. */
public final class HttpRoutes {

    private static final String DB = "/v1/databases/{db}";
    private static final String TABLE = DB + "/tables/{table}";
    private static final String KEY = TABLE + "/keys/{key}";
    private static final Set<String> NO_PARAMETERS = Set.of();
    private static final Set<String> CONFIRM = Set.of("confirm");
    private static final Set<String> ENCODING = Set.of("encoding");

    private final List<Route> all = new ArrayList<>();
    private final Map<Integer, List<Line>> bySegments = new HashMap<>();

    /** A route with the segments of its template. */
    private record Line(Route route, List<String> segments) {}

    /**
     * The result of a search for a route.
     *
     * @param route the route
     * @param variables the raw segments of the path, by the names of the route's variables
     */
    record Match(Route route, Map<String, String> variables) {}

    public HttpRoutes(Handlers handlers) {
        addServer(handlers.server(), handlers.databases());
        addTables(handlers.tables());
        addKeys(handlers.keys(), handlers.merges());
        addData(handlers.entries(), handlers.batches(), handlers.imports());
        add("GET", TABLE + "/file", Route.Body.NONE, NO_PARAMETERS, handlers.files()::get);
        add("PUT", TABLE + "/file", Route.Body.FILE, NO_PARAMETERS, handlers.files()::put);
        addBackups(handlers.backups());
        addOperations(handlers.operations());
        add("POST", TABLE + ":seal", Route.Body.NONE, Set.of("codec"), handlers.files()::seal);
        for (Route route : all) {
            Line line = new Line(route, split(route.template()));
            bySegments
                    .computeIfAbsent(line.segments().size(), n -> new ArrayList<>())
                    .add(line);
        }
    }

    private void addServer(ServerHandlers server, DatabaseHandlers databases) {
        for (String path : List.of("/health/live", "/livez")) {
            add("GET", path, Route.Body.NONE_AT_ONCE, NO_PARAMETERS, server::live);
        }
        for (String path : List.of("/health/ready", "/readyz")) {
            add("GET", path, Route.Body.NONE_AT_ONCE, NO_PARAMETERS, server::ready);
        }
        add("GET", "/metrics", Route.Body.NONE, NO_PARAMETERS, server::metrics);
        add("GET", "/openapi.json", Route.Body.NONE, NO_PARAMETERS, server::openApi);
        add("GET", "/v1", Route.Body.NONE, NO_PARAMETERS, server::describe);
        add("GET", "/v1/stats", Route.Body.NONE, NO_PARAMETERS, server::stats);
        add("POST", "/v1:checkpoint", Route.Body.NONE, NO_PARAMETERS, server::checkpoint);
        add("GET", "/v1/databases", Route.Body.NONE, NO_PARAMETERS, databases::list);
        add("PUT", DB, Route.Body.NONE, NO_PARAMETERS, databases::create);
        add("GET", DB, Route.Body.NONE, NO_PARAMETERS, databases::describe);
        add("DELETE", DB, Route.Body.NONE, NO_PARAMETERS, databases::drop);
        add("GET", DB + "/tables", Route.Body.NONE, NO_PARAMETERS, databases::tables);
    }

    private void addTables(TableHandlers tables) {
        add("PUT", TABLE, Route.Body.JSON, NO_PARAMETERS, tables::create);
        add("GET", TABLE, Route.Body.NONE, NO_PARAMETERS, tables::describe);
        add("PATCH", TABLE, Route.Body.JSON, NO_PARAMETERS, tables::alter);
        add("DELETE", TABLE, Route.Body.NONE, CONFIRM, tables::drop);
        add("GET", TABLE + "/stats", Route.Body.NONE, NO_PARAMETERS, tables::stats);
        add("POST", TABLE + ":flush", Route.Body.NONE, NO_PARAMETERS, tables::flush);
        add("POST", TABLE + ":compact", Route.Body.NONE, NO_PARAMETERS, tables::compact);
        add("POST", TABLE + ":verify", Route.Body.NONE, NO_PARAMETERS, tables::verify);
        add("POST", TABLE + ":rename", Route.Body.JSON, NO_PARAMETERS, tables::rename);
        add("POST", TABLE + ":truncate", Route.Body.NONE, CONFIRM, tables::truncate);
    }

    private void addBackups(BackupHandlers backups) {
        add("POST", "/v1/backups", Route.Body.NONE, NO_PARAMETERS, backups::create);
        add("GET", "/v1/backups", Route.Body.NONE, NO_PARAMETERS, backups::list);
        add("POST", "/v1/backups:verify", Route.Body.NONE, NO_PARAMETERS, backups::verify);
        add("DELETE", "/v1/backups/{backup}", Route.Body.NONE, NO_PARAMETERS, backups::delete);
    }

    private void addOperations(OperationHandlers operations) {
        add("POST", "/v1/operations", Route.Body.JSON, NO_PARAMETERS, operations::start);
        add("GET", "/v1/operations", Route.Body.NONE, NO_PARAMETERS, operations::list);
        add("GET", "/v1/operations/{operation}", Route.Body.NONE, NO_PARAMETERS, operations::describe);
        add("POST", "/v1/operations/{operation}:cancel", Route.Body.NONE, NO_PARAMETERS, operations::cancel);
    }

    private void addKeys(KeyHandlers keys, MergeHandlers merges) {
        Set<String> changed = Set.of("encoding", "return");
        add("PUT", KEY, Route.Body.VALUE, changed, keys::put);
        add("GET", KEY, Route.Body.NONE, ENCODING, keys::get);
        add("DELETE", KEY, Route.Body.NONE, changed, keys::delete);
        add("PATCH", KEY, Route.Body.VALUE, ENCODING, merges::patch);
        add("POST", KEY + ":add", Route.Body.JSON, ENCODING, merges::add);
        add("POST", KEY + ":append", Route.Body.VALUE, ENCODING, merges::append);
    }

    private void addData(EntryHandlers entries, BatchHandlers batches, ImportHandler imports) {
        Set<String> page = new HashSet<>(Ranges.PARAMETERS);
        page.addAll(Set.of("limit", "reverse", "keys_only", "max_bytes", "cursor"));
        add("GET", TABLE + "/entries", Route.Body.NONE, page, entries::list);
        Set<String> counted = new HashSet<>(Ranges.PARAMETERS);
        counted.add("limit");
        add("GET", TABLE + "/count", Route.Body.NONE, counted, entries::count);
        add("POST", TABLE + "/get", Route.Body.JSON, ENCODING, batches::get);
        add("POST", DB + "/batch", Route.Body.JSON, NO_PARAMETERS, batches::write);
        add("POST", TABLE + "/import", Route.Body.LINES, NO_PARAMETERS, imports::load);
    }

    private void add(String method, String template, Route.Body body, Set<String> parameters, Route.Endpoint endpoint) {
        all.add(new Route(method, template, body, Set.copyOf(parameters), endpoint));
    }

    /** Every route. */
    public List<Route> all() {
        return List.copyOf(all);
    }

    /**
     * Finds the route of a method and a raw path. {@code HEAD} is answered by the route of {@code GET}, without the body.
     *
     * @throws ProblemException if there is none; for a 405 the Allow header is set on the exchange
     */
    Match find(String method, String rawPath, HttpServerExchange exchange) {
        List<String> segments = split(rawPath);
        String wanted = method.equals("HEAD") ? "GET" : method;
        Set<String> allowed = new TreeSet<>();
        for (Line line : bySegments.getOrDefault(segments.size(), List.of())) {
            Map<String, String> variables = match(line.segments(), segments);
            if (variables == null) {
                continue;
            }
            if (line.route().method().equals(wanted)) {
                return new Match(line.route(), variables);
            }
            allowed.add(line.route().method());
        }
        if (allowed.isEmpty()) {
            throw new ProblemException(Problem.of(ProblemCode.ROUTE_NOT_FOUND, hint(segments)));
        }
        if (allowed.contains("GET")) {
            allowed.add("HEAD");
        }
        String allow = String.join(", ", allowed);
        exchange.getResponseHeaders().put(Headers.ALLOW, allow);
        throw new ProblemException(
                Problem.of(ProblemCode.METHOD_NOT_ALLOWED, method + " is not allowed here; allowed are " + allow));
    }

    /** The segments after the first slash; {@code /a/} has two, the second empty. */
    private static List<String> split(String path) {
        return List.of(path.substring(1).split("/", -1));
    }

    private static @Nullable Map<String, String> match(List<String> template, List<String> segments) {
        Map<String, String> variables = new HashMap<>();
        for (int i = 0; i < template.size(); i++) {
            if (!matches(template.get(i), segments.get(i), variables)) {
                return null;
            }
        }
        return variables;
    }

    private static boolean matches(String template, String segment, Map<String, String> variables) {
        if (!template.startsWith("{")) {
            return template.equals(segment);
        }
        int end = template.indexOf('}');
        String variable = template.substring(1, end);
        String operation = template.substring(end + 1);
        if (!segment.endsWith(operation)) {
            return false;
        }
        String value = segment.substring(0, segment.length() - operation.length());
        if (!variable.equals("key") && value.indexOf(':') >= 0) {
            // a name has no colon, so an operation follows the colon, and it is another operation
            return false;
        }
        variables.put(variable, value);
        return true;
    }

    private static String hint(List<String> segments) {
        if (segments.size() > 7 && segments.get(5).equals("keys")) {
            return "a key is one segment of the path; write a slash in it as %2F";
        }
        return segments.size() == 5 && segments.getLast().contains(":")
                ? "the operations of a table are :flush, :compact, :rename, :seal, :verify and :truncate"
                : "no route has this path; GET /openapi.json lists them all";
    }
}
