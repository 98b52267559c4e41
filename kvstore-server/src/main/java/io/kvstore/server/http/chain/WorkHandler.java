package io.kvstore.server.http.chain;

import io.kvstore.server.http.message.Request;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;

/** Answers a request on a worker thread, where it may wait for the store and for the client. */
public final class WorkHandler implements HttpHandler {

    private final ProblemBoundary boundary;

    public WorkHandler(ProblemBoundary boundary) {
        this.boundary = boundary;
    }

    @Override
    public void handleRequest(HttpServerExchange exchange) {
        if (exchange.isInIoThread()) {
            exchange.dispatch(this);
        } else {
            boundary.run(WorkHandler::answer, exchange);
        }
    }

    private static void answer(HttpServerExchange exchange) throws Exception {
        Request request = RoutingHandler.request(exchange);
        ReplySender.send(exchange, request.route().endpoint().answer(request));
    }
}
