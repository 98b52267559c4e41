package io.kvstore.server.http.chain;

import io.kvstore.server.edge.Access;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderValues;
import io.undertow.util.Headers;
import java.util.Set;

/** Asks for a token if the server has any. Health is told without one. */
public final class TokenGuard implements HttpHandler {

    private static final String SCHEME = "bearer ";
    /** The paths of health. Orchestrators know them by these names. */
    private static final Set<String> OPEN_PATHS = Set.of("/health/live", "/livez", "/health/ready", "/readyz");

    private final Access access;
    private final HttpHandler next;

    public TokenGuard(Access access, HttpHandler next) {
        this.access = access;
        this.next = next;
    }

    @Override
    public void handleRequest(HttpServerExchange exchange) throws Exception {
        if (access.isRestricted() && !OPEN_PATHS.contains(exchange.getRequestURI())) {
            check(exchange);
        }
        next.handleRequest(exchange);
    }

    private void check(HttpServerExchange exchange) {
        HeaderValues given = exchange.getRequestHeaders().get(Headers.AUTHORIZATION);
        String header = given == null || given.size() != 1 ? "" : given.getFirst();
        boolean isBearer = header.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
        if (!isBearer || !access.allows(header.substring(SCHEME.length()).strip())) {
            exchange.getResponseHeaders().put(Headers.WWW_AUTHENTICATE, "Bearer");
            throw new ProblemException(Problem.of(
                    ProblemCode.UNAUTHENTICATED,
                    isBearer
                            ? "the token is not one of this server's"
                            : "give the header Authorization: Bearer and one of the server's tokens"));
        }
    }
}
