package io.kvstore.server.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A table of the engine HASH over HTTP. {@link OwnOrderTest} scans one. */
final class HashTableTest {

    private static final String HASH = "/v1/databases/d/tables/h";
    private static final String KEY = HASH + "/keys/k";

    @TempDir
    private Path directory;

    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TestServer(directory);
        JsonNode made = server.put(HASH, "{\"engine\":\"hash\"}").expect(201).json();
        assertEquals("hash", made.get("engine").stringValue());
        assertFalse(made.get("ordered").booleanValue());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void holds(String key, String value) throws Exception {
        assertEquals(value, server.get(HASH + "/keys/" + key).expect(200).text());
    }

    @Test
    void the_server_names_the_engine() throws Exception {
        String engines = server.get("/v1").expect(200).json().get("engines").toString();
        for (String engine : List.of("bplus", "hash", "lsm")) {
            assertTrue(engines.contains("\"" + engine + "\""), engines);
        }
        String refusal = server.put("/v1/databases/d/tables/x", "{\"engine\":\"hashed\"}")
                .expectProblem(400, "invalid_request")
                .get("detail")
                .stringValue();
        assertTrue(
                refusal.endsWith("The jars are named kvstore-bplus, kvstore-hash, kvstore-lsm and kvstore-sealed"),
                refusal);
    }

    @Test
    void values_come_and_go_and_stay_over_a_restart() throws Exception {
        server.get(KEY).expectProblem(404, "key_not_found");
        server.put(KEY, "one").expect(204);
        server.put(KEY, "two").expect(204);
        holds("k", "two");
        server.send("HEAD", KEY, "").expect(200);
        server.send("DELETE", KEY, "").expect(204);
        server.send("HEAD", KEY, "").expect(404);
        assertEquals(
                "{\"value\":5}",
                server.post(HASH + "/keys/sum:add", "{\"delta\":5}").expect(200).text());
        server.post("/v1/databases/d/batch", """
                        {"mutations":[
                          {"op":"put","table":"h","key":"a","value":"1"},
                          {"op":"put","table":"t","key":"a","value":"2"},
                          {"op":"delete","table":"h","key":"none"},
                          {"op":"add","table":"h","key":"sum","delta":-7}]}
                        """).expect(200);
        server.close();
        server = new TestServer(directory);
        holds("a", "1");
        holds("sum", "-2");
        server.get(KEY).expectProblem(404, "key_not_found");
        assertEquals("{\"count\":2}", server.get(HASH + "/count").expect(200).text());
    }

    @Test
    void figures_are_told_and_maintenance_runs() throws Exception {
        server.put(KEY, "v".repeat(1_000)).expect(204);
        for (String operation : new String[] {"flush", "compact"}) {
            server.post(HASH + ":" + operation, "").expect(200);
        }
        JsonNode verified = server.post(HASH + ":verify", "").expect(200).json();
        assertEquals(0, verified.get("total").intValue(), verified::toString);
        String stats = server.get(HASH + "/stats").expect(200).text();
        String metrics = server.get("/metrics").expect(200).text();
        String labels = "{database=\"d\",table=\"h\",engine=\"hash\"} ";
        assertTrue(metrics.contains("kvstore_table_entries" + labels + "1\n"), metrics);
        for (String measure : new String[] {"index_bytes", "index_load_ratio", "changes_bytes", "history_bytes"}) {
            assertTrue(stats.contains("\"" + measure + "\""), stats);
            assertTrue(metrics.contains("_" + measure + labels), metrics);
        }
        server.post(HASH + ":truncate?confirm=h", "").expect(200);
        server.get(KEY).expectProblem(404, "key_not_found");
        server.send("DELETE", HASH + "?confirm=h", "").expect(204);
        server.get(HASH).expectProblem(404, "table_not_found");
    }
}
