package io.kvstore.server.thrift;

import static io.kvstore.server.thrift.ThriftTestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.thrift.ErrorCode;
import io.kvstore.thrift.Operation;
import io.kvstore.thrift.OperationKind;
import io.kvstore.thrift.OperationRequest;
import io.kvstore.thrift.OperationState;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.ScanRequest;
import io.kvstore.thrift.SnapshotLease;
import io.kvstore.thrift.WriteOptions;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.apache.thrift.transport.TTransportException;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What outlives a call: snapshots and jobs. */
@NullUnmarked // What a generated getter gives may be null; that fails the test as well.
final class LeasesTest extends ServiceCalls {

    private static final WriteOptions DEFAULT = new WriteOptions();

    @Test
    void a_snapshot_sees_one_moment_until_it_is_closed() throws Exception {
        client().put(TABLE, bytes("a"), bytes("1"), DEFAULT);
        SnapshotLease lease = client().openSnapshot(0);
        assertEquals(60_000, lease.getLeaseMillis());
        ReadOptions then = new ReadOptions().setSnapshotId(lease.getSnapshotId());
        client().put(TABLE, bytes("a"), bytes("2"), DEFAULT);
        client().put(TABLE, bytes("b"), bytes("2"), DEFAULT);
        assertEquals(bytes("1"), client().get(TABLE, bytes("a"), then).bufferForValue());
        assertFalse(client().contains(TABLE, bytes("b"), then));
        assertEquals(1, client().countKeys(TABLE, null, then));
        ScanRequest scan = new ScanRequest(TABLE).setSnapshotId(lease.getSnapshotId());
        assertEquals(1, client().scan(scan).getEntriesSize());
        try (ThriftTestServer.Client other = server().client()) {
            assertEquals(bytes("1"), other.get(TABLE, bytes("a"), then).bufferForValue());
        }
        client().closeSnapshot(lease.getSnapshotId());
        client().closeSnapshot(lease.getSnapshotId());
        fails(ErrorCode.SNAPSHOT_EXPIRED, () -> client().get(TABLE, bytes("a"), then));
    }

    @Test
    void a_snapshot_ends_with_its_connection() throws Exception {
        long id;
        try (ThriftTestServer.Client other = server().client()) {
            id = other.openSnapshot(0).getSnapshotId();
        }
        while (server().store().stats().openSnapshots() > 0) {
            Thread.onSpinWait();
        }
        fails(ErrorCode.SNAPSHOT_EXPIRED, () -> client().get(TABLE, bytes("a"), new ReadOptions().setSnapshotId(id)));
    }

    @Test
    void a_snapshot_ends_when_it_is_not_used() throws Exception {
        client().openSnapshot(Limits.LEASE_MILLIS_MIN);
        assertEquals(1, server().store().stats().openSnapshots());
        while (server().store().stats().openSnapshots() > 0) {
            Thread.onSpinWait();
        }
    }

    /** The walk of an export opens such a snapshot. Its reader may take nothing for most of an hour. */
    @Test
    void a_snapshot_lives_as_long_as_its_lease_says_and_its_connection_with_it() throws Exception {
        client().put(TABLE, bytes("a"), bytes("1"), DEFAULT);
        long before = System.nanoTime();
        SnapshotLease lease = client().openSnapshot(Limits.LEASE_MILLIS_MAX);
        assertEquals(Limits.LEASE_MILLIS_MAX, lease.getLeaseMillis());
        ReadOptions then = new ReadOptions().setSnapshotId(lease.getSnapshotId());
        client().put(TABLE, bytes("a"), bytes("2"), DEFAULT);
        try (ThriftTestServer.Client other = server().client()) {
            assertTrue(other.contains(TABLE, bytes("a"), new ReadOptions()));
            server().awaitBusy(false);
            long leaseNanos = TimeUnit.MILLISECONDS.toNanos(Limits.LEASE_MILLIS_MAX);
            server().server().endWhatIsLate(before + leaseNanos);
            assertThrows(TTransportException.class, () -> other.contains(TABLE, bytes("a"), new ReadOptions()));
            assertEquals(bytes("1"), client().get(TABLE, bytes("a"), then).bufferForValue());
            server().awaitBusy(false);
            server().server().endWhatIsLate(System.nanoTime() + leaseNanos + 1);
            assertEquals(0, server().store().stats().openSnapshots());
            assertThrows(TTransportException.class, () -> client().get(TABLE, bytes("a"), then));
        }
    }

    /** It would keep its connection and up to 16 snapshots for an hour. */
    @Test
    void a_client_that_vanished_without_a_word_is_noticed_after_minutes() throws Exception {
        client().openSnapshot(Limits.LEASE_MILLIS_MAX);
        ThriftServer edge = server().server();
        assertEquals(List.of(true), edge.socketOptions(StandardSocketOptions.SO_KEEPALIVE));
        int seconds = KeepAlive.IDLE_SECONDS + KeepAlive.PROBES * KeepAlive.INTERVAL_SECONDS;
        assertTrue(seconds <= 300, seconds + " seconds");
        try (ServerSocket any = new ServerSocket()) {
            Assumptions.assumeTrue(any.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE));
        }
        assertEquals(List.of(KeepAlive.IDLE_SECONDS), edge.socketOptions(ExtendedSocketOptions.TCP_KEEPIDLE));
        assertEquals(List.of(KeepAlive.INTERVAL_SECONDS), edge.socketOptions(ExtendedSocketOptions.TCP_KEEPINTERVAL));
        assertEquals(List.of(KeepAlive.PROBES), edge.socketOptions(ExtendedSocketOptions.TCP_KEEPCOUNT));
    }

    @Test
    void snapshots_whose_lease_ran_out_make_room_for_others() throws Exception {
        for (int i = 0; i < Limits.SNAPSHOTS_OF_CONNECTION; i++) {
            client().openSnapshot(Limits.LEASE_MILLIS_MIN);
        }
        while (server().store().stats().openSnapshots() > 0) {
            Thread.onSpinWait();
        }
        client().openSnapshot(0);
    }

    @Test
    void snapshots_are_bounded() throws Exception {
        for (int i = 0; i < Limits.SNAPSHOTS_OF_CONNECTION; i++) {
            client().openSnapshot(0);
        }
        fails(ErrorCode.OVERLOADED, () -> client().openSnapshot(0));
        try (ThriftTestServer.Client other = server().client()) {
            other.openSnapshot(0);
        }
        fails(ErrorCode.INVALID_REQUEST, () -> client().openSnapshot(Limits.LEASE_MILLIS_MAX + 1));
        fails(ErrorCode.INVALID_REQUEST, () -> client().openSnapshot(-1));
        fails(ErrorCode.INVALID_REQUEST, () -> client().openSnapshot(Limits.LEASE_MILLIS_MIN - 1));
    }

    @Test
    void jobs_run_and_are_remembered() throws Exception {
        List<OperationKind> kinds =
                List.of(OperationKind.FLUSH, OperationKind.CHECKPOINT, OperationKind.OPTIMIZE, OperationKind.VERIFY);
        for (OperationKind kind : kinds) {
            OperationRequest request = new OperationRequest(kind);
            if (kind != OperationKind.CHECKPOINT) {
                fails(ErrorCode.INVALID_REQUEST, () -> client().startOperation(request));
                request.setTable(TABLE);
            }
            Operation operation = client().startOperation(request);
            while (operation.getState() == OperationState.RUNNING) {
                operation = client().operation(operation.getOperationId());
            }
            assertEquals(OperationState.DONE, operation.getState(), operation::toString);
            assertEquals(kind == OperationKind.VERIFY, operation.isSetFindingsTotal());
            assertEquals(0, operation.getFindingsTotal());
        }
        assertEquals(kinds.size(), client().operations().size());
        assertEquals(OperationState.DONE, client().cancelOperation(1).getState());
        fails(ErrorCode.NOT_FOUND, () -> client().operation(99));
        fails(
                ErrorCode.INVALID_REQUEST,
                () -> client().startOperation(new OperationRequest(OperationKind.CHECKPOINT).setTable(TABLE)));
        assertTrue(server().server().drain(10_000));
    }

    @Test
    void figures_go_by_their_names() throws Exception {
        assertEquals(0, client().tableStats(TABLE).getNumbers().get("engine.entries"));
        assertEquals(
                "model", client().tableStats(TABLE).getTexts().get("engineName").toLowerCase(java.util.Locale.ROOT));
        assertTrue(client().storeStats().getNumbersSize() > 5);
    }
}
