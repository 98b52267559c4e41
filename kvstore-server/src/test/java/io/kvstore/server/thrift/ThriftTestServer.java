package io.kvstore.server.thrift;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.data.Durability;
import io.kvstore.server.edge.Access;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.TableDefinition;
import io.kvstore.server.metrics.CallMetrics;
import io.kvstore.thrift.KVStoreService;
import io.kvstore.thrift.TableName;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.layered.TFramedTransport;
import org.jspecify.annotations.Nullable;

/** A Thrift edge in this process with one table {@link #TABLE}, and clients for it. */
final class ThriftTestServer implements AutoCloseable {

    private static final String DATABASE = "d";
    private static final String NAME = "t";
    static final TableName TABLE = new TableName(DATABASE, NAME);
    static final int MAX_VALUE_BYTES = 1 << 20;
    static final int MAX_FRAME_BYTES = MAX_VALUE_BYTES + Limits.FRAME_SLACK_BYTES;
    static final int TIMEOUT_MILLIS = 120_000;

    private final KVStore store;
    private final Edge edge;
    private final ThriftServer server;

    ThriftTestServer(Path directory) throws Exception {
        this(directory, config(), Access.open());
    }

    ThriftTestServer(Path directory, ThriftConfig config, Access access) throws Exception {
        this(directory, config, access, null);
    }

    static ThriftTestServer withBackups(Path directory, Path backups) throws Exception {
        return new ThriftTestServer(directory, config(), Access.open(), backups);
    }

    private ThriftTestServer(Path directory, ThriftConfig config, Access access, @Nullable Path backups)
            throws Exception {
        KVStoreOptions options = KVStoreOptions.defaults()
                .withDurability(Durability.BUFFERED)
                .withMaxValueBytes(MAX_VALUE_BYTES)
                .withMemoryBytes(256 << 20)
                .withWalSegmentBytes(1 << 20);
        store = new KVStore(directory, options);
        edge = Edge.of(store, directory, access, "test", 32).withBackups(backups);
        server = new ThriftServer(config, edge, new CallMetrics());
        edge.tables().createDatabase(DATABASE);
        edge.tables().create(DATABASE, NAME, new TableDefinition("model", Map.of()));
    }

    static ThriftConfig config() {
        return ThriftConfig.at(InetAddress.getLoopbackAddress(), 0);
    }

    KVStore store() {
        return store;
    }

    Edge edge() {
        return edge;
    }

    ThriftServer server() {
        return server;
    }

    /** Waits until a connection is busy, or none is. A client has its answer before its connection is idle again. */
    void awaitBusy(boolean isBusy) {
        long end = System.nanoTime() + TIMEOUT_MILLIS * 1_000_000L;
        while (server.hasBusyConnection() != isBusy && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        assertEquals(isBusy, server.hasBusyConnection());
    }

    /** A connection that knows nothing of Thrift. */
    Socket socket() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(TIMEOUT_MILLIS);
        return socket;
    }

    Client client() throws TException {
        return client(false);
    }

    Client client(boolean compact) throws TException {
        TTransport transport = new TFramedTransport(
                new TSocket(
                        new TConfiguration(4 * MAX_FRAME_BYTES, 4 * MAX_FRAME_BYTES, 64),
                        InetAddress.getLoopbackAddress().getHostAddress(),
                        server.port(),
                        TIMEOUT_MILLIS),
                4 * MAX_FRAME_BYTES);
        transport.open();
        return new Client(transport, compact ? new TCompactProtocol(transport) : new TBinaryProtocol(transport));
    }

    /** A client that can be closed. */
    static final class Client extends KVStoreService.Client implements AutoCloseable {

        private final TTransport transport;

        Client(TTransport transport, TProtocol protocol) {
            super(protocol);
            this.transport = transport;
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    @Override
    public void close() {
        server.close();
        store.close();
    }
}
