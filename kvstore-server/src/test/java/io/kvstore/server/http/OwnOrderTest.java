package io.kvstore.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.server.edge.OwnOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A table that is not ordered, over HTTP. */
@ParameterizedClass
@ValueSource(strings = {"unordered_model", "hash"})
final class OwnOrderTest {

    private static final String TABLE = "/v1/databases/d/tables/" + OwnOrder.TABLE;
    private static final String ENTRIES = TABLE + "/entries";
    private static final String LINES = "application/x-ndjson";

    private final String engine;

    @TempDir
    private Path directory;

    private TestServer server;

    OwnOrderTest(String engine) {
        this.engine = engine;
    }

    @BeforeEach
    void start() throws Exception {
        server = new TestServer(directory);
        JsonNode made =
                server.put(TABLE, "{\"engine\":\"" + engine + "\"}").expect(201).json();
        assertFalse(made.get("ordered").booleanValue());
        assertEquals(made, server.get(TABLE).expect(200).json());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Table table() {
        return server.store().table("d", OwnOrder.TABLE);
    }

    private JsonNode page(@Nullable String cursor) throws Exception {
        return page(7, cursor);
    }

    private JsonNode page(int limit, @Nullable String cursor) throws Exception {
        return server.get(ENTRIES + "?limit=" + limit + (cursor == null ? "" : "&cursor=" + cursor))
                .expect(200)
                .json();
    }

    private static List<String> keys(JsonNode page) {
        List<String> keys = new ArrayList<>();
        page.get("entries").forEach(entry -> keys.add(entry.get("key").stringValue()));
        return keys;
    }

    private static @Nullable String next(JsonNode page) {
        JsonNode next = page.get("next_cursor");
        return next.isNull() ? null : next.stringValue();
    }

    /** Reads some pages beside a writer of other keys. Returns the cursor of the next one, or null after the last. */
    private @Nullable String read(@Nullable String cursor, int pages, List<String> found) throws Exception {
        String next = cursor;
        try (OwnOrder _ = new OwnOrder(table())) {
            for (int i = 0; i < pages; i++) {
                JsonNode page = page(OwnOrder.pageEntries(), next);
                found.addAll(keys(page));
                next = next(page);
                if (next == null) {
                    return null;
                }
            }
        }
        return next;
    }

    @Test
    void pages_give_each_entry_once_beside_a_writer_and_over_a_restart() throws Exception {
        int entries = OwnOrder.entries(3_000); // 10,000 of them are read over Thrift
        List<String> stayed = OwnOrder.fill(table(), entries);
        List<String> found = new ArrayList<>();
        String middle = read(null, entries / OwnOrder.pageEntries() / 2, found);
        assertNotNull(middle);
        server.close();
        server = new TestServer(directory);
        assertNull(read(middle, OwnOrder.mostPages(entries), found));
        OwnOrder.checkOnceEach(stayed, found);
    }

    @Test
    void a_page_goes_on_behind_a_key_that_was_removed() throws Exception {
        List<String> stayed = OwnOrder.fill(table(), 30);
        List<String> whole = keys(server.get(ENTRIES + "?limit=100").expect(200).json());
        assertNotEquals(whole.stream().sorted().toList(), whole, "this tests a table in the order of keys");
        OwnOrder.checkOnceEach(stayed, whole);
        List<String> found = new ArrayList<>();
        String next = null;
        for (int i = 0; i < 5; i++) {
            JsonNode page = page(next);
            found.addAll(keys(page));
            next = next(page);
            table().remove(found.getLast().getBytes(UTF_8));
        }
        assertNull(next);
        assertEquals(whole, found);
        assertEquals("{\"count\":25}", server.get(TABLE + "/count").expect(200).text());
        assertEquals(
                "{\"count\":9}",
                server.get(TABLE + "/count?limit=9").expect(200).text());
    }

    @Test
    void a_stream_is_whole_and_goes_on_behind_a_page() throws Exception {
        OwnOrder.fill(table(), 30);
        List<String> whole =
                server.get(ENTRIES, "Accept", LINES).expect(200).text().lines().toList();
        assertEquals("{\"end\":true,\"count\":30}", whole.getLast());
        assertEquals(31, whole.size());
        String cursor = next(page(null));
        List<String> rest = server.get(ENTRIES + "?cursor=" + cursor, "Accept", LINES)
                .expect(200)
                .text()
                .lines()
                .toList();
        assertEquals(whole.subList(7, 30), rest.subList(0, 23));
        assertEquals("{\"end\":true,\"count\":23}", rest.getLast());
    }

    @ParameterizedTest
    @ValueSource(strings = {"prefix=k", "prefix=", "start=k", "end=k", "start=k&end=l", "reverse", "end=k&reverse"})
    void a_range_is_refused_in_the_words_of_the_store(String range) throws Exception {
        OwnOrder.fill(table(), 30);
        for (String accept : List.of("application/json", LINES)) {
            checkRefused(server.get(ENTRIES + "?" + range, "Accept", accept));
        }
        if (!range.contains("reverse")) {
            checkRefused(server.get(TABLE + "/count?" + range));
        }
    }

    private void checkRefused(TestServer.Answer answer) {
        JsonNode problem = answer.expectProblem(400, "invalid_request");
        assertEquals(OwnOrder.refusal(engine), problem.get("detail").stringValue());
        assertEquals("rejected", problem.get("outcome").stringValue());
    }

    @Test
    void the_store_itself_refuses_a_range_in_the_same_words() {
        byte[] key = {'k'};
        for (KeyRange range : List.of(
                KeyRange.prefix(key),
                KeyRange.all().from(key, true),
                KeyRange.all().to(key, false),
                KeyRange.all().reverse())) {
            assertRefused(() -> table().scan(range).close());
            assertRefused(() -> table().count(range));
        }
        assertTrue(server.store().table("d", "t").isOrdered());
    }

    private void assertRefused(Runnable read) {
        assertEquals(
                OwnOrder.refusal(engine),
                assertThrows(InvalidRequestException.class, read::run).getMessage());
    }

    @Test
    void a_cursor_is_of_one_direction() throws Exception {
        OwnOrder.fill(table(), 30);
        String cursor = next(page(null));
        server.get(ENTRIES + "?reverse&cursor=" + cursor).expectProblem(400, "continuation_invalid");
    }
}
