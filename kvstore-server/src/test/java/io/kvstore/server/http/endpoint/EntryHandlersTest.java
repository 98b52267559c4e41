package io.kvstore.server.http.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.server.edge.Access;
import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.TableDefinition;
import io.kvstore.server.http.message.KeyEncoding;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import io.kvstore.server.http.message.Route;
import io.kvstore.server.http.message.StreamPace;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.AbstractAttachable;
import io.undertow.util.Headers;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The memory and the jobs of all requests, of which a stream of entries takes a part. */
final class EntryHandlersTest {

    private static final int VALUE_BYTES = 1 << 20;
    private static final int ROUNDS = 500;
    private static final StreamPace PACE = new StreamPace(1, 1, () -> {});

    private final HttpServerExchange exchange = new HttpServerExchange(null);

    @SuppressWarnings("NullAway.Init") // opened before each test
    private KVStore store;

    @SuppressWarnings("NullAway.Init") // made before each test
    private Edge edge;

    @BeforeEach
    void open() {
        store = KVStore.inMemory();
        edge = Edge.of(store, null, Access.open(), "test", 1);
        edge.tables().createDatabase("d");
        edge.tables().create("d", "t", new TableDefinition("bplus", Map.of()));
        exchange.getRequestHeaders().put(Headers.ACCEPT, "application/x-ndjson");
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Reply.Streamed stream(ByteBudget.Claim claim) {
        Route route = new Route("GET", "/", Route.Body.NONE, Set.of("encoding"), _ -> Reply.noContent());
        Request request = new Request(exchange, route, Map.of("db", "d", "table", "t"), PACE, claim);
        return assertInstanceOf(Reply.Streamed.class, new EntryHandlers(edge).list(request));
    }

    /** Another value of the same length comes when the first one has been sent, so the budget has room for one. */
    @ParameterizedTest
    @EnumSource(KeyEncoding.class)
    void values_that_take_the_whole_budget_pass_one_by_one(KeyEncoding encoding) throws Exception {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) 'a');
        store.put("d", "t", "a".getBytes(UTF_8), value);
        store.put("d", "t", "b".getBytes(UTF_8), value);
        store.put("d", "t", "c".getBytes(UTF_8), "short".getBytes(UTF_8));
        exchange.setQueryString("encoding=" + encoding.name().toLowerCase(Locale.ROOT));
        ByteBudget budget = new ByteBudget(VALUE_BYTES);
        ByteArrayOutputStream taken = new ByteArrayOutputStream();
        long[] most = {0};
        OutputStream client = new OutputStream() {
            @Override
            public void write(int oneByte) {
                throw new AssertionError("lines are written together");
            }

            @Override
            public void write(byte[] bytes, int from, int count) {
                taken.write(bytes, from, count);
                most[0] = Math.max(most[0], budget.usedBytes());
                assertTrue(count <= VALUE_BYTES / 4, count + " bytes of text are in memory at a time");
            }
        };
        try (Reply.Writer writer = stream(claim(budget)).writer()) {
            writer.write(client);
        }
        assertEquals(VALUE_BYTES, most[0], "a slow client keeps a value in memory");
        assertEquals(0, budget.usedBytes());
        assertTrue(taken.size() > 2 * VALUE_BYTES);
        assertTrue(taken.toString(UTF_8).endsWith("{\"end\":true,\"count\":3}\n"));
    }

    /** A client would try it again and again, if it were told that the server is busy. */
    @Test
    void a_value_that_can_never_pass_is_named_and_not_to_be_tried_again() throws Exception {
        store.put("d", "t", "a".getBytes(UTF_8), "1".getBytes(UTF_8));
        store.put("d", "t", "large".getBytes(UTF_8), new byte[VALUE_BYTES]);
        ByteBudget budget = new ByteBudget(VALUE_BYTES - 1);
        ByteArrayOutputStream taken = new ByteArrayOutputStream();
        try (Reply.Writer writer = stream(claim(budget)).writer()) {
            writer.write(taken);
        }
        String last = taken.toString(UTF_8).lines().toList().getLast();
        assertTrue(last.startsWith("{\"end\":false,\"count\":1,"), last);
        assertTrue(last.contains("\"code\":\"answer_too_large\""), last);
        assertTrue(last.contains("the value of the key \\\"large\\\" takes " + VALUE_BYTES + " bytes of memory"), last);
        assertTrue(last.contains("\"limit\":" + (VALUE_BYTES - 1)) && last.contains("-Xmx"), last);
        assertEquals(0, budget.usedBytes());
    }

    private static ByteBudget.Claim claim(ByteBudget budget) {
        return budget.claim(ProblemCode.ANSWER_TOO_LARGE);
    }

    private void requireAllBack() {
        assertEquals(0, store.stats().openSnapshots());
        edge.lifecycle().beginLongJob().close();
    }

    @Test
    void a_heap_that_is_full_before_the_stream_begins_keeps_nothing() throws Exception {
        Field attachments = AbstractAttachable.class.getDeclaredField("attachments");
        attachments.setAccessible(true); // the id of the request is there, which the stream asks for after its scan
        int[] scans = {0};
        attachments.set(exchange, new IdentityHashMap<Object, Object>() {
            private static final long serialVersionUID = 1L;

            @Override
            public Object get(Object key) {
                scans[0] = store.stats().openSnapshots();
                throw new OutOfMemoryError("of a test");
            }
        });
        ByteBudget.Claim claim = claim(new ByteBudget(1));
        assertThrows(OutOfMemoryError.class, () -> stream(claim));
        assertEquals(1, scans[0], "the scan had begun");
        requireAllBack();
    }

    @Test
    void a_heap_that_is_full_in_the_stream_keeps_nothing() {
        Reply.Streamed reply = stream(claim(new ByteBudget(1)));
        assertEquals(1, store.stats().openSnapshots());
        OutputStream full = new OutputStream() {
            @Override
            public void write(int oneByte) {
                throw new OutOfMemoryError("of a test");
            }
        };
        assertThrows(OutOfMemoryError.class, () -> {
            try (Reply.Writer writer = reply.writer()) {
                writer.write(full);
            }
        });
        requireAllBack();
    }

    private String page(String query) {
        HttpServerExchange asked = new HttpServerExchange(null);
        asked.setQueryString(query);
        Route route = new Route("GET", "/", Route.Body.NONE, Set.of("limit", "cursor"), _ -> Reply.noContent());
        try (ByteBudget.Claim claim = new ByteBudget(VALUE_BYTES).claim(ProblemCode.ANSWER_TOO_LARGE)) {
            Request request = new Request(asked, route, Map.of("db", "d", "table", "t"), PACE, claim);
            Reply.Pieces pieces = assertInstanceOf(Reply.Pieces.class, new EntryHandlers(edge).list(request));
            byte[] text = pieces.writer().next();
            return text == null ? "" : new String(text, UTF_8);
        }
    }

    /** The table is truncated at any moment of the second page, also between the check of its cursor and its first entry. */
    @Test
    void no_page_goes_on_in_a_table_that_was_truncated_since() throws Exception {
        Random random = new Random(1);
        AtomicLong took = new AtomicLong(1);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] before = ("before" + round).getBytes(UTF_8);
            store.put("d", "t", "a".getBytes(UTF_8), before);
            store.put("d", "t", "b".getBytes(UTF_8), before);
            String first = page("limit=1");
            String cursor = first.substring(first.indexOf("next_cursor") + 14, first.lastIndexOf('"'));
            Thread truncating = Thread.ofPlatform().start(() -> {
                long begun = System.nanoTime();
                store.table("d", "t").truncate();
                took.set(System.nanoTime() - begun);
                store.put("d", "t", "b".getBytes(UTF_8), "after".getBytes(UTF_8));
            });
            long until = System.nanoTime() + random.nextLong(3 * took.get());
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            try {
                String second = page("limit=1&cursor=" + cursor);
                assertTrue(second.contains("\"before" + round + "\""), second);
            } catch (ProblemException e) {
                assertEquals(ProblemCode.TABLE_DROPPED, e.problem().code());
            } finally {
                truncating.join();
            }
        }
    }
}
