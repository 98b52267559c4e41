package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.cli.CommandRun.Streams;
import io.kvstore.thrift.KVStoreService;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The leases of the snapshots that commands ask a server for. */
@Timeout(60)
final class LeaseTest {

    @TempDir
    private Path temp;

    /** Passes on what a server and its clients say, and keeps what the clients say. */
    private static final class Tap implements AutoCloseable {

        private final ServerSocket listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        private final List<ByteArrayOutputStream> said = new CopyOnWriteArrayList<>();
        private final int serverPort;

        Tap(String server) throws IOException {
            this.serverPort = URI.create(server).getPort();
            Thread.ofVirtual().start(this::accept);
        }

        String url() {
            return "thrift://127.0.0.1:" + listener.getLocalPort();
        }

        private void accept() {
            try {
                while (!listener.isClosed()) {
                    Socket client = listener.accept();
                    Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                    ByteArrayOutputStream kept = new ByteArrayOutputStream();
                    said.add(kept);
                    Thread.ofVirtual().start(() -> pass(client, server, kept));
                    Thread.ofVirtual().start(() -> pass(server, client, OutputStream.nullOutputStream()));
                }
            } catch (IOException e) {
                // it is closed
            }
        }

        private static void pass(Socket from, Socket to, OutputStream kept) {
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                byte[] bytes = new byte[8 << 10];
                for (int count = in.read(bytes); count > 0; count = in.read(bytes)) {
                    kept.write(bytes, 0, count);
                    to.getOutputStream().write(bytes, 0, count);
                }
            } catch (IOException e) {
                // one of them has ended
            }
        }

        /** The milliseconds that clients asked for. */
        List<Integer> leases() throws TException {
            List<Integer> leases = new ArrayList<>();
            for (ByteArrayOutputStream client : said) {
                ByteBuffer frames = ByteBuffer.wrap(client.toByteArray());
                while (frames.hasRemaining()) {
                    byte[] frame = new byte[frames.getInt()];
                    frames.get(frame);
                    TProtocol call = new TBinaryProtocol(new TMemoryInputTransport(frame));
                    if (call.readMessageBegin().name.equals("openSnapshot")) {
                        KVStoreService.openSnapshot_args asked = new KVStoreService.openSnapshot_args();
                        asked.read(call);
                        leases.add(asked.getLeaseMillis());
                    }
                }
            }
            return leases;
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    /** A reader at the other end of a pipe may take nothing for a long time. */
    @ParameterizedTest
    @ValueSource(strings = {"export", "dump"})
    void snapshots_whose_entries_go_to_others_live_for_an_hour(String command) throws Exception {
        TestTarget target = TestTarget.of(TestTarget.SERVER, temp, "lsm");
        String[] arguments = command.equals("dump") ? new String[] {"dump", target.table()} : new String[] {command};
        try (Tap tap = new Tap(target.url())) {
            Map<String, String> environment = Map.of("KVSTORE_URL", tap.url(), "KVSTORE_TABLE", target.table());
            CommandRun.in(environment, Streams.of(new byte[0]), arguments).good();
            assertEquals(List.of(3_600_000), tap.leases());
        }
    }
}
