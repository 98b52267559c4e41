package io.kvstore.server.http;

import static io.kvstore.server.http.TestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Health, metrics and description. */
final class HealthTest {

    private static final Pattern SAMPLE = Pattern.compile(
            "[a-z_][a-z0-9_]*(\\{[a-z_]+=\"([^\"\\\\\\n]|\\\\.)*\"(,[a-z_]+=\"([^\"\\\\\\n]|\\\\.)*\")*})?"
                    + " (-?[0-9]+(\\.[0-9]+)?(E-?[0-9]+)?|NaN|[+-]Inf)");

    @TempDir
    private Path directory;

    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TestServer(directory);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void a_server_that_serves_is_live_and_ready() throws Exception {
        for (String path : List.of("/health/live", "/livez")) {
            assertEquals("{\"status\":\"live\"}", server.get(path).expect(200).text());
        }
        for (String path : List.of("/health/ready", "/readyz")) {
            assertEquals("{\"status\":\"ready\"}", server.get(path).expect(200).text());
        }
        server.post("/health/ready", "").expectProblem(405, "method_not_allowed");
    }

    @Test
    void a_server_that_stops_is_live_and_not_ready() throws Exception {
        assertTrue(server.server().drain(1_000));
        assertEquals(
                "{\"status\":\"stopping\"}",
                server.get("/health/ready").expect(503).text());
        server.get("/health/live").expect(200);
        TestServer.Answer answer = server.get(TABLE + "/keys/k");
        answer.expectProblem(503, "stopping");
        assertEquals("1", answer.header("Retry-After"));
    }

    @Test
    void the_description_names_limits() throws Exception {
        JsonNode description = server.get("/v1").expect(200).json();
        assertEquals("kvstore", description.get("name").stringValue());
        assertTrue(description.get("engines").toString().contains("\"model\""));
        assertEquals("buffered", description.get("durability").stringValue());
        assertEquals(65_535, description.get("limits").get("key_bytes").intValue());
        assertTrue(description.get("uptime_seconds").isNumber());
    }

    @Test
    void a_request_has_an_id() throws Exception {
        assertEquals("my-id.1", server.get("/v1", "X-Request-Id", "my-id.1").header("X-Request-Id"));
        String given = server.get("/v1", "X-Request-Id", "not plain\"").header("X-Request-Id");
        assertFalse(given.contains("plain"));
        assertFalse(given.equals(server.get("/v1").header("X-Request-Id")));
        assertEquals("kvstore", server.get("/v1").header("Server"));
    }

    @Test
    void metrics_are_in_the_format() throws Exception {
        server.put(TABLE + "/keys/k", "v").expect(204);
        server.get(TABLE + "/keys/none").expect(404);
        TestServer.Answer answer = server.get("/metrics").expect(200);
        assertEquals("text/plain; version=0.0.4; charset=utf-8", answer.header("Content-Type"));
        Set<String> declared = new HashSet<>();
        for (String line : answer.text().lines().toList()) {
            if (line.startsWith("# TYPE ")) {
                assertTrue(declared.add(line.split(" ", -1)[2]), () -> line + " is declared twice");
            } else if (!line.startsWith("# HELP ")) {
                assertTrue(SAMPLE.matcher(line).matches(), () -> "not a sample: " + line);
                String name = line.split("[ {]", -1)[0];
                String family = name.replaceFirst("_(sum|count)$", "");
                assertTrue(declared.contains(name) || declared.contains(family), () -> "not declared: " + line);
                assertTrue(name.startsWith("kvstore_"), line);
            }
        }
        String text = answer.text();
        assertTrue(text.contains("kvstore_http_responses_total{status=\"204\"} 1\n"), text);
        assertTrue(text.contains("kvstore_http_responses_total{status=\"404\"} 1\n"), text);
        assertTrue(
                text.contains("kvstore_http_request_seconds_count{route=\"PUT "
                        + "/v1/databases/{db}/tables/{table}/keys/{key}" + "\"} 1\n"),
                text);
        assertTrue(text.contains("kvstore_table_entries{database=\"d\",table=\"t\",engine=\"model\"} 1\n"), text);
        assertTrue(text.contains("kvstore_log_records_total "), text);
    }

    @Test
    void a_web_page_cannot_send_requests() throws Exception {
        server.put(TABLE + "/keys/k", "v", "Origin", "http://example.com").expectProblem(403, "origin_not_allowed");
        server.put(TABLE + "/keys/k", "v", "Content-Encoding", "gzip").expectProblem(415, "content_coded");
        server.get(TABLE + "/keys/k").expectProblem(404, "key_not_found");
    }
}
