package io.kvstore.server.http;

import static io.kvstore.server.http.TestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Merge;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes over HTTP that are computed from the present value. */
final class MergesTest {

    private static final String KEY = TABLE + "/keys/k";
    private static final String BATCH = "/v1/databases/d/batch";

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

    private String value() throws Exception {
        return server.get(KEY).expect(200).text();
    }

    @Test
    void sums_are_answered() throws Exception {
        assertEquals(
                "{\"value\":5}",
                server.post(KEY + ":add", "{\"delta\":5}").expect(200).text());
        assertEquals(
                "{\"value\":-2}",
                server.post(KEY + ":add", "{\"delta\":-7}").expect(200).text());
        assertEquals("-2", value());
        server.put(KEY, "9223372036854775806").expect(204);
        assertEquals(
                "{\"value\":9223372036854775807}",
                server.post(KEY + ":add", "{\"delta\":1}").expect(200).text());
        assertTrue(server.post(KEY + ":add", "{\"delta\":1}")
                .expectProblem(400, "invalid_request")
                .get("detail")
                .stringValue()
                .contains("64 bits"));
        assertEquals("9223372036854775807", value());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"delta\":1.5}",
                "{\"delta\":\"1\"}",
                "{\"delta\":9223372036854775808}",
                "{\"delta\":null}",
                "{\"delta\":1,\"by\":2}",
                "{\"delta\":-9223372036854775809}",
                "{\"delta\":1e3}"
            })
    void what_is_no_delta_is_refused(String body) throws Exception {
        server.post(KEY + ":add", body).expectProblem(400, "invalid_request");
        server.get(KEY).expectProblem(404, "key_not_found");
    }

    @Test
    void a_value_that_is_no_number_stays() throws Exception {
        server.put(KEY, "seven").expect(204);
        assertTrue(server.post(KEY + ":add", "{\"delta\":1}")
                .expectProblem(400, "invalid_request")
                .get("detail")
                .stringValue()
                .contains("decimal digits"));
        assertEquals("seven", value());
    }

    @Test
    void bodies_are_appended() throws Exception {
        assertEquals(
                "{\"bytes\":3}", server.post(KEY + ":append", "abc").expect(200).text());
        assertEquals(
                "{\"bytes\":5}", server.post(KEY + ":append", "de").expect(200).text());
        assertEquals("abcde", value());
        byte[] most = new byte[Merge.MAX_RESULT_BYTES - 5];
        server.send("POST", KEY + ":append", most).expect(200);
        server.post(KEY + ":append", "!").expectProblem(400, "invalid_request");
    }

    /** A key may have a colon itself. */
    @Test
    void the_operation_is_behind_the_last_colon() throws Exception {
        server.post(TABLE + "/keys/a:add:append", "x").expect(200);
        assertEquals("x", server.get(TABLE + "/keys/a:add").expect(200).text());
        server.post(TABLE + "/keys/a:add:unknown", "x").expectProblem(405, "method_not_allowed");
    }

    @Test
    void parts_are_overwritten() throws Exception {
        server.put(KEY, "hello world").expect(204);
        String range = "bytes 6-10/*";
        assertEquals(
                "{\"bytes\":11}",
                server.send("PATCH", KEY, "there", "Content-Range", range)
                        .expect(200)
                        .text());
        assertEquals("hello there", value());
        server.send("PATCH", KEY, "!!", "Content-Range", "bytes 11-12/13").expect(200);
        assertEquals("hello there!!", value());
        server.send("PATCH", KEY, "?", "Content-Range", "bytes 14-14/*").expectProblem(400, "invalid_request");
        server.send("PATCH", KEY, "four", "Content-Range", range).expectProblem(400, "invalid_request");
        server.send("PATCH", KEY, "?").expectProblem(400, "invalid_request");
        assertEquals("hello there!!", value());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes */5", "6-10", "bytes 6-", "bytes 10-6/*", "bytes -1-3/*", "bytes 0-9999999999/*"})
    void other_ranges_are_refused(String range) throws Exception {
        server.put(KEY, "hello world").expect(204);
        server.send("PATCH", KEY, "there", "Content-Range", range).expectProblem(400, "invalid_request");
        assertEquals("hello world", value());
    }

    @Test
    void the_value_before_is_answered() throws Exception {
        TestServer.Answer first = server.put(KEY + "?return=old", "1").expect(204);
        TestServer.Answer second = server.put(KEY + "?return=old", "2").expect(200);
        assertEquals("1", second.text());
        assertEquals(second.header("ETag"), server.get(KEY).expect(200).header("ETag"));
        assertNotEquals(first.header("ETag"), second.header("ETag"));
        assertEquals(
                "2", server.send("DELETE", KEY + "?return=old", "").expect(200).text());
        server.send("DELETE", KEY + "?return=old", "").expect(204);
        server.put(KEY + "?return=new", "3").expectProblem(400, "invalid_request");
        server.send("PUT", KEY + "?return=old", "3", "If-None-Match", "*").expectProblem(400, "invalid_request");
        server.get(KEY).expectProblem(404, "key_not_found");
    }

    @Test
    void merges_are_part_of_batches() throws Exception {
        server.post(BATCH, """
                        {"mutations":[
                          {"op":"put","table":"t","key":"k","value":"40"},
                          {"op":"add","table":"t","key":"k","delta":2},
                          {"op":"append","table":"t","key":"list","value":"ab"},
                          {"op":"patch","table":"t","key":"list","offset":1,"value":"XY"}]}
                        """).expect(200);
        assertEquals("42", value());
        assertEquals("aXY", server.get(TABLE + "/keys/list").expect(200).text());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"op\":\"add\",\"table\":\"t\",\"key\":\"k\"}|delta",
                "{\"op\":\"add\",\"table\":\"t\",\"key\":\"k\",\"delta\":1,\"value\":\"2\"}|value",
                "{\"op\":\"append\",\"table\":\"t\",\"key\":\"k\"}|value",
                "{\"op\":\"patch\",\"table\":\"t\",\"key\":\"k\",\"value\":\"x\"}|offset",
                "{\"op\":\"patch\",\"table\":\"t\",\"key\":\"k\",\"value\":\"x\",\"offset\":9}|behind the end",
                "{\"op\":\"patch\",\"table\":\"t\",\"key\":\"k\",\"value\":\"x\",\"offset\":1048577}|1048576",
                "{\"op\":\"multiply\",\"table\":\"t\",\"key\":\"k\"}|give put, delete, add, append or patch"
            })
    void bad_merges_of_batches_change_nothing(String mutation, String reason) throws Exception {
        String text = server.post(
                        BATCH,
                        "{\"mutations\":[{\"op\":\"put\",\"table\":\"t\",\"key\":\"other\",\"value\":\"1\"}," + mutation
                                + "]}")
                .expectProblem(400, "invalid_request")
                .get("detail")
                .stringValue();
        assertTrue(text.contains(reason), text);
        server.get(TABLE + "/keys/other").expectProblem(404, "key_not_found");
    }

    /** A client that gives a condition would lose an update if it were ignored. */
    @Test
    void conditions_are_refused() throws Exception {
        server.put(KEY, "1").expect(204);
        for (String header : new String[] {"If-Match", "If-None-Match"}) {
            server.post(KEY + ":add", "{\"delta\":1}", header, "*").expectProblem(400, "invalid_request");
            server.post(KEY + ":append", "x", header, "*").expectProblem(400, "invalid_request");
            server.send("PATCH", KEY, "x", "Content-Range", "bytes 0-0/*", header, "*")
                    .expectProblem(400, "invalid_request");
        }
        assertEquals("1", value());
    }
}
