package io.kvstore.server.http.chain;

import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.Request;
import io.kvstore.server.http.message.Route;
import io.kvstore.server.http.message.StreamPace;
import io.kvstore.server.metrics.ServerMetrics;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.AttachmentKey;

/** Finds the route of a request and measures its time. Answers a request at once if its route must not wait. */
public final class RoutingHandler implements HttpHandler {

    private static final AttachmentKey<Request> REQUEST = AttachmentKey.create(Request.class);

    private final HttpRoutes routes;
    private final ServerMetrics metrics;
    private final StreamPace pace;
    private final ByteBudget answers;
    private final HttpHandler next;

    /**
     * @param pace for bodies and answers of any length
     * @param answers the heap memory for all answers
     */
    public RoutingHandler(
            HttpRoutes routes, ServerMetrics metrics, StreamPace pace, ByteBudget answers, HttpHandler next) {
        this.routes = routes;
        this.metrics = metrics;
        this.pace = pace;
        this.answers = answers;
        this.next = next;
    }

    @Override
    public void handleRequest(HttpServerExchange exchange) throws Exception {
        long begun = System.nanoTime();
        RouteName name = new RouteName();
        exchange.addExchangeCompleteListener((done, more) -> {
            metrics.answered(name.text, done.getStatusCode(), System.nanoTime() - begun);
            more.proceed();
        });
        HttpRoutes.Match match =
                routes.find(exchange.getRequestMethod().toString(), exchange.getRequestURI(), exchange);
        name.text = match.route().name();
        ByteBudget.Claim answer = answers.claim(ProblemCode.ANSWER_TOO_LARGE);
        Request request = new Request(exchange, match.route(), match.variables(), pace, answer);
        exchange.putAttachment(REQUEST, request);
        if (match.route().body() == Route.Body.NONE_AT_ONCE) {
            ReplySender.send(exchange, match.route().endpoint().answer(request));
        } else {
            next.handleRequest(exchange);
        }
    }

    /** The request that was routed. */
    static Request request(HttpServerExchange exchange) {
        Request request = exchange.getAttachment(REQUEST);
        if (request == null) {
            throw new IllegalStateException("the request was not routed");
        }
        return request;
    }

    /** The time for the rest of the request's body once it is answered. */
    static long restMillis(HttpServerExchange exchange) {
        Request request = exchange.getAttachment(REQUEST);
        return request == null ? Limits.BODY_MILLIS : request.pace().restMillis();
    }

    /** Whether the request's route takes a body of any length. */
    static boolean takesAnyLength(HttpServerExchange exchange) {
        Request request = exchange.getAttachment(REQUEST);
        return request != null && request.route().body().hasAnyLength();
    }

    /** The route's name, or {@code none} until it is known. */
    private static final class RouteName {
        private String text = "none";
    }
}
