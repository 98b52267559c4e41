package io.kvstore.server.http.message;

import java.io.IOException;
import java.util.Set;

/**
 * One line of the table of routes.
 *
 * @param method the HTTP method
 * @param template the path; {@code {x}} is a variable, and the name behind a colon is an operation
 * @param body the kind of body that a request may have
 * @param parameters the query parameters that the route takes
 * @param endpoint answers the requests
 */
public record Route(String method, String template, Body body, Set<String> parameters, Endpoint endpoint) {

    /** The kind of body that a request may have. */
    public enum Body {
        /**
         * No body. The request is answered on the I/O thread, even when the server is busy or stopping. It must not wait for
         * anything.
         */
        NONE_AT_ONCE,
        /** No body. */
        NONE,
        /** A value: raw bytes, read before a worker is taken. */
        VALUE,
        /** A JSON document, read before a worker is taken. */
        JSON,
        /** Any number of lines, read by the endpoint. */
        LINES,
        /** A file of any length, read by the endpoint. */
        FILE;

        /** Whether the endpoint reads the body, which has any length. */
        public boolean hasAnyLength() {
            return this == LINES || this == FILE;
        }
    }

    /** Answers a request. */
    @FunctionalInterface
    public interface Endpoint {
        Reply answer(Request request) throws IOException;
    }

    /** The name of the route in metrics. */
    public String name() {
        return method + " " + template;
    }
}
