package io.kvstore.server.http;

import static io.kvstore.server.http.TestServer.MODEL_TABLE;
import static io.kvstore.server.http.TestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Databases, tables and their maintenance over HTTP. */
final class TablesTest {

    private static final String DATABASES = "/v1/databases";

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
    void databases() throws Exception {
        server.put(DATABASES + "/one", "").expect(201);
        server.put(DATABASES + "/one", "").expect(200);
        assertEquals(
                "{\"databases\":[\"d\",\"one\"]}",
                server.get(DATABASES).expect(200).text());
        JsonNode one = server.get(DATABASES + "/one").expect(200).json();
        assertEquals("one", one.get("name").stringValue());
        assertEquals(0, one.get("tables").size());
        server.send("DELETE", DATABASES + "/one", "").expect(204);
        server.send("DELETE", DATABASES + "/one", "").expectProblem(404, "database_not_found");
        server.get(DATABASES + "/one").expectProblem(404, "database_not_found");
        server.get(DATABASES + "/one/tables").expectProblem(404, "database_not_found");
        server.send("DELETE", DATABASES + "/d", "").expectProblem(409, "database_not_empty");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LZ4", "ZSTD"})
    void compressed_tables(String codec) throws Exception {
        String compressed = "{\"engine\":\"LSM\",\"options\":{\"COMPRESSION\":\"%s\"}}";
        server.put(DATABASES + "/d/tables/packed", compressed.formatted(codec)).expect(201);
        String key = DATABASES + "/d/tables/packed/keys/k";
        server.put(key, "value ".repeat(100)).expect(204);
        server.post(DATABASES + "/d/tables/packed:flush", "").expect(200);
        assertEquals("value ".repeat(100), server.get(key).expect(200).text());
        String refusal = server.put(DATABASES + "/d/tables/other", compressed.formatted("LZMA"))
                .expectProblem(400, "invalid_request")
                .get("detail")
                .stringValue();
        assertTrue(refusal.contains("LZ4, ZSTD]. Add kvstore-codec-lzma.jar"), refusal);
    }

    @Test
    void tables() throws Exception {
        JsonNode table = server.put(
                        DATABASES + "/d/tables/two", "{\"engine\":\"MODEL\",\"options\":{\"MEMORY_LIMIT\":65536}}")
                .expect(201)
                .json();
        assertEquals("model", table.get("engine").stringValue());
        assertTrue(table.get("ordered").booleanValue());
        assertEquals(65_536, table.get("options").get("MEMORY_LIMIT").intValue());
        assertTrue(table.get("options").get("ENABLE_WAL").isBoolean());
        assertEquals(
                "{\"tables\":[\"t\",\"two\"]}",
                server.get(DATABASES + "/d/tables").expect(200).text());
        assertEquals(table, server.get(DATABASES + "/d/tables/two").expect(200).json());
        JsonNode stats =
                server.get(DATABASES + "/d/tables/two/stats").expect(200).json();
        assertEquals("MODEL", stats.get("engine_name").stringValue());
        assertTrue(stats.get("engine").get("durable_lsn").isNumber());
        server.send("DELETE", DATABASES + "/d/tables/two", "").expectProblem(400, "confirmation_missing");
        server.send("DELETE", DATABASES + "/d/tables/two?confirm=t", "").expectProblem(400, "confirmation_missing");
        server.send("DELETE", DATABASES + "/d/tables/two?confirm=two", "").expect(204);
        server.send("DELETE", DATABASES + "/d/tables/two?confirm=two", "").expectProblem(404, "table_not_found");
        server.get(DATABASES + "/d/tables/two").expectProblem(404, "table_not_found");
        server.get(DATABASES + "/d/tables/two/stats").expectProblem(404, "table_not_found");
        server.put(DATABASES + "/none/tables/t", MODEL_TABLE).expectProblem(404, "database_not_found");
    }

    @Test
    void a_table_gets_another_name() throws Exception {
        server.put(TABLE + "/keys/k", "v").expect(204);
        JsonNode before = server.get(TABLE).expect(200).json();
        JsonNode renamed =
                server.post(TABLE + ":rename", "{\"name\":\"new\"}").expect(200).json();
        assertEquals("new", renamed.get("name").stringValue());
        assertEquals(before.get("id"), renamed.get("id"));
        String table = DATABASES + "/d/tables/new";
        assertEquals(renamed, server.get(table).expect(200).json());
        assertEquals("v", server.get(table + "/keys/k").expect(200).text());
        server.get(TABLE).expectProblem(404, "table_not_found");
        server.put(TABLE + "/keys/k", "v").expectProblem(404, "table_not_found");
        server.post(TABLE + ":rename", "{\"name\":\"new\"}").expectProblem(404, "table_not_found");
        server.post(DATABASES + "/none/tables/t:rename", "{\"name\":\"new\"}").expectProblem(404, "database_not_found");
        server.post(table + ":rename", "{\"name\":\"new\"}").expect(200);
        server.put(TABLE, MODEL_TABLE).expect(201);
        server.post(table + ":rename", "{\"name\":\"t\"}").expectProblem(409, "already_exists");
        for (String body : List.of("{}", "{\"name\":1}", "{\"name\":\"t/t\"}", "{\"name\":\"a\",\"b\":1}", "[]")) {
            server.post(table + ":rename", body).expectProblem(400, "invalid_request");
        }
        server.post(table + ":rename", "{\"name\":\"" + "n".repeat(65) + "\"}").expectProblem(400, "invalid_request");
        server.post(table + ":rename", "{\"name\":\"" + "n".repeat(64) + "\"}").expect(200);
    }

    @Test
    void options_of_a_table_change() throws Exception {
        JsonNode before = server.get(TABLE).expect(200).json();
        JsonNode altered = server.send(
                        "PATCH", TABLE, "{\"options\":{\"MAX_VALUE_BYTES\":10,\"DURABILITY\":\"buffered\"}}")
                .expect(200)
                .json();
        assertEquals(10, altered.get("options").get("MAX_VALUE_BYTES").intValue());
        assertEquals("BUFFERED", altered.get("options").get("DURABILITY").stringValue());
        assertEquals(before.get("id"), altered.get("id"));
        assertEquals(altered, server.get(TABLE).expect(200).json());
        server.put(TABLE + "/keys/k", "0123456789").expect(204);
        server.put(TABLE + "/keys/k", "0123456789a").expectProblem(413, "too_large");
        assertEquals(
                altered,
                server.send("PATCH", TABLE, "{\"options\":{\"ENABLE_WAL\":true}}")
                        .expect(200)
                        .json());
        String refusal = server.send("PATCH", TABLE, "{\"options\":{\"ENABLE_WAL\":false,\"MAX_VALUE_BYTES\":11}}")
                .expectProblem(400, "invalid_request")
                .get("detail")
                .stringValue();
        assertTrue(refusal.startsWith("parameter ENABLE_WAL of table t stays true"), refusal);
        for (String body : List.of(
                "{\"options\":{\"NONE\":1}}",
                "{\"options\":{\"MAX_VALUE_BYTES\":-1}}",
                "{\"options\":1}",
                "{\"engine\":\"model\",\"options\":{}}",
                "{\"options\":{\"DURABILITY\":\"" + "9".repeat(257) + "\"}}")) {
            server.send("PATCH", TABLE, body).expectProblem(400, "invalid_request");
        }
        assertEquals(altered, server.get(TABLE).expect(200).json());
        server.send("PATCH", DATABASES + "/d/tables/none", "{\"options\":{}}").expectProblem(404, "table_not_found");
    }

    @Test
    void the_same_definition_again_is_no_error() throws Exception {
        server.put(TABLE, MODEL_TABLE).expect(200);
        server.put(TABLE, "{\"engine\":\"model\",\"options\":{\"ENABLE_WAL\":\"TRUE\"}}")
                .expect(200);
        JsonNode problem = server.put(TABLE, "{\"engine\":\"model\",\"options\":{\"MEMORY_LIMIT\":2048}}")
                .expectProblem(409, "definition_differs");
        assertEquals("model", problem.get("existing").get("engine").stringValue());
    }

    @Test
    void maintenance() throws Exception {
        server.put(TABLE + "/keys/k", "v").expect(204);
        for (String operation : List.of("flush", "compact")) {
            JsonNode done = server.post(TABLE + ":" + operation, "").expect(200).json();
            assertEquals(operation, done.get("done").stringValue());
        }
        JsonNode verified = server.post(TABLE + ":verify", "").expect(200).json();
        assertEquals(0, verified.get("total").intValue());
        assertEquals(
                "checkpoint",
                server.post("/v1:checkpoint", "").expect(200).json().get("done").stringValue());
        server.post(TABLE + ":truncate", "").expectProblem(400, "confirmation_missing");
        assertEquals("1", server.get(TABLE + "/count").json().get("count").toString());
        server.post(TABLE + ":truncate?confirm=t", "").expect(200);
        assertEquals("0", server.get(TABLE + "/count").json().get("count").toString());
        server.post(TABLE + ":explode", "").expectProblem(404, "route_not_found");
        server.post(DATABASES + "/d/tables/none:flush", "").expectProblem(404, "table_not_found");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "%00",
                ".hidden",
                "_x",
                "-x",
                "..",
                "%2e%2e%2fx",
                "a%2Fb",
                "a%5Cb",
                "a%20b",
                "%C3%A4",
                "%FF",
                "65---------------------------------------------------------------",
                "a%3Ab"
            })
    void names_that_are_not_names_are_refused(String name) throws Exception {
        if (!name.equals("..")) {
            server.put(DATABASES + "/" + name, "").expectProblem(400, "invalid_request");
        }
        server.put(DATABASES + "/d/tables/" + name + (name.equals("..") ? "%2e" : ""), MODEL_TABLE)
                .expectProblem(400, "invalid_request");
        assertEquals("{\"databases\":[\"d\"]}", server.get(DATABASES).text());
        assertEquals("{\"tables\":[\"t\"]}", server.get(DATABASES + "/d/tables").text());
    }

    @Test
    void names_of_64_characters_are_names() throws Exception {
        String name = "aZ09_.-x".repeat(8);
        server.put(DATABASES + "/" + name, "").expect(201);
        server.put(DATABASES + "/" + name + "/tables/" + name, MODEL_TABLE).expect(201);
        server.put(DATABASES + "/" + name + "/tables/" + name + "/keys/k", "v").expect(204);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "null",
                "[]",
                "\"lsm\"",
                "{}",
                "{\"engine\":1}",
                "{\"engine\":null}",
                "{\"engine\":\"none\"}",
                "{\"engine\":\"model\",\"engine\":\"model\"}",
                "{\"engine\":\"model\",\"option\":{}}",
                "{\"engine\":\"model\",\"options\":[]}",
                "{\"engine\":\"model\",\"options\":null}",
                "{\"engine\":\"model\",\"options\":{\"NO_SUCH\":1}}",
                "{\"engine\":\"model\",\"options\":{\"MEMORY_LIMIT\":null}}",
                "{\"engine\":\"model\",\"options\":{\"MEMORY_LIMIT\":{}}}",
                "{\"engine\":\"model\",\"options\":{\"MEMORY_LIMIT\":-1}}",
                "{\"engine\":\"model\",\"options\":{\"MEMORY_LIMIT\":\"many\"}}",
                "{\"engine\":\"model\",\"options\":{\"MEMORY_LIMIT\":1e99999999999}}",
                "{\"engine\":\"model\",\"options\":{\"MEMORY_LIMIT\":1e9999999999}}",
                "{\"engine\":\"model\",\"options\":{\"MEMORY_LIMIT\":100e2147483647}}",
                "{\"engine\":\"model\",\"options\":{\"ENABLE_WAL\":2}}",
                "{\"engine\":\"model\"} {}",
                "{\"engine\":\"model\",}",
                "{'engine':'memory'}",
                "{\"engine\":\"model\",\"options\":{\"DURABILITY\":\"none\"}}"
            })
    void a_bad_definition_creates_nothing(String body) throws Exception {
        TestServer.Answer answer = server.put(DATABASES + "/d/tables/new", body).expect(400);
        String code = answer.json().get("code").stringValue();
        assertTrue(code.equals("invalid_request") || code.equals("invalid_json"), answer::text);
        assertEquals("{\"tables\":[\"t\"]}", server.get(DATABASES + "/d/tables").text());
        server.put(DATABASES + "/d/tables/new", MODEL_TABLE).expect(201);
    }

    @Test
    void json_bombs_are_refused() throws Exception {
        server.put(DATABASES + "/d/tables/new", "[".repeat(100_000)).expectProblem(400, "invalid_request");
        server.put(DATABASES + "/d/tables/new", "{\"engine\":".repeat(33)).expectProblem(400, "invalid_request");
        server.put(DATABASES + "/d/tables/new", "{\"options\":" + "{\"a\":".repeat(33))
                .expectProblem(400, "invalid_request");
        server.put(DATABASES + "/d/tables/new", "{\"" + "n".repeat(257) + "\":1}")
                .expectProblem(400, "invalid_json");
        StringBuilder options = new StringBuilder("{\"engine\":\"model\",\"options\":{\"o0\":0");
        for (int i = 1; i < 65; i++) {
            options.append(",\"o").append(i).append("\":0");
        }
        assertEquals(
                "options has more than 64 fields",
                server.put(DATABASES + "/d/tables/new", options + "}}")
                        .expectProblem(400, "invalid_request")
                        .get("detail")
                        .stringValue());
        server.put(DATABASES + "/d/tables/new", "1".repeat(1_000)).expectProblem(400, "invalid_json");
        server.send("PUT", DATABASES + "/d/tables/new", new byte[] {'"', (byte) 0xC0, (byte) 0x80, '"'})
                .expectProblem(400, "invalid_request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e6", "1E+06", "1000000.0", "1000000", "\"1000000\""})
    void a_whole_number_is_one_however_it_is_written(String number) throws Exception {
        String body = "{\"engine\":\"model\",\"options\":{\"MEMORY_LIMIT\":" + number + "}}";
        String answer =
                server.put(DATABASES + "/d/tables/new", body).expect(201).text();
        assertTrue(answer.contains("\"MEMORY_LIMIT\":1000000,"), answer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.5", "1e999999999", "-1e6", "1e-6"})
    void a_number_that_is_not_whole_or_far_too_large_is_refused(String number) throws Exception {
        String body = "{\"engine\":\"model\",\"options\":{\"MEMORY_LIMIT\":" + number + "}}";
        server.put(DATABASES + "/d/tables/new", body).expectProblem(400, "invalid_request");
    }

    @Test
    void methods_and_paths_that_do_not_exist() throws Exception {
        TestServer.Answer answer = server.send("POST", TABLE, "");
        answer.expectProblem(405, "method_not_allowed");
        assertEquals("DELETE, GET, HEAD, PATCH, PUT", answer.header("Allow"));
        for (String operation : List.of(":compact", ":flush", ":rename", ":seal", ":verify", ":truncate")) {
            TestServer.Answer get = server.get(TABLE + operation);
            get.expectProblem(405, "method_not_allowed");
            assertEquals("POST", get.header("Allow"));
        }
        server.post(TABLE + ":squeeze", "").expectProblem(404, "route_not_found");
        server.send("DELETE", DATABASES, "").expectProblem(405, "method_not_allowed");
        server.post(TABLE + "/keys/k", "v").expectProblem(405, "method_not_allowed");
        for (String path : List.of("/", "/v2", "/v1/", "/v1/database", "/v1//databases", "/v1/databases/d/x")) {
            server.get(path).expectProblem(404, "route_not_found");
        }
        server.get(DATABASES + "?x=1").expectProblem(400, "invalid_request");
        server.send("PUT", DATABASES + "/x", "body").expectProblem(413, "too_large");
        server.send("GET", DATABASES, "body").expectProblem(413, "too_large");
    }
}
