package io.kvstore.server.http;

import static io.kvstore.server.http.TestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Ranges over HTTP: pages, cursors, streams, counts. */
final class EntriesTest {

    private static final String ENTRIES = TABLE + "/entries";

    @TempDir
    private Path directory;

    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TestServer(directory);
        for (String key : List.of("a", "b", "b1", "b2", "c", "d")) {
            server.store().put("d", "t", key, ("v" + key).getBytes(StandardCharsets.UTF_8));
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "-|a b b1 b2 c d",
                "prefix=b|b b1 b2",
                "prefix=|a b b1 b2 c d",
                "prefix=x|",
                "start=b1|b1 b2 c d",
                "start=b1&start_exclusive|b2 c d",
                "end=b2|a b b1",
                "end=b2&end_inclusive=true|a b b1 b2",
                "start=b&end=c|b b1 b2",
                "start=c&end=a|",
                "reverse=true|d c b2 b1 b a",
                "prefix=b&reverse|b2 b1 b",
                "limit=2|a b",
                "limit=2&reverse|d c",
                "prefix=62&encoding=hex|62 6231 6232",
                "prefix=Yg&encoding=base64url|Yg YjE YjI"
            })
    void a_range_has_its_keys_in_order(String query, String keys) throws Exception {
        JsonNode page = server.get(ENTRIES + (query == null ? "" : "?" + query))
                .expect(200)
                .json();
        List<String> found = new ArrayList<>();
        for (JsonNode entry : page.get("entries")) {
            found.add(entry.properties().iterator().next().getValue().stringValue());
        }
        assertEquals(keys == null ? "" : keys, String.join(" ", found));
        if (query == null || !query.contains("limit")) {
            assertTrue(page.get("next_cursor").isNull());
            String count =
                    query == null ? "" : "?" + query.replace("&reverse", "").replace("reverse=true", "");
            assertEquals(
                    found.size(),
                    server.get(TABLE + "/count" + count).json().get("count").intValue());
        }
    }

    @Test
    void an_entry_is_text_where_it_can_be() throws Exception {
        server.store().put("d", "t", new byte[] {(byte) 0xFF}, new byte[] {(byte) 0xC0, (byte) 0x80});
        server.store().put("d", "t", "\u00e4\"\n\u0000", "\ud83d\ude00".getBytes(StandardCharsets.UTF_8));
        JsonNode entries = server.get(ENTRIES + "?start=e").expect(200).json().get("entries");
        assertEquals("\u00e4\"\n\u0000", entries.get(0).get("key").stringValue());
        assertEquals("\ud83d\ude00", entries.get(0).get("value").stringValue());
        assertEquals("_w", entries.get(1).get("key_b64").stringValue());
        assertEquals("wIA", entries.get(1).get("value_b64").stringValue());
        JsonNode keys =
                server.get(ENTRIES + "?keys_only&limit=1").json().get("entries").get(0);
        assertEquals("{\"key\":\"a\"}", keys.toString());
    }

    @Test
    void text_whose_escapes_more_than_double_it_is_base64() throws Exception {
        byte[] value = new byte[3_000];
        Arrays.fill(value, (byte) 'a');
        // each takes five characters more than its byte, and 3,000 + 1,024 more are free
        for (int escapes : new int[] {804, 805}) {
            Arrays.fill(value, 0, escapes, (byte) 1);
            server.store().put("d", "t", "e", value);
            JsonNode entry =
                    server.get(ENTRIES + "?start=e").json().get("entries").get(0);
            assertEquals(escapes == 804, entry.has("value"), entry::toString);
            assertEquals(escapes == 805, entry.has("value_b64"));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*/*|json",
                "application/*|json",
                "application/json|json",
                "application/x-ndjson|x-ndjson",
                "APPLICATION/X-NDJSON ; q=0.5|x-ndjson",
                "application/x-ndjson, */*|x-ndjson",
                "application/x-ndjson;q=0, */*|json",
                "application/json;q=0.4, application/x-ndjson;q=0.5|x-ndjson",
                "text/html, application/json;q=0.1|json"
            })
    void the_form_is_the_one_that_the_client_prefers(String accept, String form) throws Exception {
        assertEquals(
                "application/" + form,
                server.get(ENTRIES, "Accept", accept).expect(200).header("Content-Type"));
    }

    @Test
    void a_form_that_is_not_there_is_refused_and_two_lines_are_a_list() throws Exception {
        server.get(ENTRIES, "Accept", "text/csv").expectProblem(406, "not_acceptable");
        server.get(ENTRIES, "Accept", "application/json;q=x").expectProblem(400, "invalid_request");
        assertEquals(
                "application/x-ndjson",
                server.get(ENTRIES, "Accept", "text/csv", "Accept", "application/x-ndjson")
                        .expect(200)
                        .header("Content-Type"));
    }

    @Test
    void a_page_of_many_pieces_is_whole_and_a_head_has_none() throws Exception {
        byte[] value = new byte[100_000];
        for (int i = 0; i < 30; i++) {
            Arrays.fill(value, (byte) ('a' + i % 26));
            server.store().put("d", "t", "x" + (10 + i), value.clone());
        }
        JsonNode entries = server.get(ENTRIES + "?prefix=x").expect(200).json().get("entries");
        assertEquals(30, entries.size());
        for (int i = 0; i < 30; i++) {
            String text = entries.get(i).get("value").stringValue();
            assertEquals(String.valueOf((char) ('a' + i % 26)).repeat(value.length), text);
        }
        for (String accept : List.of("application/json", "application/x-ndjson")) {
            assertEquals(
                    0,
                    server.send("HEAD", ENTRIES, "", "Accept", accept)
                            .expect(200)
                            .bytes()
                            .length);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&reverse", "&prefix=b", "&prefix=b&reverse", "&start=b&end=d&end_inclusive"})
    void cursors_visit_every_entry_once(String range) throws Exception {
        String whole = server.get(ENTRIES + "?limit=100" + range)
                .expect(200)
                .json()
                .get("entries")
                .toString();
        for (int limit = 1; limit <= 4; limit++) {
            List<String> found = new ArrayList<>();
            String cursor = "";
            do {
                JsonNode page = server.get(ENTRIES + "?limit=" + limit + range + cursor)
                        .expect(200)
                        .json();
                page.get("entries").forEach(entry -> found.add(entry.toString()));
                JsonNode next = page.get("next_cursor");
                cursor = next.isNull() ? "" : "&cursor=" + next.stringValue();
            } while (!cursor.isEmpty());
            assertEquals(whole, "[" + String.join(",", found) + "]");
        }
    }

    @Test
    void a_page_is_bounded_in_bytes() throws Exception {
        JsonNode page = server.get(ENTRIES + "?max_bytes=7").expect(200).json();
        assertEquals(2, page.get("entries").size());
        assertTrue(page.get("next_cursor").isString());
        assertEquals(
                1, server.get(ENTRIES + "?max_bytes=1").json().get("entries").size());
    }

    @Test
    void a_cursor_of_another_range_is_refused() throws Exception {
        String cursor =
                server.get(ENTRIES + "?limit=1").json().get("next_cursor").stringValue();
        server.get(ENTRIES + "?cursor=" + cursor).expect(200);
        server.get(ENTRIES + "?reverse&cursor=" + cursor).expectProblem(400, "continuation_invalid");
        server.get(ENTRIES + "?prefix=b&cursor=" + cursor).expectProblem(400, "continuation_invalid");
        server.get(ENTRIES + "?cursor=A" + cursor).expectProblem(400, "continuation_invalid");
        server.get(ENTRIES + "?cursor=!").expectProblem(400, "invalid_request");
        server.get(ENTRIES + "?cursor=").expectProblem(400, "continuation_invalid");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=0",
                "limit=-1",
                "limit=10001",
                "limit=x",
                "limit=",
                "limit=99999999999999999999",
                "limit=1&limit=1",
                "reverse=yes",
                "keys_only=1",
                "max_bytes=0",
                "max_bytes=16777217",
                "prefix=a&start=b",
                "prefix=a&end=b",
                "start_exclusive",
                "end_inclusive",
                "Prefix=a",
                "prefix=%2",
                "prefix=%zz",
                "encoding=base16",
                "prefix=a&encoding=hex",
                "start=!&encoding=base64url"
            })
    void bad_parameters_are_named(String query) throws Exception {
        server.get(ENTRIES + "?" + query.replace("%2", "%252").replace("%zz", "%25zz"))
                .expect(query.contains("%") ? 200 : 400);
        if (!query.contains("%")) {
            server.get(ENTRIES + "?" + query).expectProblem(400, "invalid_request");
        }
    }

    @Test
    void the_limits_themselves_are_taken() throws Exception {
        server.get(ENTRIES + "?limit=1").expect(200);
        server.get(ENTRIES + "?limit=10000").expect(200);
        server.get(ENTRIES + "?max_bytes=16777216").expect(200);
        server.get(ENTRIES + "?prefix=" + "k".repeat(65_535)).expect(200);
        server.get(ENTRIES + "?start=" + "k".repeat(65_536)).expectProblem(400, "invalid_request");
        server.get(TABLE + "/count?limit=0").expectProblem(400, "invalid_request");
        assertEquals(
                "{\"count\":1}",
                server.get(TABLE + "/count?limit=1").expect(200).text());
        assertEquals(
                "{\"count\":6}",
                server.get(TABLE + "/count?limit=7").expect(200).text());
    }

    @Test
    void a_stream_says_that_it_is_complete() throws Exception {
        TestServer.Answer answer = server.get(ENTRIES + "?prefix=b", "Accept", "application/x-ndjson")
                .expect(200);
        assertEquals("application/x-ndjson", answer.header("Content-Type"));
        assertEquals("""
            {"key":"b","value":"vb"}
            {"key":"b1","value":"vb1"}
            {"key":"b2","value":"vb2"}
            {"end":true,"count":3}
            """, answer.text());
        assertEquals(
                "{\"key\":\"d\"}\n{\"end\":true,\"count\":1}\n",
                server.get(ENTRIES + "?limit=1&reverse&keys_only", "Accept", "application/x-ndjson")
                        .text());
        assertEquals(
                "{\"end\":true,\"count\":0}\n",
                server.get(ENTRIES + "?prefix=x", "Accept", "application/x-ndjson")
                        .text());
        server.get(ENTRIES + "?max_bytes=1", "Accept", "application/x-ndjson").expectProblem(400, "invalid_request");
    }

    @Test
    void a_long_stream_is_whole() throws Exception {
        int entries = 20_000;
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < entries; i++) {
            lines.append(String.format(Locale.ROOT, "{\"key\":\"x%05d\",\"value\":\"%d\"}\n", i, i));
        }
        JsonNode stored =
                server.post(TABLE + "/import", lines.toString()).expect(200).json();
        assertEquals(entries, stored.get("stored").intValue());
        String text = server.get(ENTRIES + "?prefix=x", "Accept", "application/x-ndjson")
                .text();
        assertEquals(lines + "{\"end\":true,\"count\":" + entries + "}\n", text);
    }
}
