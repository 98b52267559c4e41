package io.kvstore.cli.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.kvstore.client.ClientOptions;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/** Takes connections as a server over HTTP does, and does with each what a test says. */
final class RawServer implements AutoCloseable {

    static final String DONE = "HTTP/1.1 204 No Content\r\nETag: \"1\"\r\n\r\n";

    private final ServerSocket listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final BlockingQueue<Peer> connections = new LinkedBlockingQueue<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    RawServer() throws IOException {
        threads.execute(this::accept);
    }

    /** One connection, seen from the server. */
    record Peer(Socket socket, InputStream in) {

        /** Reads a request that has no body or an empty one; returns its method, or nothing at the end of the connection. */
        String method() throws IOException {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                if (next < 0) {
                    return "";
                }
                head.append((char) next);
            }
            return head.substring(0, head.indexOf(" "));
        }

        void answer(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(ISO_8859_1));
            socket.getOutputStream().flush();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                open.add(socket);
                connections.add(new Peer(socket, new BufferedInputStream(socket.getInputStream())));
            }
        } catch (IOException e) {
            // the test has ended
        }
    }

    /** The next connection that was made. */
    Peer next() throws InterruptedException {
        return connections.take();
    }

    /** Whether a connection was made that nobody has asked for yet. */
    boolean hasNext() {
        return !connections.isEmpty();
    }

    ClientOptions options(int timeoutMillis) {
        return ClientOptions.of("127.0.0.1", listening.getLocalPort()).withTimeoutMillis(timeoutMillis);
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : open) {
            socket.close();
        }
        threads.close();
    }
}
