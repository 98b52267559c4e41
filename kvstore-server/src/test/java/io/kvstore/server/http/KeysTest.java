package io.kvstore.server.http;

import static io.kvstore.server.http.TestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.kvstore.server.http.message.Limits;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One key over HTTP: any bytes, conditions, limits. */
final class KeysTest {

    private static final String KEYS = TABLE + "/keys/";

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
    void a_value_comes_back_byte_for_byte() throws Exception {
        byte[] value = new byte[1000];
        for (int i = 0; i < value.length; i++) {
            value[i] = (byte) i;
        }
        TestServer.Answer put = server.send("PUT", KEYS + "k", value).expect(204);
        TestServer.Answer get = server.get(KEYS + "k").expect(200);
        assertArrayEquals(value, get.bytes());
        assertEquals("application/octet-stream", get.header("Content-Type"));
        assertEquals("1000", get.header("Content-Length"));
        assertEquals("no-store", get.header("Cache-Control"));
        assertEquals(put.header("ETag"), get.header("ETag"));
        TestServer.Answer head = server.send("HEAD", KEYS + "k", "").expect(200);
        assertEquals("1000", head.header("Content-Length"));
        assertEquals(get.header("ETag"), head.header("ETag"));
        assertEquals(0, head.bytes().length);
        server.send("DELETE", KEYS + "k", "").expect(204);
        server.send("DELETE", KEYS + "k", "").expect(204);
        server.get(KEYS + "k").expectProblem(404, "key_not_found");
        server.send("HEAD", KEYS + "k", "").expect(404);
    }

    @Test
    void an_empty_value_is_a_value() throws Exception {
        server.put(KEYS + "k", "").expect(204);
        assertEquals(0, server.get(KEYS + "k").expect(200).bytes().length);
    }

    @Test
    void a_value_of_many_pieces_is_answered_whole() throws Exception {
        byte[] value = new byte[TestServer.MAX_VALUE_BYTES - 7];
        new Random(1).nextBytes(value);
        server.send("PUT", KEYS + "k", value).expect(204);
        for (int i = 0; i < 3; i++) { // on one connection, so what is left of one answer would spoil the next
            assertArrayEquals(value, server.get(KEYS + "k").expect(200).bytes());
            TestServer.Answer head = server.send("HEAD", KEYS + "k", "").expect(200);
            assertEquals(Integer.toString(value.length), head.header("Content-Length"));
            assertEquals(0, head.bytes().length);
        }
    }

    @Test
    void every_byte_string_is_a_key_in_every_encoding() throws Exception {
        for (byte[] key : List.of(
                new byte[0],
                new byte[] {0},
                new byte[] {(byte) 0xFF, (byte) 0xFE},
                ".".getBytes(StandardCharsets.UTF_8),
                "..".getBytes(StandardCharsets.UTF_8),
                "a/b".getBytes(StandardCharsets.UTF_8),
                "a%2Fb?c=d&e#f;g=h+i j".getBytes(StandardCharsets.UTF_8),
                "\u00e4\u20ac\ud83d\ude00".getBytes(StandardCharsets.UTF_8))) {
            String base64 = Base64.getUrlEncoder().withoutPadding().encodeToString(key);
            server.put(KEYS + base64 + "?encoding=base64url", "v" + base64).expect(204);
            assertEquals(
                    "v" + base64, server.get(KEYS + escaped(key)).expect(200).text());
            String hex = HexFormat.of().formatHex(key);
            assertEquals(
                    "v" + base64,
                    server.get(KEYS + hex + "?encoding=hex").expect(200).text());
            assertArrayEquals(
                    ("v" + base64).getBytes(StandardCharsets.UTF_8),
                    server.store().get("d", "t", key));
        }
    }

    @Test
    void characters_that_need_no_escape_stand_for_themselves() throws Exception {
        String plain = "a-._~!$&'()*+,;=:@b";
        server.put(KEYS + plain, "1").expect(204);
        assertArrayEquals(new byte[] {'1'}, server.store().get("d", "t", plain));
    }

    @Test
    void keys_up_to_65535_bytes_and_no_longer() throws Exception {
        for (int length : new int[] {65_534, 65_535}) {
            byte[] key = new byte[length];
            Arrays.fill(key, (byte) 0xAB);
            server.put(KEYS + escaped(key), "long").expect(204);
            assertEquals("long", server.get(KEYS + escaped(key)).expect(200).text());
        }
        String longer = "k".repeat(65_536);
        server.put(KEYS + longer, "v").expectProblem(400, "invalid_request");
        server.get(KEYS + longer).expectProblem(400, "invalid_request");
        server.send("DELETE", KEYS + longer, "").expectProblem(400, "invalid_request");
        server.get(KEYS + "k".repeat(Limits.URI_BYTES)).expectProblem(414, "uri_too_long");
        assertEquals("2", server.get(TABLE + "/count").json().get("count").toString());
    }

    @Test
    void values_up_to_the_limit_and_no_longer() throws Exception {
        int max = TestServer.MAX_VALUE_BYTES;
        for (int length : new int[] {max - 1, max}) {
            server.send("PUT", KEYS + length, new byte[length]).expect(204);
            assertEquals(length, server.get(KEYS + length).expect(200).bytes().length);
        }
        var problem = server.send("PUT", KEYS + "more", new byte[max + 1]).expectProblem(413, "too_large");
        assertEquals(max, problem.get("limit").intValue());
        assertEquals(max + 1, problem.get("actual").intValue());
        server.get(KEYS + "more").expectProblem(404, "key_not_found");
    }

    @Test
    void values_up_to_the_limit_of_their_table() throws Exception {
        String small = "/v1/databases/d/tables/small";
        server.put(small, "{\"engine\":\"model\",\"options\":{\"MAX_VALUE_BYTES\":100}}")
                .expect(201);
        for (int length : new int[] {99, 100}) {
            server.send("PUT", small + "/keys/k", new byte[length]).expect(204);
        }
        var problem = server.send("PUT", small + "/keys/k", new byte[101]).expectProblem(413, "too_large");
        assertEquals(100, problem.get("limit").intValue());
        assertEquals(100, server.get(small + "/keys/k").expect(200).bytes().length);
    }

    @Test
    void a_far_too_large_value_is_refused_with_an_answer() throws Exception {
        for (int i = 0; i < 20; i++) {
            server.send("PUT", KEYS + "more", new byte[20 << 20]).expectProblem(413, "too_large");
            server.put(KEYS + "less", "v").expect(204);
        }
    }

    @Test
    void conditions() throws Exception {
        server.put(KEYS + "k", "x", "If-Match", "*").expectProblem(412, "condition_failed");
        server.put(KEYS + "k", "one", "If-None-Match", "*").expect(204);
        server.put(KEYS + "k", "two", "If-None-Match", "*").expectProblem(412, "condition_failed");
        String one = server.get(KEYS + "k").header("ETag");
        String two = server.put(KEYS + "k", "two", "If-Match", one).expect(204).header("ETag");
        assertNotEquals(one, two);
        var problem = server.put(KEYS + "k", "three", "If-Match", one).expectProblem(412, "condition_failed");
        assertEquals(two, problem.get("current_etag").stringValue());
        assertEquals("failed", problem.get("outcome").stringValue());
        assertEquals("two", server.get(KEYS + "k", "If-Match", two).expect(200).text());
        server.get(KEYS + "k", "If-Match", one).expectProblem(412, "condition_failed");
        server.put(KEYS + "k", "three", "If-Match", "*").expect(204);
        server.put(KEYS + "k", "four", "If-Match", "W/" + two).expectProblem(412, "condition_failed");
        server.put(KEYS + "k", "four", "If-Match", "\"other\"").expectProblem(412, "condition_failed");
        server.send("DELETE", KEYS + "k", "", "If-Match", two).expectProblem(412, "condition_failed");
        assertEquals("three", server.get(KEYS + "k").text());
        String three = server.get(KEYS + "k").header("ETag");
        server.send("DELETE", KEYS + "k", "", "If-Match", three).expect(204);
        server.send("DELETE", KEYS + "k", "", "If-Match", three).expectProblem(412, "condition_failed");
    }

    @Test
    void a_known_value_is_not_sent_again() throws Exception {
        String tag = server.put(KEYS + "k", "v").header("ETag");
        for (String header : List.of(tag, "*", "\"a\", " + tag, "W/" + tag)) {
            TestServer.Answer answer =
                    server.get(KEYS + "k", "If-None-Match", header).expect(304);
            assertEquals(tag, answer.header("ETag"));
        }
        server.get(KEYS + "k", "If-None-Match", "\"0\"").expect(200);
    }

    @Test
    void durability_is_a_word() throws Exception {
        for (String level : List.of("sync", "buffered")) {
            server.put(KEYS + "k", "v", "KV-Durability", level).expect(204);
            server.send("DELETE", KEYS + "k", "", "KV-Durability", level).expect(204);
        }
        server.put(KEYS + "k", "v", "KV-Durability", "none").expectProblem(400, "invalid_request");
        server.put(KEYS + "k", "v", "KV-Durability", "").expectProblem(400, "invalid_request");
    }

    @Test
    void bad_conditions_are_refused() throws Exception {
        server.put(KEYS + "k", "v", "If-Match", "abc").expectProblem(400, "invalid_request");
        server.put(KEYS + "k", "v", "If-Match", "\"a\" \"b\"").expectProblem(400, "invalid_request");
        server.put(KEYS + "k", "v", "If-Match", "\"a\", b").expectProblem(400, "invalid_request");
        server.put(KEYS + "k", "v", "If-Match", "").expectProblem(400, "invalid_request");
        server.put(KEYS + "k", "v", "If-None-Match", "\"a\"").expectProblem(400, "invalid_request");
        server.put(KEYS + "k", "v", "If-None-Match", "*", "If-Match", "*").expectProblem(400, "invalid_request");
        server.send("DELETE", KEYS + "k", "", "If-None-Match", "*").expectProblem(400, "invalid_request");
        server.get(KEYS + "k").expectProblem(404, "key_not_found");
    }

    @Test
    void lists_of_tags_stand_on_one_line_or_several() throws Exception {
        String first = server.put(KEYS + "k", "1").expect(204).header("ETag");
        String other = "\"0123456789abcdef\"";
        String second = server.put(KEYS + "k", "2", "If-Match", other + ", " + first)
                .expect(204)
                .header("ETag");
        server.put(KEYS + "k", "3", "If-Match", other + "," + first).expectProblem(412, "condition_failed");
        server.put(KEYS + "k", "3", "If-Match", "W/" + second).expectProblem(412, "condition_failed");
        server.put(KEYS + "k", "3", "If-Match", other, "If-Match", second).expect(204);
        server.send("DELETE", KEYS + "k", "", "If-Match", first + ", " + second).expectProblem(412, "condition_failed");
        String third = server.get(KEYS + "k").expect(200).header("ETag");
        server.get(KEYS + "k", "If-None-Match", first, "If-None-Match", "W/" + third)
                .expect(304);
        server.send("DELETE", KEYS + "k", "", "If-Match", first + ", " + third).expect(204);
        server.put(KEYS + "k", "1", "If-None-Match", "*").expect(204);
        assertEquals(
                "the key has a value",
                server.put(KEYS + "k", "1", "If-None-Match", "*")
                        .expectProblem(412, "condition_failed")
                        .get("detail")
                        .stringValue());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "abc?encoding=base65",
                "%21?encoding=base64url",
                "abc?encoding=hex",
                "xyz0?encoding=hex",
                "k?encoding=hex&encoding=hex",
                "k?unknown=1",
                "k?encoding"
            })
    void bad_encodings_are_refused(String rest) throws Exception {
        server.put(KEYS + rest, "v").expectProblem(400, "invalid_request");
    }

    @Test
    void a_slash_in_a_key_is_explained() throws Exception {
        String detail = server.get(KEYS + "a/b")
                .expectProblem(404, "route_not_found")
                .get("detail")
                .stringValue();
        assertEquals("a key is one segment of the path; write a slash in it as %2F", detail);
    }

    private static String escaped(byte[] key) {
        return HexFormat.of().withPrefix("%").withUpperCase().formatHex(key);
    }
}
