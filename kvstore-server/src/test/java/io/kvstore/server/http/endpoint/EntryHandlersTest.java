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
import io.kvstore.server.edge.TableDefinition;
import io.kvstore.server.http.message.EntryLines;
import io.kvstore.server.http.message.KeyEncoding;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import io.kvstore.server.http.message.Route;
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
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The memory and the jobs of all requests, of which a stream of entries takes a part. */
final class EntryHandlersTest {

    private static final int VALUE_BYTES = 1 << 20;

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
        Request request = new Request(exchange, route, Map.of("db", "d", "table", "t"), claim);
        return assertInstanceOf(Reply.Streamed.class, new EntryHandlers(edge).list(request));
    }

    /** Another value of the same length comes when the first one has been sent, so the budget has room for one. */
    @ParameterizedTest
    @EnumSource(KeyEncoding.class)
    void a_slow_client_of_a_long_value_claims_its_line_and_little_else(KeyEncoding encoding) throws Exception {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) 'a');
        store.put("d", "t", "a".getBytes(UTF_8), value);
        store.put("d", "t", "b".getBytes(UTF_8), value);
        exchange.setQueryString("encoding=" + encoding.name().toLowerCase(Locale.ROOT));
        ByteBudget budget = new ByteBudget(EntryLines.mostBytes(VALUE_BYTES));
        ByteArrayOutputStream taken = new ByteArrayOutputStream();
        OutputStream client = new OutputStream() {
            @Override
            public void write(int oneByte) {
                throw new AssertionError("lines are written together");
            }

            @Override
            public void write(byte[] bytes, int from, int count) {
                long used = budget.usedBytes();
                taken.write(bytes, from, count);
                if (count > VALUE_BYTES) {
                    assertTrue(used >= count && used <= count * 3L / 2, used + " bytes for " + count);
                } else {
                    assertEquals(0, used);
                }
            }
        };
        try (Reply.Writer writer = stream(budget.claim()).writer()) {
            writer.write(client);
        }
        assertEquals(0, budget.usedBytes());
        assertTrue(taken.size() > 2 * VALUE_BYTES);
        assertTrue(taken.toString(UTF_8).endsWith("{\"end\":true,\"count\":2}\n"));
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
        ByteBudget.Claim claim = new ByteBudget(1).claim();
        assertThrows(OutOfMemoryError.class, () -> stream(claim));
        assertEquals(1, scans[0], "the scan had begun");
        requireAllBack();
    }

    @Test
    void a_heap_that_is_full_in_the_stream_keeps_nothing() {
        Reply.Streamed reply = stream(new ByteBudget(1).claim());
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
}
