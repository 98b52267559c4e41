package io.kvstore.server.http.chain;

import io.kvstore.server.http.message.Request;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;

/** Answers a request on a worker thread, where it may wait for the store and for the client. */
public final class WorkHandler implements HttpHandler {

    private final ProblemBoundary boundary;
    private final Workers workers;

    public WorkHandler(ProblemBoundary boundary, Workers workers) {
        this.boundary = boundary;
        this.workers = workers;
    }

    @Override
    public void handleRequest(HttpServerExchange exchange) {
        if (!Workers.isHere()) {
            workers.take(exchange, this);
        } else {
            boundary.run(WorkHandler::answer, exchange);
        }
    }

    private static void answer(HttpServerExchange exchange) throws Exception {
        Request request = RoutingHandler.request(exchange);
        ReplySender.send(exchange, request.route().endpoint().answer(request));
    }
}
