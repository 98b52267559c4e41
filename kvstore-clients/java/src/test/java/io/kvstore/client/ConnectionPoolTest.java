package io.kvstore.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.client.FakeServer.Visit;
import io.kvstore.client.error.ConnectionFailedException;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.InvalidRequestException;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import io.kvstore.client.error.OutcomeUnknownException;
import io.kvstore.client.error.SnapshotExpiredException;
import io.kvstore.client.error.UnauthenticatedException;
import io.kvstore.client.error.UnavailableException;
import io.kvstore.thrift.Operation;
import io.kvstore.thrift.OperationKind;
import io.kvstore.thrift.OperationState;
import io.kvstore.thrift.ServiceError;
import io.kvstore.thrift.SnapshotLease;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Timeouts, the pool, tokens, snapshots and waiting for jobs. */
final class ConnectionPoolTest {

    private static final Duration LONG = Duration.ofMinutes(2);
    private static final byte[] VALUE = {1};

    private static ClientTable table(KVClient client) {
        return client.table("d", "t");
    }

    private static SnapshotLease lease() {
        return new SnapshotLease(7, 60_000);
    }

    private static Operation operation(OperationState state) {
        return new Operation().setOperationId(3).setKind(OperationKind.VERIFY).setState(state);
    }

    @Test
    void a_call_that_takes_too_long_ends_once() throws IOException {
        try (FakeServer server = FakeServer.start(Visit::hang);
                KVClient client = KVClient.connect(server.options().withTimeoutMillis(200))) {
            ConnectionFailedException ofRead = assertThrows(
                    ConnectionFailedException.class,
                    () -> assertTimeoutPreemptively(LONG, () -> table(client).get("a")));
            assertEquals(ErrorCode.TIMED_OUT, ofRead.code());
            assertThrows(
                    OutcomeUnknownException.class,
                    () -> assertTimeoutPreemptively(LONG, () -> table(client).put("a", VALUE)));
            assertEquals(List.of("get", "put"), server.calls());
            assertEquals(2, server.connections());
        }
    }

    @Test
    void a_server_that_does_not_read_ends_no_call_late() throws IOException {
        try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                KVClient client = KVClient.connect(
                        ClientOptions.of("127.0.0.1", deaf.getLocalPort()).withTimeoutMillis(300))) {
            byte[] large = new byte[16 << 20];
            assertThrows(
                    OutcomeUnknownException.class,
                    () -> assertTimeoutPreemptively(LONG, () -> table(client).put("a", large)));
        }
    }

    @Test
    void waiting_for_a_connection_has_an_end() throws Exception {
        try (FakeServer server = FakeServer.start(visit -> visit.method().equals("get") ? visit.hang() : true);
                KVClient client = KVClient.connect(server.options().withPool(1).withTimeoutMillis(1_000))) {
            Thread busy = new Thread(() ->
                    assertThrows(KVClientException.class, () -> table(client).get("a")));
            busy.start();
            while (server.calls().isEmpty()) {
                Thread.onSpinWait();
            }
            Thread.currentThread().interrupt();
            KVClientException interrupted =
                    assertThrows(KVClientException.class, () -> table(client).contains("a"));
            assertEquals(ErrorCode.INTERRUPTED, interrupted.code());
            assertTrue(Thread.interrupted());
            try (ClientPermit permit = new ClientPermit(server.options().withPool(1))) {
                permit.checkThatNoSecondIsLent();
            }
            busy.join();
            assertTrue(table(client).contains("a"));
        }
    }

    /** A pool whose only connection is lent. */
    private static final class ClientPermit implements AutoCloseable {
        private final ConnectionPool pool;
        private final Connection lent;

        ClientPermit(ClientOptions options) {
            this.pool = new ConnectionPool(options);
            this.lent = pool.take(Purpose.READ, Deadline.in(1_000));
        }

        void checkThatNoSecondIsLent() {
            KVClientException failure =
                    assertThrows(ConnectionFailedException.class, () -> pool.take(Purpose.WRITE, Deadline.in(100)));
            assertEquals(ErrorCode.TIMED_OUT, failure.code());
            assertEquals(Outcome.REJECTED, failure.outcome());
        }

        @Override
        public void close() {
            pool.release(lent);
            pool.close();
        }
    }

    @Test
    void a_token_is_told_first_on_each_connection() throws IOException {
        try (FakeServer server = FakeServer.start(
                        visit -> visit.method().equals("contains") && visit.number() == 1 ? visit.cut() : true);
                KVClient client = KVClient.connect(server.options().withToken("secret"))) {
            assertTrue(table(client).contains("a"));
            assertTrue(table(client).contains("a"));
            assertEquals(List.of("authenticate", "contains", "authenticate", "contains", "contains"), server.calls());
        }
    }

    @Test
    void a_wrong_token_is_told_once() throws IOException {
        try (FakeServer server = FakeServer.start(visit -> {
                    throw new ServiceError().setCode(io.kvstore.thrift.ErrorCode.UNAUTHENTICATED);
                });
                KVClient client = KVClient.connect(server.options().withToken("wrong"))) {
            assertThrows(UnauthenticatedException.class, () -> table(client).put("a", VALUE));
            assertThrows(UnauthenticatedException.class, client::snapshot);
            assertEquals(List.of("authenticate", "authenticate"), server.calls());
        }
    }

    @Test
    void a_write_is_repeated_while_nothing_of_it_was_sent() throws IOException {
        try (FakeServer server = FakeServer.start(
                        visit -> visit.method().equals("authenticate") && visit.number() < 3 ? visit.cut() : true);
                KVClient client = KVClient.connect(server.options().withToken("secret"))) {
            table(client).put("a", VALUE);
            assertEquals(List.of("authenticate", "authenticate", "authenticate", "put"), server.calls());
        }
    }

    @Test
    void a_snapshot_ends_with_its_connection() throws IOException {
        try (FakeServer server = FakeServer.start(visit -> switch (visit.method()) {
                    case "openSnapshot" -> lease();
                    case "contains" -> visit.number() == 1 ? true : visit.cut();
                    default -> true;
                });
                KVClient client = KVClient.connect(server.options())) {
            ClientSnapshot snapshot = client.snapshot();
            TableReader reader = snapshot.table("d", "t");
            assertTrue(reader.contains("a"));
            assertThrows(ConnectionFailedException.class, () -> reader.contains("a"));
            assertThrows(SnapshotExpiredException.class, () -> reader.contains("a"));
            snapshot.close();
            assertEquals(List.of("openSnapshot", "contains", "contains"), server.calls());
            assertEquals(1, server.connections());
        }
    }

    @Test
    void a_snapshot_is_closed_once_and_has_a_connection_of_its_own() throws IOException {
        try (FakeServer server = FakeServer.start(visit -> visit.method().equals("openSnapshot") ? lease() : true);
                KVClient client = KVClient.connect(server.options().withPool(1))) {
            ClientSnapshot snapshot = client.snapshot();
            assertTrue(table(client).contains("a"));
            assertEquals(2, server.connections());
            snapshot.close();
            snapshot.close();
            assertThrows(
                    SnapshotExpiredException.class,
                    () -> snapshot.table("d", "t").contains("a"));
            assertEquals(List.of("openSnapshot", "contains", "closeSnapshot"), server.calls());
        }
    }

    @Test
    void a_snapshot_outlives_an_argument_that_is_not_valid() throws IOException {
        try (FakeServer server = FakeServer.start(visit -> visit.method().equals("openSnapshot") ? lease() : true);
                KVClient client = KVClient.connect(server.options());
                ClientSnapshot snapshot = client.snapshot()) {
            TableReader reader = snapshot.table("d", "t");
            assertThrows(InvalidRequestException.class, () -> reader.contains(nothing()));
            assertTrue(reader.contains("a"));
            assertEquals(List.of("openSnapshot", "contains"), server.calls());
        }
    }

    /** What a program without checks for null passes as a key. */
    @SuppressWarnings("NullAway") // that is what the client is asked about
    private static byte[] nothing() {
        return null;
    }

    @Test
    void a_snapshot_that_is_closed_breaks_the_call_under_way() throws Exception {
        try (FakeServer server =
                        FakeServer.start(visit -> visit.method().equals("openSnapshot") ? lease() : visit.hang());
                KVClient client = KVClient.connect(server.options().withTimeoutMillis(10_000))) {
            ClientSnapshot snapshot = client.snapshot();
            TableReader reader = snapshot.table("d", "t");
            FutureTask<KVClientException> broken =
                    new FutureTask<>(() -> assertThrows(KVClientException.class, () -> reader.contains("a")));
            new Thread(broken).start();
            while (server.calls().size() < 2) {
                Thread.onSpinWait();
            }
            snapshot.close();
            assertEquals(ErrorCode.CONNECTION_FAILED, broken.get().code()); // and not TIMED_OUT
            assertThrows(SnapshotExpiredException.class, () -> reader.contains("a"));
            assertEquals(List.of("openSnapshot", "contains"), server.calls());
        }
    }

    @Test
    void a_closed_client_makes_no_calls() throws IOException {
        try (FakeServer server = FakeServer.start(visit -> true)) {
            KVClient client = KVClient.connect(server.options());
            assertTrue(table(client).contains("a"));
            client.close();
            ConnectionFailedException failure = assertThrows(
                    ConnectionFailedException.class, () -> table(client).contains("a"));
            assertFalse(failure.isRetryable());
            assertThrows(ConnectionFailedException.class, client::snapshot);
            assertEquals(List.of("contains"), server.calls());
        }
    }

    @Test
    void a_job_is_asked_for_until_it_ends() throws IOException {
        try (FakeServer server = FakeServer.start(
                        visit -> operation(visit.number() < 3 ? OperationState.RUNNING : OperationState.DONE));
                KVClient client = KVClient.connect(server.options())) {
            assertEquals(OperationResult.State.DONE, client.awaitOperation(3).state());
            assertEquals(List.of("operation", "operation", "operation"), server.calls());
        }
    }

    @Test
    void a_failed_job_is_an_error() throws IOException {
        ServiceError cause = new ServiceError()
                .setCode(io.kvstore.thrift.ErrorCode.DISK_FULL)
                .setOutcome(io.kvstore.thrift.Outcome.FAILED)
                .setErrorId("e1")
                .setMessage("no room");
        try (FakeServer server = FakeServer.start(
                        visit -> operation(OperationState.FAILED).setError(cause));
                KVClient client = KVClient.connect(server.options())) {
            UnavailableException failure =
                    assertThrows(UnavailableException.class, () -> table(client).verify());
            assertEquals(ErrorCode.DISK_FULL, failure.code());
            assertEquals("e1", failure.errorId());
            assertEquals("no room (error id e1)", failure.getMessage());
        }
    }
}
