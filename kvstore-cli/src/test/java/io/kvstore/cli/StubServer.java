package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.kvstore.cli.http.HttpApiClient;
import io.kvstore.client.ClientOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server over HTTP that does with each request what a test says. */
final class StubServer implements AutoCloseable {

    private final Queue<Step> steps = new ConcurrentLinkedQueue<>();
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch ended = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    /** What the stub does with a request. */
    interface Step {
        void take(HttpExchange exchange) throws IOException;
    }

    StubServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            calls.add(exchange.getRequestMethod());
            Step step = steps.poll();
            (step == null ? answer(204, "") : step).take(exchange);
        });
        server.start();
    }

    /** Does this with the next request for which there is no step. Requests beyond the steps are answered with 204. */
    void add(Step step) {
        steps.add(step);
    }

    /** The methods of the requests that have come. */
    List<String> calls() {
        return calls;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    HttpApiClient client(int timeoutMillis) {
        int port = server.getAddress().getPort();
        return HttpApiClient.of(ClientOptions.of("127.0.0.1", port).withTimeoutMillis(timeoutMillis));
    }

    static Step answer(int status, String body) {
        return exchange -> {
            try (exchange) {
                byte[] bytes = body.getBytes(UTF_8);
                if (status == 200 || status == 204) {
                    exchange.getResponseHeaders().set("ETag", "\"1\"");
                }
                exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
                if (bytes.length > 0) {
                    exchange.getResponseBody().write(bytes);
                }
            }
        };
    }

    static Step problem(int status, String code, String outcome) {
        return answer(
                status,
                "{\"status\":%s,\"detail\":\"told\",\"code\":\"%s\",\"outcome\":\"%s\",\"request_id\":\"r1\",\"limit\":7}"
                        .formatted(Integer.toString(status), code, outcome));
    }

    /** Begins a stream of entries. */
    static OutputStream begin(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/x-ndjson");
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    static Step stream(String text) {
        return exchange -> {
            try (OutputStream body = begin(exchange)) {
                body.write(text.getBytes(UTF_8));
            }
        };
    }

    /** Ends the connection without an answer. */
    static void hangUp(HttpExchange exchange) {
        exchange.close();
    }

    /** Waits for the end of the test. */
    private void hang() {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Answers nothing. */
    void hang(HttpExchange exchange) {
        try (exchange) {
            hang();
        }
    }

    /** Begins a stream, and sends nothing after its begin. */
    void hangAfter(String text, HttpExchange exchange) throws IOException {
        try (OutputStream body = begin(exchange)) {
            body.write(text.getBytes(UTF_8));
            body.flush();
            hang();
        }
    }

    @Override
    public void close() {
        ended.countDown();
        server.stop(0);
        threads.close();
    }
}
