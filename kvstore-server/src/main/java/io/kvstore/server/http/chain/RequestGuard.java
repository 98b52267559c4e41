package io.kvstore.server.http.chain;

import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.http.message.Limits;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderMap;
import io.undertow.util.HeaderValues;
import io.undertow.util.Headers;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that no route should see: messages that could be read in two ways, headers beyond their limits, and requests
 * that a web page made a browser send. Those have an Origin or, after DNS rebinding, a Host that is not this server's.
 */
public final class RequestGuard implements HttpHandler {

    private final @Nullable Set<String> hosts;
    private final HttpHandler next;

    /** @param hosts the names that the Host header may have; null for any */
    public RequestGuard(@Nullable Set<String> hosts, HttpHandler next) {
        this.hosts = hosts;
        this.next = next;
    }

    @Override
    public void handleRequest(HttpServerExchange exchange) throws Exception {
        try {
            checkFraming(exchange);
            checkSizes(exchange);
        } catch (ProblemException e) {
            exchange.setPersistent(false);
            throw e;
        }
        checkHost(exchange);
        if (exchange.getRequestHeaders().contains(Headers.ORIGIN)) {
            refuse(ProblemCode.ORIGIN_NOT_ALLOWED, "the request has an Origin header, so a web page made it");
        }
        if (exchange.getRequestHeaders().contains(Headers.CONTENT_ENCODING)) {
            refuse(ProblemCode.CONTENT_CODED, "the request has a Content-Encoding header; send the body as it is");
        }
        next.handleRequest(exchange);
    }

    private static void checkFraming(HttpServerExchange exchange) {
        HeaderMap headers = exchange.getRequestHeaders();
        if (!exchange.isHttp11() && !exchange.isHttp10()) {
            throw ProblemException.invalid("the protocol is not HTTP/1.1 or HTTP/1.0");
        }
        if (exchange.isHostIncludedInRequestURI() || !exchange.getRequestURI().startsWith("/")) {
            throw ProblemException.invalid("the request line has no path that begins with a slash");
        }
        HeaderValues length = headers.get(Headers.CONTENT_LENGTH);
        HeaderValues coding = headers.get(Headers.TRANSFER_ENCODING);
        if (length != null
                && (length.size() > 1 || coding != null || !length.getFirst().matches("[0-9]{1,18}"))) {
            throw ProblemException.invalid("the length of the body is given twice or is not a number");
        }
        if (coding != null && (coding.size() > 1 || !coding.getFirst().equalsIgnoreCase("chunked"))) {
            throw ProblemException.invalid("the Transfer-Encoding is not chunked");
        }
    }

    private static void checkSizes(HttpServerExchange exchange) {
        long uri = (long) exchange.getRequestURI().length()
                + exchange.getQueryString().length();
        if (uri > Limits.URI_BYTES) {
            throw new ProblemException(Problem.beyond(
                    ProblemCode.URI_TOO_LONG,
                    "path and query have " + uri + " bytes; at most " + Limits.URI_BYTES + " are taken",
                    Limits.URI_BYTES,
                    uri));
        }
        long bytes = 0;
        for (HeaderValues values : exchange.getRequestHeaders()) {
            for (String value : values) {
                bytes += values.getHeaderName().length() + value.length();
            }
        }
        if (bytes > Limits.HEADER_BYTES) {
            throw new ProblemException(Problem.beyond(
                    ProblemCode.HEADERS_TOO_LARGE,
                    "the headers have " + bytes + " bytes; at most " + Limits.HEADER_BYTES + " are taken",
                    Limits.HEADER_BYTES,
                    bytes));
        }
    }

    private void checkHost(HttpServerExchange exchange) {
        HeaderValues given = exchange.getRequestHeaders().get(Headers.HOST);
        if (given == null && exchange.isHttp10()) {
            return;
        }
        if (given == null || given.size() != 1) {
            exchange.setPersistent(false);
            throw ProblemException.invalid("the Host header is missing or given twice");
        }
        String host = given.getFirst().strip().toLowerCase(Locale.ROOT).replaceFirst(":[0-9]{1,5}$", "");
        if (hosts != null && !hosts.contains(host)) {
            refuse(ProblemCode.HOST_NOT_ALLOWED, "the Host header is none of " + String.join(", ", hosts));
        }
    }

    private static void refuse(ProblemCode code, String detail) {
        throw new ProblemException(Problem.of(code, detail));
    }
}
