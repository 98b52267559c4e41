package io.kvstore.server.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.data.Durability;
import io.kvstore.server.edge.Access;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.TableDefinition;
import io.kvstore.server.metrics.ServerMetrics;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server in this process with one database {@code d} and one table {@code t}, and a client for it. Another one over the same
 * directory is a restart.
 */
final class TestServer implements AutoCloseable {

    static final String TABLE = "/v1/databases/d/tables/t";
    static final String MODEL_TABLE = "{\"engine\":\"model\"}";
    static final int MAX_VALUE_BYTES = 1 << 20;

    private static final JsonMapper MAPPER = new JsonMapper();

    private final KVStore store;
    private final Edge edge;
    private final HttpServer server;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    TestServer(Path directory) throws Exception {
        this(directory, config());
    }

    TestServer(Path directory, HttpConfig config) throws Exception {
        this(directory, config, directory.resolveSibling("backups"));
    }

    static TestServer withoutBackups(Path directory) throws Exception {
        return new TestServer(directory, config(), null);
    }

    private TestServer(Path directory, HttpConfig config, @Nullable Path backups) throws Exception {
        KVStoreOptions options = KVStoreOptions.defaults()
                .withDurability(Durability.BUFFERED)
                .withMaxValueBytes(MAX_VALUE_BYTES)
                .withMemoryBytes(256 << 20)
                .withWalSegmentBytes(1 << 20);
        store = new KVStore(directory, options);
        edge = Edge.of(store, directory, Access.open(), "test", config.longJobs())
                .withBackups(backups);
        server = new HttpServer(config, edge, new ServerMetrics());
        edge.tables().createDatabase("d");
        edge.tables().create("d", "t", new TableDefinition("model", Map.of()));
    }

    static HttpConfig config() {
        return HttpConfig.at(InetAddress.getLoopbackAddress(), 0);
    }

    KVStore store() {
        return store;
    }

    Edge edge() {
        return edge;
    }

    HttpServer server() {
        return server;
    }

    int port() {
        return server.port();
    }

    Answer get(String path, String... headers) throws IOException, InterruptedException {
        return send("GET", path, "", headers);
    }

    Answer post(String path, String body, String... headers) throws IOException, InterruptedException {
        return send("POST", path, body, headers);
    }

    Answer put(String path, String body, String... headers) throws IOException, InterruptedException {
        return send("PUT", path, body, headers);
    }

    Answer send(String method, String path, String body, String... headers) throws IOException, InterruptedException {
        return send(method, path, body.getBytes(StandardCharsets.UTF_8), headers);
    }

    Answer send(String method, String path, byte[] body, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
        assertTrue(response.headers().firstValue("X-Request-Id").isPresent(), "no request id");
        assertEquals(
                "nosniff",
                response.headers().firstValue("X-Content-Type-Options").orElse(""));
        return new Answer(method + " " + path, response);
    }

    /**
     * Waits until the bodies and answers of all requests take this number of bytes. A client has its answer before the memory
     * of that answer is given back, so a test that needs free memory waits first.
     */
    void awaitUsedBytes(long bytes) throws Exception {
        long end = System.nanoTime() + 120_000_000_000L;
        while (server.budgetUsedBytes() != bytes && System.nanoTime() - end < 0) {
            get("/livez");
        }
        assertEquals(bytes, server.budgetUsedBytes());
    }

    @Override
    public void close() {
        server.close();
        store.close();
    }

    /** An answer, with checks that name the request. */
    record Answer(String request, HttpResponse<byte[]> response) {

        Answer expect(int status) {
            assertEquals(status, response.statusCode(), () -> request + ": " + text());
            return this;
        }

        /** Checks that the answer is a problem with all its parts. */
        JsonNode expectProblem(int status, String code) {
            expect(status);
            assertEquals("application/problem+json", header("Content-Type"), request);
            JsonNode problem = json();
            assertEquals(code, problem.get("code").stringValue(), () -> request + ": " + text());
            assertEquals(status, problem.get("status").intValue());
            assertEquals("urn:kvstore:problem:" + code, problem.get("type").stringValue());
            assertEquals(header("X-Request-Id"), problem.get("request_id").stringValue());
            for (String member : new String[] {"title", "detail", "outcome"}) {
                assertTrue(problem.get(member).isString(), () -> request + " has no " + member + ": " + text());
            }
            String detail = problem.get("detail").stringValue();
            assertTrue(!detail.contains("Exception") && !detail.contains("\tat "), () -> request + ": " + text());
            return problem;
        }

        JsonNode json() {
            return MAPPER.readTree(response.body());
        }

        /** The body; of JSON without the end of its line. */
        String text() {
            String text = new String(response.body(), StandardCharsets.UTF_8);
            return header("Content-Type").matches("application/(problem.)?json")
                            && text.indexOf('\n') == text.length() - 1
                    ? text.strip()
                    : text;
        }

        byte[] bytes() {
            return response.body();
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }
}
