package io.kvstore.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.client.FakeServer.Visit;
import io.kvstore.client.error.ConnectionFailedException;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.NotFoundException;
import io.kvstore.client.error.Outcome;
import io.kvstore.client.error.OutcomeUnknownException;
import io.kvstore.client.error.TooLargeException;
import io.kvstore.client.error.UnavailableException;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.ServiceError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.apache.thrift.TApplicationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which calls are repeated, and which connections are used again. */
final class CallsTest {

    private static final byte[] VALUE = {1};

    private static GetResult found() {
        return new GetResult().setValue(ByteBuffer.wrap(VALUE));
    }

    private static ServiceError error(io.kvstore.thrift.ErrorCode code) {
        return new ServiceError().setCode(code);
    }

    private static ClientTable table(KVClient client) {
        return client.table("d", "t");
    }

    @Test
    void a_read_is_repeated_on_new_connections() throws IOException {
        try (FakeServer server = FakeServer.start(visit -> visit.number() < 3 ? visit.cut() : found());
                KVClient client = KVClient.connect(server.options())) {
            assertArrayEquals(VALUE, table(client).get("a"));
            assertEquals(List.of("get", "get", "get"), server.calls());
            assertEquals(3, server.connections());
        }
    }

    @Test
    void a_read_is_repeated_twice_at_most() throws IOException {
        try (FakeServer server = FakeServer.start(Visit::cut);
                KVClient client = KVClient.connect(server.options())) {
            ConnectionFailedException failure = assertThrows(
                    ConnectionFailedException.class, () -> table(client).get("a"));
            assertEquals(Outcome.FAILED, failure.outcome());
            assertTrue(failure.isRetryable());
            assertEquals(List.of("get", "get", "get"), server.calls());
        }
    }

    @Test
    void a_write_is_not_repeated_once_it_was_sent() throws IOException {
        try (FakeServer server = FakeServer.start(Visit::cut);
                KVClient client = KVClient.connect(server.options())) {
            OutcomeUnknownException failure = assertThrows(
                    OutcomeUnknownException.class, () -> table(client).put("a", VALUE));
            assertEquals(Outcome.UNKNOWN, failure.outcome());
            assertFalse(failure.isRetryable());
            ClientBatch batch = ClientBatch.in("d").put("t", "a", VALUE);
            assertThrows(OutcomeUnknownException.class, () -> client.write(batch));
            assertThrows(OutcomeUnknownException.class, () -> table(client).putIfAbsent("a", VALUE));
            assertThrows(OutcomeUnknownException.class, () -> table(client).add("a", 1));
            assertThrows(OutcomeUnknownException.class, () -> table(client).append("a", VALUE));
            assertThrows(OutcomeUnknownException.class, () -> table(client).patch("a", 0, VALUE));
            assertThrows(OutcomeUnknownException.class, () -> table(client).getAndPut("a", VALUE));
            assertThrows(OutcomeUnknownException.class, () -> table(client).getAndRemove("a"));
            ClientBatch merges = ClientBatch.in("d").add("t", "a", 1);
            assertThrows(OutcomeUnknownException.class, () -> client.write(merges));
            assertThrows(OutcomeUnknownException.class, client::startCheckpoint);
            assertThrows(OutcomeUnknownException.class, () -> client.cancelOperation(1));
            assertThrows(OutcomeUnknownException.class, () -> client.createDatabase("d"));
            assertEquals(
                    List.of(
                            "put",
                            "write",
                            "putIf",
                            "add",
                            "append",
                            "patch",
                            "getAndPut",
                            "getAndRemove",
                            "writeMerges",
                            "startOperation",
                            "cancelOperation",
                            "createDatabase"),
                    server.calls());
        }
    }

    @ParameterizedTest
    @CsvSource({"true, REJECTED, 3, 3", "true, FAILED, 3, 1", "false, REJECTED, 1, 1", "true, UNKNOWN, 3, 1"})
    void an_answer_says_whether_a_call_is_repeated(
            boolean retryable, io.kvstore.thrift.Outcome outcome, int reads, int writes) throws IOException {
        try (FakeServer server = FakeServer.start(visit -> {
                    throw error(io.kvstore.thrift.ErrorCode.OVERLOADED)
                            .setRetryable(retryable)
                            .setOutcome(outcome);
                });
                KVClient client = KVClient.connect(server.options())) {
            assertThrows(UnavailableException.class, () -> table(client).get("a"));
            assertEquals(reads, server.calls().size());
            assertThrows(UnavailableException.class, () -> table(client).put("a", VALUE));
            assertEquals(reads + writes, server.calls().size());
            assertEquals(1, server.connections());
        }
    }

    @Test
    void a_write_on_an_idle_connection_is_preceded_by_a_ping() throws IOException {
        try (FakeServer server = FakeServer.start(visit -> visit.method().equals("get") ? found() : null);
                KVClient client = KVClient.connect(server.options())) {
            table(client).put("a", VALUE);
            assertTrue(Deadline.in(1_100).await());
            table(client).get("a");
            assertTrue(Deadline.in(1_100).await());
            table(client).put("a", VALUE);
            assertEquals(List.of("put", "get", "ping", "put"), server.calls());
            assertTrue(Deadline.in(1_100).await());
            server.cutAll();
            table(client).put("a", VALUE);
            assertEquals(2, server.connections());
            assertEquals(List.of("put", "get", "ping", "put", "put"), server.calls());
        }
    }

    @Test
    void a_connection_goes_on_after_an_error_of_the_service() throws IOException {
        try (FakeServer server = FakeServer.start(visit -> {
                    throw error(io.kvstore.thrift.ErrorCode.TABLE_NOT_FOUND).setMessage("no table");
                });
                KVClient client = KVClient.connect(server.options())) {
            assertThrows(NotFoundException.class, () -> table(client).get("a"));
            assertThrows(NotFoundException.class, () -> table(client).put("a", VALUE));
            assertEquals(1, server.connections());
        }
    }

    @Test
    void a_connection_ends_after_an_answer_that_is_no_answer() throws IOException {
        try (FakeServer server = FakeServer.start(visit -> {
                    throw new IllegalStateException("a mistake of the server");
                });
                KVClient client = KVClient.connect(server.options())) {
            KVClientException ofRead =
                    assertThrows(KVClientException.class, () -> table(client).get("a"));
            assertEquals(KVClientException.class, ofRead.getClass());
            assertEquals(ErrorCode.INTERNAL_ERROR, ofRead.code());
            assertEquals(Outcome.FAILED, ofRead.outcome());
            KVClientException ofWrite =
                    assertThrows(KVClientException.class, () -> table(client).put("a", VALUE));
            assertEquals(Outcome.UNKNOWN, ofWrite.outcome());
            assertEquals(List.of("get", "put"), server.calls());
            assertEquals(2, server.connections());
        }
    }

    @Test
    void a_call_that_the_server_does_not_know_is_rejected() throws IOException {
        try (FakeServer server = FakeServer.start(visit -> {
                    throw new TApplicationException(TApplicationException.UNKNOWN_METHOD, "no such method");
                });
                KVClient client = KVClient.connect(server.options())) {
            ClientTable table = table(client);
            for (Executable call : List.<Executable>of(() -> table.get("a"), () -> table.put("a", VALUE))) {
                KVClientException refused = assertThrows(KVClientException.class, call);
                assertEquals(KVClientException.class, refused.getClass());
                assertEquals(Outcome.REJECTED, refused.outcome());
                assertFalse(refused.isRetryable());
                String method = server.calls().get(server.calls().size() - 1);
                assertEquals(
                        "the server is older than this client and does not know the method " + method
                                + "; nothing was changed",
                        refused.getMessage());
            }
            assertEquals(List.of("get", "put"), server.calls());
        }
    }

    @Test
    void an_unknown_code_is_an_internal_error() throws IOException {
        try (FakeServer server = FakeServer.start(visit -> {
                    throw new ServiceError().setMessage("from the future");
                });
                KVClient client = KVClient.connect(server.options())) {
            KVClientException failure =
                    assertThrows(KVClientException.class, () -> table(client).get("a"));
            assertEquals(ErrorCode.INTERNAL_ERROR, failure.code());
            assertEquals("from the future", failure.getMessage());
            assertEquals(1, server.connections());
        }
    }

    @Test
    void a_request_over_the_limit_is_not_sent() throws IOException {
        try (FakeServer server = FakeServer.start(visit -> null);
                KVClient client = KVClient.connect(server.options().withMaxFrameBytes(1_000))) {
            TooLargeException failure =
                    assertThrows(TooLargeException.class, () -> table(client).put("a", new byte[1_000]));
            assertEquals("1000", failure.details().get("limit"));
            table(client).put("a", new byte[900]);
            assertEquals(List.of("put"), server.calls());
        }
    }

    @Test
    void the_idle_connections_of_a_server_that_ended_are_not_used() throws Exception {
        CountDownLatch together = new CountDownLatch(3);
        try (FakeServer server = FakeServer.start(visit -> {
                    if (visit.method().equals("contains")) {
                        together.countDown();
                        together.await();
                        return true;
                    }
                    return visit.method().equals("get") ? found() : null;
                });
                KVClient client = KVClient.connect(server.options())) {
            List<Thread> threads = Stream.generate(
                            () -> new Thread(() -> table(client).contains("a")))
                    .limit(3)
                    .toList();
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(3, server.connections());
            server.cutAll();
            assertArrayEquals(VALUE, table(client).get("a"));
            table(client).put("a", VALUE);
            assertEquals(4, server.connections());
        }
    }
}
