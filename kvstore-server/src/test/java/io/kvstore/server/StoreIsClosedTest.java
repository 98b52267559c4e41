package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** A server that does not start, or does not stop as it should, still closes its store. */
final class StoreIsClosedTest {

    @TempDir
    private Path temp;

    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private final PrintStream stream = new PrintStream(errors, true, StandardCharsets.UTF_8);

    /** Opening the store fails while anybody has it open. */
    private void assertClosed() {
        new KVStore(temp.resolve("data"), KVStoreOptions.defaults()).close();
    }

    @ParameterizedTest
    @CsvSource({"--http-port, --thrift-port", "--thrift-port, --http-port"})
    void a_port_that_is_taken(String taken, String free) throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String[] arguments = {"--data=" + temp.resolve("data"), taken + "=" + other.getLocalPort(), free + "=0"};
            assertEquals(1, KVStoreServer.run(stream, stream, arguments));
            String said = errors.toString(StandardCharsets.UTF_8);
            assertTrue(said.contains(String.valueOf(other.getLocalPort())), said);
            assertClosed();
        }
    }

    /** The server waits for a request whose body does not come, and the thread that waits is interrupted. */
    @Test
    void a_stop_that_is_interrupted() {
        ServerCommand command = new ServerCommand(this::interruptStop, stream, stream);
        int status =
                new CommandLine(command).execute("--data=" + temp.resolve("data"), "--http-port=0", "--thrift-port=0");
        assertEquals(7, status, () -> errors.toString(StandardCharsets.UTF_8));
        assertClosed();
    }

    private int interruptStop(ServerConfig config, PrintStream out) throws BindException {
        KVStoreServer server = KVStoreServer.start(config);
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.httpPort())) {
            String head = """
                    PUT /v1/databases/db/tables/t/keys/k HTTP/1.1\r
                    Host: localhost\r
                    Expect: 100-continue\r
                    Content-Length: 10\r
                    \r
                    """;
            client.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            client.getOutputStream().flush();
            assertTrue(client.getInputStream().read() >= 0, "the server asks for the body");
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, server::stop);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            boolean _ = Thread.interrupted();
        }
        return 7;
    }
}
