package io.kvstore.server.http;

import static io.kvstore.server.http.TestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.server.http.message.Limits;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Many keys at once over HTTP: batches, reads of several keys, imports. */
final class BatchTest {

    private static final String BATCH = "/v1/databases/d/batch";
    private static final String DELETE = "{\"mutations\":[{\"op\":\"delete\",\"table\":\"t\",\"key\":\"k\"}],";

    @TempDir
    private Path directory;

    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TestServer(directory);
        server.put("/v1/databases/d/tables/u", TestServer.MODEL_TABLE).expect(201);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void a_batch_spans_tables_and_takes_binary() throws Exception {
        JsonNode answer = server.post(BATCH, """
                        {"durability":"sync","mutations":[
                          {"op":"put","table":"t","key":"a","value":"1"},
                          {"op":"put","table":"u","key_b64":"_w","value_b64":"AP8="},
                          {"op":"put","table":"t","key":"","value":""},
                          {"op":"put","table":"t","key":"b","value":"2"},
                          {"op":"delete","table":"t","key":"b"}]}
                        """).expect(200).json();
        assertTrue(answer.get("sequence").isNumber());
        assertEquals("1", server.get(TABLE + "/keys/a").expect(200).text());
        assertEquals(
                2, server.get("/v1/databases/d/tables/u/keys/%FF").expect(200).bytes().length);
        assertEquals(0, server.get(TABLE + "/keys/").expect(200).bytes().length);
        server.get(TABLE + "/keys/b").expectProblem(404, "key_not_found");
    }

    @Test
    void a_failed_check_is_named_and_nothing_is_applied() throws Exception {
        String tag =
                server.put(TABLE + "/keys/a", "1").expect(204).header("ETag").replace("\"", "");
        String form = "{\"checks\":[{\"table\":\"t\",\"key\":\"none\",\"etag\":null},"
                + "{\"table\":\"t\",\"key\":\"a\",\"etag\":%s}],"
                + "\"mutations\":[{\"op\":\"put\",\"table\":\"u\",\"key\":\"k\",\"value\":\"v\"}]}";
        for (String wrong : new String[] {"null", "\"0123456789abcdef\""}) {
            JsonNode problem = server.post(BATCH, form.formatted(wrong)).expectProblem(412, "condition_failed");
            assertEquals(1, problem.get("failed_check").intValue());
            assertNull(server.store().get("d", "u", "k"));
        }
        for (String right : new String[] {"\"" + tag + "\"", "\"\\\"" + tag + "\\\"\"", "\"*\""}) {
            server.post(BATCH, form.formatted(right)).expect(200);
            server.store().remove("d", "u", "k");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"mutations\":[]}",
                "{\"mutations\":{}}",
                "{\"mutations\":[1]}",
                "{\"mutations\":[{}]}",
                "{\"mutations\":[{\"op\":\"put\",\"table\":\"t\",\"key\":\"k\"}]}",
                "{\"mutations\":[{\"op\":\"put\",\"table\":\"t\",\"value\":\"v\"}]}",
                "{\"mutations\":[{\"op\":\"put\",\"table\":\"t\",\"key\":1,\"value\":\"v\"}]}",
                "{\"mutations\":[{\"op\":\"put\",\"table\":\"t\",\"key\":\"k\",\"key_b64\":\"aw\",\"value\":\"v\"}]}",
                "{\"mutations\":[{\"op\":\"put\",\"table\":\"t\",\"key_b64\":\"!\",\"value\":\"v\"}]}",
                "{\"mutations\":[{\"op\":\"put\",\"table\":\"t\",\"key\":\"\\ud800\",\"value\":\"v\"}]}",
                "{\"mutations\":[{\"op\":\"put\",\"table\":\"t\",\"key\":\"k\",\"value\":\"\\udc00\"}]}",
                "{\"mutations\":[{\"op\":\"delete\",\"table\":\"t\",\"key\":\"k\",\"value\":\"v\"}]}",
                "{\"mutations\":[{\"op\":\"merge\",\"table\":\"t\",\"key\":\"k\",\"value\":\"v\"}]}",
                DELETE + "\"durability\":\"none\"}",
                DELETE + "\"atomic\":true}",
                DELETE + "\"checks\":[{\"table\":\"t\",\"key\":\"k\"}]}",
                DELETE + "\"checks\":[{\"table\":\"t\",\"key\":\"k\",\"etag\":1}]}",
                DELETE + "\"checks\":[{\"table\":\"t\",\"key\":\"k\",\"etag\":\"x\"}]}"
            })
    void a_bad_batch_changes_nothing(String body) throws Exception {
        TestServer.Answer answer = server.post(BATCH, body).expect(400);
        assertTrue(answer.json().get("code").stringValue().startsWith("invalid_"), answer::text);
        assertEquals("0", server.get(TABLE + "/count").json().get("count").toString());
    }

    @Test
    void a_batch_with_a_missing_table_changes_nothing() throws Exception {
        String body = "{\"mutations\":[{\"op\":\"put\",\"table\":\"t\",\"key\":\"k\",\"value\":\"v\"},"
                + "{\"op\":\"put\",\"table\":\"none\",\"key\":\"k\",\"value\":\"v\"}]}";
        server.post(BATCH, body).expectProblem(404, "table_not_found");
        server.post("/v1/databases/none/batch", body).expectProblem(404, "database_not_found");
        assertNull(server.store().get("d", "t", "k"));
    }

    @Test
    void a_batch_has_at_most_10000_mutations_and_16_mebibytes() throws Exception {
        for (int count : new int[] {9_999, 10_000}) {
            server.post(BATCH, mutations(count)).expect(200);
            assertEquals(count, server.get(TABLE + "/count").json().get("count").intValue());
        }
        JsonNode problem = server.post(BATCH, mutations(10_001)).expectProblem(413, "too_many_items");
        assertEquals(10_000, problem.get("limit").intValue());
        String space = " ".repeat(Limits.JSON_BYTES);
        server.post(BATCH, mutations(1) + space).expectProblem(413, "too_large");
        String one = mutations(1);
        server.post(BATCH, one + space.substring(one.length())).expect(200);
    }

    private static String mutations(int count) {
        StringBuilder body = new StringBuilder("{\"mutations\":[");
        for (int i = 0; i < count; i++) {
            body.append(i == 0 ? "" : ",");
            body.append("{\"op\":\"put\",\"table\":\"t\",\"key\":\"").append(i).append("\",\"value\":\"v\"}");
        }
        return body.append("]}").toString();
    }

    @Test
    void several_keys_are_read_in_their_order() throws Exception {
        server.put(TABLE + "/keys/a", "1").expect(204);
        server.send("PUT", TABLE + "/keys/%FF", new byte[] {(byte) 0xFF}).expect(204);
        assertEquals(
                "{\"entries\":[{\"key_b64\":\"_w\",\"value_b64\":\"_w\",\"found\":true},{\"key\":\"x\",\"found\":false},"
                        + "{\"key\":\"a\",\"value\":\"1\",\"found\":true},{\"key\":\"a\",\"value\":\"1\",\"found\":true}]}",
                server.post(TABLE + "/get", "{\"keys\":[{\"key_b64\":\"_w==\"},\"x\",\"a\",{\"key\":\"a\"}]}")
                        .expect(200)
                        .text());
        assertEquals(
                "{\"entries\":[]}", server.post(TABLE + "/get", "{\"keys\":[]}").text());
        for (String bad :
                List.of("{}", "{\"keys\":\"a\"}", "{\"keys\":[1]}", "{\"keys\":[{}]}", "{\"keys\":[],\"x\":1}")) {
            server.post(TABLE + "/get", bad).expectProblem(400, "invalid_request");
        }
        String keys = "\"a\",".repeat(10_000);
        server.post(TABLE + "/get", "{\"keys\":[" + keys + "\"a\"]}").expectProblem(413, "too_many_items");
        server.post(TABLE + "/get", "{\"keys\":[" + keys.substring(0, keys.length() - 1) + "]}")
                .expect(200);
    }

    @Test
    void an_answer_that_would_be_too_large_is_refused() throws Exception {
        server.send("PUT", TABLE + "/keys/a", new byte[TestServer.MAX_VALUE_BYTES])
                .expect(204);
        server.post(TABLE + "/get", "{\"keys\":[" + "\"a\",".repeat(16) + "\"a\"]}")
                .expectProblem(413, "answer_too_large");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"mutations\":[%s]}",
                "{\"mutations\":[{\"op\":\"put\",\"table\":\"t\",\"key\":[%s]}]}",
                "{\"checks\":[[%s]]}",
                "{\"unknown\":[%s]}",
                "[%s]"
            })
    void many_small_parts_are_refused_before_anything_is_made_of_them(String form) throws Exception {
        String parts = form.formatted("{}" + ",{}".repeat(1_000_000));
        TestServer.Answer answer = server.post(BATCH, parts).expect(400);
        assertTrue(answer.text().contains("invalid_request"), answer::text);
        server.post(TABLE + "/get", parts.replace("mutations", "keys").replace("checks", "keys"))
                .expect(400);
    }

    @Test
    void bytes_are_taken_in_hexadecimal_digits() throws Exception {
        String put = "{\"mutations\":[{\"op\":\"put\",\"table\":\"t\",\"key_hex\":\"00fF\",\"value_hex\":\"\"}]}";
        server.post(BATCH, put).expect(200);
        assertEquals(
                "{\"entries\":[{\"key_hex\":\"00ff\",\"value_hex\":\"\",\"found\":true}]}",
                server.post(TABLE + "/get?encoding=hex", "{\"keys\":[{\"key_hex\":\"00ff\"}]}")
                        .expect(200)
                        .text());
        server.post(BATCH, put.replace("00fF", "0")).expectProblem(400, "invalid_request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "base64url", "hex"})
    void what_was_exported_is_imported(String encoding) throws Exception {
        server.store().put("d", "t", new byte[0], new byte[0]);
        server.store().put("d", "t", new byte[] {0, (byte) 0xFF}, new byte[] {1, 2, 3});
        server.store().put("d", "t", "\u2028\"\\", "\u00e4\r\n".getBytes(StandardCharsets.UTF_8));
        for (byte filler : new byte[] {0, 1, '"', 'a', (byte) 0x80, (byte) 0xFF}) {
            byte[] value = new byte[TestServer.MAX_VALUE_BYTES];
            Arrays.fill(value, filler);
            byte[] key = new byte[65_535];
            Arrays.fill(key, filler);
            server.store().put("d", "t", key, value);
        }
        String query = "/entries?encoding=" + encoding;
        byte[] exported = server.get(TABLE + query, "Accept", "application/x-ndjson")
                .expect(200)
                .bytes();
        String into = "/v1/databases/d/tables/u";
        assertEquals(
                "{\"stored\":9}",
                server.send("POST", into + "/import", exported).expect(200).text());
        assertArrayEquals(
                exported,
                server.get(into + query, "Accept", "application/x-ndjson").bytes());
        byte[] twice = Arrays.copyOf(exported, 2 * exported.length);
        System.arraycopy(exported, 0, twice, exported.length, exported.length);
        assertEquals(
                "{\"stored\":18}",
                server.send("POST", into + "/import", twice).expect(200).text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"end\":true,\"count\":2}",
                "{\"end\":true,\"count\":0}",
                "{\"end\":true}",
                "{\"end\":true,\"count\":-1}",
                "{\"end\":true,\"count\":1,\"more\":1}",
                "{\"end\":false,\"count\":1,\"error\":{\"code\":\"corruption\"}}",
                "{\"end\":1,\"count\":1}"
            })
    void an_export_that_is_not_whole_is_named(String end) throws Exception {
        String line = "{\"key\":\"a\",\"value\":\"1\"}\n";
        JsonNode problem = server.post(TABLE + "/import", line + end).expectProblem(400, "invalid_line");
        assertEquals(2, problem.get("line").intValue());
        assertEquals(1, problem.get("stored").intValue());
        server.post(TABLE + "/import", line + "{\"end\":true,\"count\":1}\n" + line + "{\"end\":true,\"count\":1}")
                .expect(200);
    }

    @Test
    void a_byte_order_mark_is_skipped_and_utf_16_is_named() throws Exception {
        String line = "\ufeff{\"key\":\"a\",\"value\":\"1\"}\n";
        assertEquals(
                "{\"stored\":2}",
                server.post(TABLE + "/import", line + line + "\ufeff\r\n")
                        .expect(200)
                        .text());
        server.post(BATCH, "\ufeff" + mutations(1)).expect(200);
        for (var utf16 : List.of(StandardCharsets.UTF_16, StandardCharsets.UTF_16LE)) {
            byte[] bytes = line.getBytes(utf16);
            assertTrue(
                    server.send("POST", TABLE + "/import", bytes)
                            .expectProblem(400, "invalid_line")
                            .get("detail")
                            .stringValue()
                            .contains("UTF-16"),
                    utf16.name());
        }
    }

    @Test
    void an_import_stores_every_line() throws Exception {
        String body = "{\"key\":\"a\",\"value\":\"1\"}\r\n\n{\"key_b64\":\"_w\",\"value_b64\":\"\"}\n"
                + "{\"key\":\"b\",\"value\":\"2\"}";
        assertEquals(
                "{\"stored\":3}",
                server.post(TABLE + "/import", body).expect(200).text());
        assertEquals("2", server.get(TABLE + "/keys/b").text());
        assertEquals(
                "{\"stored\":0}", server.post(TABLE + "/import", "").expect(200).text());
        assertEquals(
                "{\"stored\":0}",
                server.post(TABLE + "/import", "\n\n").expect(200).text());
        server.post(TABLE + "/import", body, "KV-Durability", "sync").expect(200);
        server.post(TABLE + "/import", body, "KV-Durability", "never").expectProblem(400, "invalid_request");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x",
                "{}",
                "{\"key\":\"k\"}",
                "[1]",
                "{\"key\":\"k\",\"value\":1}",
                "{\"key\":\"k\",\"value\":\"v\",\"ttl\":1}",
                "{\"key\":\"k\",\"value\":\"v\"} {}",
                "LONG_KEY",
                "LONG_VALUE"
            })
    void a_bad_line_is_named_and_what_came_before_stays(String line) throws Exception {
        String bad = line.replace("LONG_KEY", "{\"key\":\"" + "k".repeat(65_536) + "\",\"value\":\"\"}")
                .replace(
                        "LONG_VALUE",
                        "{\"key\":\"k\",\"value\":\"" + "v".repeat(TestServer.MAX_VALUE_BYTES + 1) + "\"}");
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < 1_500; i++) {
            body.append("{\"key\":\"").append(i).append("\",\"value\":\"v\"}\n");
        }
        body.append(bad).append("\n{\"key\":\"after\",\"value\":\"v\"}\n");
        JsonNode problem = server.post(TABLE + "/import", body.toString()).expectProblem(400, "invalid_line");
        assertEquals(1_501, problem.get("line").intValue());
        assertEquals(1_500, problem.get("stored").intValue());
        assertEquals("1500", server.get(TABLE + "/count").json().get("count").toString());
        server.send("POST", TABLE + "/import", "\u00e4".getBytes(StandardCharsets.ISO_8859_1))
                .expectProblem(400, "invalid_line");
    }
}
