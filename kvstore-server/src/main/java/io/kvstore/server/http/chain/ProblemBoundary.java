package io.kvstore.server.http.chain;

import io.kvstore.server.edge.ErrorTable;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.RequestId;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Turns anything that a handler throws into a problem, so that no exception reaches a client or the library. */
public final class ProblemBoundary {

    private static final Logger LOGGER = System.getLogger(ProblemBoundary.class.getName());

    /** A handler that runs another within the boundary. */
    public HttpHandler around(HttpHandler handler) {
        return exchange -> run(handler, exchange);
    }

    /** Runs a handler within the boundary. */
    void run(HttpHandler handler, HttpServerExchange exchange) {
        try {
            handler.handleRequest(exchange);
        } catch (Throwable failure) {
            answer(exchange, failure);
        }
    }

    /** Answers with the problem of a failure. */
    public void answer(HttpServerExchange exchange, Throwable failure) {
        if (failure instanceof IOException || exchange.isResponseStarted()) {
            // The store never throws IOException, so the client went away. Else part of the answer has left already.
            boolean quiet = failure instanceof IOException || exchange.isResponseComplete();
            log(quiet ? Level.DEBUG : Level.WARNING, exchange, failure);
            closeConnection(exchange);
            return;
        }
        Problem problem = ErrorTable.of(failure);
        if (problem.code().status() >= 500 && !problem.code().isTransient()) {
            log(Level.WARNING, exchange, failure);
        }
        if (exchange.getRequestContentLength() > Limits.REFUSED_BYTES) {
            exchange.setPersistent(false);
        }
        ReplySender.send(exchange, Reply.of(problem, RequestId.of(exchange)));
    }

    private static void log(Level level, HttpServerExchange exchange, Throwable failure) {
        LOGGER.log(level, "request " + RequestId.of(exchange) + " failed", failure);
    }

    private static void closeConnection(HttpServerExchange exchange) {
        try {
            exchange.getConnection().close();
        } catch (IOException | RuntimeException e) {
            // The library refuses work after it was stopped. The connection is closed in that case.
            LOGGER.log(Level.DEBUG, "could not close a connection", e);
        }
        exchange.endExchange();
    }
}
