package io.kvstore.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A server with the few answers over HTTP that {@link StartTraining} needs. */
final class HttpTraining implements AutoCloseable {

    private final HttpServer server;
    private final byte[] entries;

    /** @param entries lines of an export */
    HttpTraining(String entries) throws IOException {
        this.entries = entries.getBytes(StandardCharsets.US_ASCII);
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/databases", this::answer);
        server.start();
    }

    String url() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            String path = exchange.getRequestURI().getPath();
            boolean isStream = path.endsWith("/entries");
            byte[] body = isStream ? entries : document(path).getBytes(StandardCharsets.US_ASCII);
            exchange.getResponseHeaders().set("Content-Type", isStream ? "application/x-ndjson" : "application/json");
            exchange.getResponseHeaders().set("ETag", "\"1\"");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static String document(String path) {
        if (path.endsWith("/databases")) {
            return "{\"databases\":[\"demo\"]}";
        }
        return path.endsWith("/t")
                ? "{\"database\":\"demo\",\"name\":\"t\",\"id\":1,\"engine\":\"lsm\",\"options\":{}}"
                : "{\"count\":1}";
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
