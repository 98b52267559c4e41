package io.kvstore.server.thrift;

import static io.kvstore.server.thrift.ThriftTestServer.TABLE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Merge;
import io.kvstore.error.OverloadedException;
import io.kvstore.server.edge.Access;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.thrift.Batch;
import io.kvstore.thrift.ErrorCode;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.Mutation;
import io.kvstore.thrift.Outcome;
import io.kvstore.thrift.Patch;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.ServiceError;
import io.kvstore.thrift.TableName;
import io.kvstore.thrift.WriteOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that change a value by what it is, or answer the value before the change. */
@NullUnmarked // What a generated getter gives may be null; that fails the test as well.
final class MergeCallsTest extends ServiceCalls {

    private static final WriteOptions DEFAULT = new WriteOptions();
    private static final byte[] KEY_BYTES = {'k'};
    private static final ByteBuffer KEY = ByteBuffer.wrap(KEY_BYTES);

    @TempDir
    private Path other;

    private void put(String value) throws Exception {
        client().put(TABLE, KEY, bytes(value), DEFAULT);
    }

    private void holds(String value) throws Exception {
        assertEquals(value, text(client().get(TABLE, KEY, new ReadOptions()).getValue()));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    private static Mutation merge(String key, io.kvstore.thrift.Merge merge) {
        return new Mutation(bytes(key)).setMerge(merge);
    }

    private static io.kvstore.thrift.Merge add(long delta) {
        return new io.kvstore.thrift.Merge().setAdd(delta);
    }

    @Test
    void eight_connections_add_up() throws Exception {
        int connections = 8;
        int additions = 200;
        List<Future<Long>> runs = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(connections)) {
            for (int i = 0; i < connections; i++) {
                runs.add(threads.submit(() -> {
                    long last = 0;
                    try (ThriftTestServer.Client client = server().client()) {
                        for (int k = 0; k < additions; k++) {
                            long sum = client.add(TABLE, KEY.duplicate(), 1, DEFAULT);
                            assertTrue(sum > last);
                            last = sum;
                        }
                    }
                    return last;
                }));
            }
        }
        long most = 0;
        for (Future<Long> run : runs) {
            most = Math.max(most, run.get());
        }
        assertEquals((long) connections * additions, most);
        holds("" + connections * additions);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void each_call_answers_in_both_protocols(boolean compact) throws Exception {
        try (ThriftTestServer.Client client = server().client(compact)) {
            assertEquals(Long.MIN_VALUE, client.add(TABLE, KEY, Long.MIN_VALUE, DEFAULT));
            assertEquals(-1, client.add(TABLE, KEY, Long.MAX_VALUE, DEFAULT));
            assertEquals(5, client.append(TABLE, KEY, bytes("abc"), DEFAULT));
            assertEquals(5, client.patch(TABLE, KEY, 0, bytes("<>"), DEFAULT));
            assertEquals(
                    "<>abc",
                    text(client.getAndPut(TABLE, KEY, bytes(""), DEFAULT).getValue()));
            assertTrue(client.getAndRemove(TABLE, KEY, DEFAULT).isSetValue());
            assertFalse(client.getAndRemove(TABLE, KEY, DEFAULT).isSetValue());
            assertFalse(client.getAndPut(TABLE, KEY, bytes("x"), DEFAULT).isSetValue());
            byte[] largest = new byte[ThriftTestServer.MAX_VALUE_BYTES];
            assertEquals(
                    "x",
                    text(client.getAndPut(TABLE, KEY, ByteBuffer.wrap(largest), DEFAULT)
                            .getValue()));
            assertArrayEquals(largest, client.getAndRemove(TABLE, KEY, DEFAULT).getValue());
        }
    }

    @Test
    void what_has_no_result_changes_nothing() throws Exception {
        String most = "" + Long.MAX_VALUE;
        for (String value : List.of("seven", "", "007", most)) {
            put(value);
            ServiceError error = fails(ErrorCode.INVALID_REQUEST, () -> client().add(TABLE, KEY, 1, DEFAULT));
            assertEquals(Outcome.REJECTED, error.getOutcome());
            assertFalse(error.isRetryable());
            holds(value);
        }
        for (int offset : new int[] {-1, most.length() + 1, Integer.MAX_VALUE}) {
            fails(ErrorCode.INVALID_REQUEST, () -> client().patch(TABLE, KEY, offset, bytes("x"), DEFAULT));
        }
        ByteBuffer part = ByteBuffer.allocate(Merge.MAX_RESULT_BYTES);
        fails(ErrorCode.INVALID_REQUEST, () -> client().append(TABLE, KEY, part, DEFAULT));
        fails(ErrorCode.INVALID_REQUEST, () -> client().patch(TABLE, KEY, 1, part, DEFAULT));
        ByteBuffer tooLong = ByteBuffer.allocate(ThriftTestServer.MAX_VALUE_BYTES + 1);
        fails(ErrorCode.TOO_LARGE, () -> client().append(TABLE, KEY, tooLong, DEFAULT));
        fails(ErrorCode.TOO_LARGE, () -> client().patch(TABLE, KEY, 0, tooLong, DEFAULT));
        fails(ErrorCode.TOO_LARGE, () -> client().getAndPut(TABLE, KEY, tooLong, DEFAULT));
        ByteBuffer longKey = ByteBuffer.allocate(65_536);
        fails(ErrorCode.TOO_LARGE, () -> client().add(TABLE, longKey, 1, DEFAULT));
        fails(ErrorCode.TOO_LARGE, () -> client().getAndRemove(TABLE, longKey, DEFAULT));
        TableName missing = new TableName("d", "missing");
        fails(ErrorCode.TABLE_NOT_FOUND, () -> client().add(missing, KEY, 1, DEFAULT));
        fails(ErrorCode.TABLE_NOT_FOUND, () -> client().getAndPut(missing, KEY, bytes("x"), DEFAULT));
        holds(most);
        assertEquals(0, server().server().budgetUsedBytes());
    }

    @Test
    void a_table_limits_results_and_parts() throws Exception {
        TableName small = new TableName("d", "small");
        client().createTable(small, "model", Map.of("MAX_VALUE_BYTES", "10"));
        assertEquals(10, client().append(small, KEY, ByteBuffer.allocate(10), DEFAULT));
        fails(ErrorCode.INVALID_REQUEST, () -> client().append(small, KEY, ByteBuffer.allocate(1), DEFAULT));
        fails(ErrorCode.TOO_LARGE, () -> client().append(small, KEY, ByteBuffer.allocate(11), DEFAULT));
        assertEquals(10, client().getAndRemove(small, KEY, DEFAULT).getValue().length);
    }

    @Test
    void batches_have_merges() throws Exception {
        put("10");
        client().createTable(new TableName("d", "u"), "model", Map.of());
        client().writeMerges(
                        new Batch(
                                TABLE,
                                List.of(
                                        merge("k", add(5)),
                                        merge("k", add(-1)),
                                        merge("n", add(7)).setTable("u"),
                                        merge("l", new io.kvstore.thrift.Merge().setAppend(bytes("abc"))),
                                        merge("l", new io.kvstore.thrift.Merge().setPatch(new Patch(1, bytes("B")))))),
                        DEFAULT);
        holds("14");
        assertEquals(
                "7",
                text(client().getAndRemove(new TableName("d", "u"), bytes("n"), DEFAULT)
                        .getValue()));
        assertEquals(
                "aBc", text(client().getAndRemove(TABLE, bytes("l"), DEFAULT).getValue()));
    }

    /** The method tells a server without merges that there are some: it does not know the method, and applies nothing. */
    @Test
    void batches_with_merges_go_by_their_own_method() throws Exception {
        put("10");
        List<Mutation> mutations = List.of(new Mutation(bytes("never")).setValue(bytes("1")), merge("k", add(1)));
        ServiceError refused =
                fails(ErrorCode.INVALID_REQUEST, () -> client().write(new Batch(TABLE, mutations), DEFAULT));
        assertTrue(refused.getMessage().contains("call writeMerges"), refused.getMessage());
        assertEquals(Outcome.REJECTED, refused.getOutcome());
        assertFalse(client().contains(TABLE, bytes("never"), new ReadOptions()));
        holds("10");
        client().writeMerges(new Batch(TABLE, mutations.subList(0, 1)), DEFAULT);
        assertTrue(client().contains(TABLE, bytes("never"), new ReadOptions()));
    }

    @Test
    void a_mutation_is_one_thing() throws Exception {
        put("10");
        for (Mutation odd : List.of(
                merge("k", add(1)).setValue(bytes("x")),
                merge("k", new io.kvstore.thrift.Merge()),
                merge("k", add(1).setAppend(bytes("x"))),
                merge("k", add(1).setPatch(new Patch(0, bytes("x")))),
                merge("k", new io.kvstore.thrift.Merge().setPatch(new Patch(3, bytes("x")))),
                merge("k", add(Long.MAX_VALUE)))) {
            Batch batch = new Batch(TABLE, List.of(new Mutation(bytes("never")).setValue(bytes("1")), odd));
            fails(ErrorCode.INVALID_REQUEST, () -> client().writeMerges(batch, DEFAULT));
            assertFalse(client().contains(TABLE, bytes("never"), new ReadOptions()));
            holds("10");
        }
    }

    /** The budget refuses a get of the value. It must not refuse the answer of a call that has removed it. */
    @Test
    void an_answer_after_a_change_is_not_refused_for_want_of_memory() throws Exception {
        try (ThriftTestServer server =
                        new ThriftTestServer(other, ThriftTestServer.config().withLoad(8, 512 << 10), Access.open());
                ThriftTestServer.Client client = server.client()) {
            byte[] value = new byte[1 << 20];
            for (int i = 0; i < 3; i++) {
                server.store().table("d", "t").put(KEY_BYTES, value);
                fails(ErrorCode.ANSWER_TOO_LARGE, () -> client.get(TABLE, KEY, new ReadOptions()));
                assertArrayEquals(
                        value, client.getAndPut(TABLE, KEY, bytes("1"), DEFAULT).getValue());
                server.store().table("d", "t").put(KEY_BYTES, value);
                assertArrayEquals(
                        value, client.getAndRemove(TABLE, KEY, DEFAULT).getValue());
                assertFalse(client.contains(TABLE, KEY, new ReadOptions()));
                // The answer is on its way before its memory is given back; the next call comes after that.
                client.ping();
                assertEquals(0, server.server().budgetUsedBytes());
            }
        }
    }

    /** Values that were put while the server took larger ones. */
    @Test
    void a_value_that_no_frame_takes_refuses_the_call_before_the_change() throws Exception {
        byte[] value = new byte[ThriftTestServer.MAX_FRAME_BYTES];
        try (KVStore store = new KVStore(other, KVStoreOptions.defaults())) {
            store.createDB("d");
            Table wide = store.createTable("d", "wide", "model", new Properties());
            wide.put("k", value);
        }
        TableName wide = new TableName("d", "wide");
        try (ThriftTestServer server = new ThriftTestServer(other);
                ThriftTestServer.Client client = server.client()) {
            for (ServiceError error : List.of(
                    fails(ErrorCode.ANSWER_TOO_LARGE, () -> client.getAndPut(wide, KEY, bytes("x"), DEFAULT)),
                    fails(ErrorCode.ANSWER_TOO_LARGE, () -> client.getAndRemove(wide, KEY, DEFAULT)))) {
                assertEquals(Outcome.REJECTED, error.getOutcome());
                assertFalse(error.isRetryable());
                assertEquals("" + value.length, error.getDetails().get("actual"));
            }
            assertArrayEquals(value, server.store().table("d", "wide").get("k"));
            client.put(wide, KEY, bytes("x"), DEFAULT);
            assertEquals(
                    "x", text(client.getAndPut(wide, KEY, bytes("y"), DEFAULT).getValue()));
        }
    }

    private static Reads.Room unrefusing() {
        return new Reads.Room() {
            @Override
            public void take(int bytes) {
                throw new IllegalStateException("this could refuse the answer");
            }

            @Override
            public void check() {}

            @Override
            public void takeAnyway(int bytes) {
                assertTrue(bytes <= Limits.ENVELOPE_BYTES, "the answer has " + bytes + " bytes");
            }
        };
    }

    private static void refuses(Writes writes, Table table, byte[] value) {
        ProblemException error = assertThrows(
                ProblemException.class, () -> writes.exchange(table, KEY_BYTES, value, null, unrefusing()));
        assertEquals(ProblemCode.ANSWER_TOO_LARGE, error.problem().code());
        assertEquals(io.kvstore.error.Outcome.REJECTED, error.problem().outcome());
        assertTrue(
                error.problem().detail().contains("nothing was changed"),
                error.problem().detail());
    }

    @Test
    void a_value_of_one_byte_too_many_refuses_the_call() {
        Writes writes = new Writes(server().edge(), 2 * Limits.ENVELOPE_BYTES);
        Table table = server().store().table("d", "t");
        for (byte[] value : new byte[][] {{1}, null}) {
            for (int bytes : new int[] {Limits.ENVELOPE_BYTES - 1, Limits.ENVELOPE_BYTES}) {
                table.put(KEY_BYTES, new byte[bytes]);
                GetResult result = writes.exchange(table, KEY_BYTES, value, null, unrefusing());
                assertEquals(bytes, result.getValue().length);
                assertArrayEquals(value, table.get(KEY_BYTES));
            }
            byte[] large = new byte[Limits.ENVELOPE_BYTES + 1];
            table.put(KEY_BYTES, large);
            refuses(writes, table, value);
            assertArrayEquals(large, table.get(KEY_BYTES));
            table.remove(KEY_BYTES);
            assertFalse(
                    writes.exchange(table, KEY_BYTES, value, null, unrefusing()).isSetValue());
        }
    }

    /** The value is another one at each look. */
    @Test
    void an_exchange_of_a_value_that_keeps_changing_ends() {
        for (int vain : new int[] {Writes.EXCHANGE_TRIES - 2, Writes.EXCHANGE_TRIES - 1, Writes.EXCHANGE_TRIES}) {
            AtomicInteger looks = new AtomicInteger();
            Executable exchange = () -> assertArrayEquals(
                    new byte[vain + 1],
                    Writes.exchangeIfSame(
                            () -> new byte[looks.incrementAndGet()], present -> present.length == vain + 1));
            if (vain < Writes.EXCHANGE_TRIES) {
                assertDoesNotThrow(exchange);
            } else {
                OverloadedException refused = assertThrows(OverloadedException.class, exchange);
                assertTrue(refused.getMessage().contains("nothing was changed; try again later"), refused.getMessage());
                assertEquals(io.kvstore.error.Outcome.REJECTED, refused.outcome());
            }
            assertEquals(Math.min(vain + 1, Writes.EXCHANGE_TRIES), looks.get());
        }
    }

    /** Another edge puts large values all the time. A value that a refused call was to put is never seen. */
    @Test
    void no_change_is_made_whose_answer_does_not_fit() throws Exception {
        Writes writes = new Writes(server().edge(), 2 * Limits.ENVELOPE_BYTES);
        Table table = server().store().table("d", "t");
        byte[] large = new byte[Limits.ENVELOPE_BYTES + 1];
        AtomicBoolean ends = new AtomicBoolean();
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<Set<String>> seen = threads.submit(() -> {
                Set<String> all = new HashSet<>();
                while (!ends.get()) {
                    byte[] before = table.getAndPut(KEY_BYTES, large);
                    if (before != null && before.length < large.length) {
                        all.add(text(before));
                    }
                    table.put(KEY_BYTES, new byte[0]);
                }
                return all;
            });
            Set<String> refused = new HashSet<>();
            try {
                for (int i = 0; i < 20_000; i++) {
                    exchange(writes, table, "" + i, refused);
                }
            } finally {
                ends.set(true);
            }
            refused.retainAll(seen.get());
            assertEquals(Set.of(), refused);
        }
    }

    private static void exchange(Writes writes, Table table, String value, Set<String> refused) {
        try {
            writes.exchange(table, KEY_BYTES, value.getBytes(UTF_8), null, unrefusing());
        } catch (ProblemException e) {
            refused.add(value);
        }
    }
}
