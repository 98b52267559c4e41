package io.kvstore.bench.edge;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Connections that each send a request, wait for its answer and send the next one, all on one thread. All answers must have the
 * given length. A longer answer ends the run with an error. A shorter one is waited for without end.
 */
public final class EdgeLoad implements AutoCloseable {

    private static final int BUFFER_BYTES = 1 << 20;

    private final Selector selector;
    private final List<Connection> connections = new ArrayList<>();
    private final ByteBuffer received = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer sent = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final Template template;
    private final long answerBytes;
    private long next;

    /** One connection, and the number of bytes of its answer that have not arrived. */
    private static final class Connection {
        private final SocketChannel channel;
        private long missingBytes;
        private long sentNanos;

        Connection(SocketChannel channel) {
            this.channel = channel;
        }
    }

    /**
     * The figures of a run.
     *
     * @param requests the number of answered requests
     * @param seconds how long the run took
     * @param nanos latencies
     */
    public record Result(long requests, double seconds, Histogram nanos) {

        /** Requests a second. */
        public double perSecond() {
            return requests / seconds;
        }
    }

    /**
     * Connects.
     *
     * @param answerBytes the length of every answer, including its frame's head
     */
    public EdgeLoad(InetSocketAddress address, int count, Template template, long answerBytes) throws IOException {
        this.template = template;
        this.answerBytes = answerBytes;
        this.selector = Selector.open();
        for (int i = 0; i < count; i++) {
            SocketChannel channel = SocketChannel.open(address);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            Connection connection = new Connection(channel);
            channel.register(selector, SelectionKey.OP_READ, connection);
            connections.add(connection);
        }
    }

    /** Sends requests for the given time. */
    public Result runFor(long millis) throws IOException {
        return run(Long.MAX_VALUE, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Sends the given number of requests. */
    public Result run(long requests) throws IOException {
        return run(requests, Long.MAX_VALUE);
    }

    private Result run(long requests, long endNanos) throws IOException {
        Histogram nanos = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
        long begun = System.nanoTime();
        long toSend = requests;
        int waiting = 0;
        for (Connection connection : connections) {
            if (toSend-- > 0) {
                send(connection);
                waiting++;
            }
        }
        long answered = 0;
        while (waiting > 0) {
            selector.select();
            long now = System.nanoTime();
            for (SelectionKey key : selector.selectedKeys()) {
                Connection connection = (Connection) key.attachment();
                if (receive(connection)) {
                    nanos.recordValue(System.nanoTime() - connection.sentNanos);
                    answered++;
                    if (toSend-- > 0 && now < endNanos) {
                        send(connection);
                    } else {
                        waiting--;
                    }
                }
            }
            selector.selectedKeys().clear();
        }
        return new Result(answered, (System.nanoTime() - begun) / 1e9, nanos);
    }

    private void send(Connection connection) throws IOException {
        sent.clear();
        template.fill(sent, next++);
        connection.sentNanos = System.nanoTime();
        connection.missingBytes = answerBytes;
        while (sent.hasRemaining()) {
            connection.channel.write(sent);
        }
    }

    /** Receives bytes. Returns whether the answer is complete. */
    private boolean receive(Connection connection) throws IOException {
        received.clear();
        int read = connection.channel.read(received);
        if (read < 0) {
            throw new EOFException("the server ended a connection");
        }
        connection.missingBytes -= read;
        if (connection.missingBytes < 0) {
            throw new IOException("an answer is longer than the first one");
        }
        return read > 0 && connection.missingBytes == 0;
    }

    @Override
    public void close() throws IOException {
        for (Connection connection : connections) {
            connection.channel.close();
        }
        selector.close();
    }
}
