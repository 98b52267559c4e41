package io.kvstore.server.http.message;

import java.io.IOException;
import java.util.Set;

/**
 * One line of the table of routes.
 *
 * @param method the HTTP method
 * @param template the path; {@code {x}} is a variable, and what follows a colon an operation
 * @param body what the request may carry
 * @param parameters the query parameters it takes
 * @param endpoint answers it
 */
public record Route(String method, String template, Body body, Set<String> parameters, Endpoint endpoint) {

    /** What a request may carry. */
    public enum Body {
        /** Nothing. Answered on the I/O thread, even when the server is busy or stopping: must not wait for anything. */
        NONE_AT_ONCE,
        /** Nothing. */
        NONE,
        /** A value: raw bytes, read before a worker is taken. */
        VALUE,
        /** A JSON document, read before a worker is taken. */
        JSON,
        /** Any number of lines, read by the endpoint. */
        LINES
    }

    /** Answers a request. */
    @FunctionalInterface
    public interface Endpoint {
        Reply answer(Request request) throws IOException;
    }

    /** The name in metrics. */
    public String name() {
        return method + " " + template;
    }
}
