package io.kvstore.server;

import io.kvstore.KVStore;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.http.HttpServer;
import io.kvstore.server.metrics.ServerMetrics;
import io.kvstore.server.thrift.ThriftServer;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.BindException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** The server: a store and the edges that serve it. The order in which they open and close loses nothing. */
public final class KVStoreServer {

    private static final int FORCED_STATUS = 130;

    /** The time that idle connections need to notice that the server stops. */
    private static final long LEAST_DRAIN_MILLIS = 200;

    private final ServerConfig config;
    private final Edge edge;
    private final HttpServer http;
    private final ThriftServer thrift;

    private KVStoreServer(ServerConfig config, Edge edge, HttpServer http, ThriftServer thrift) {
        this.config = config;
        this.edge = edge;
        this.http = http;
        this.thrift = thrift;
    }

    /** Runs the server until it is asked to stop, and exits. */
    public static void main(String[] arguments) {
        ServerLog.toStandardError();
        System.exit(run(System.out, System.err, arguments));
    }

    /** Runs the server until it is asked to stop; returns the exit status. */
    static int run(PrintStream out, PrintStream errors, String... arguments) {
        CommandLine line = new CommandLine(new ServerCommand(KVStoreServer::serve, out, errors));
        line.setOut(new PrintWriter(out, true, out.charset()));
        line.setErr(new PrintWriter(errors, true, errors.charset()));
        line.setUsageHelpWidth(100);
        line.setParameterExceptionHandler((e, given) -> {
            String reason = String.valueOf(e.getMessage()).replaceFirst("is not an int$", "is no whole number");
            errors.println("kvstore: " + reason + " (--help lists the options)");
            return CommandLine.ExitCode.USAGE;
        });
        return line.execute(arguments);
    }

    /** Opens the store and serves it. */
    static KVStoreServer start(ServerConfig config) throws BindException {
        Path data = config.data();
        KVStore store = data == null ? KVStore.inMemory(config.store()) : new KVStore(data, config.store());
        HttpServer http = null;
        ThriftServer thrift = null;
        try {
            Edge edge = Edge.of(
                            store,
                            data,
                            config.access(),
                            config.version(),
                            config.http().longJobs())
                    .withBackups(config.backups());
            ServerMetrics metrics = new ServerMetrics();
            http = new HttpServer(config.http(), edge, metrics);
            thrift = new ThriftServer(config.thrift(), edge, metrics.thrift());
            return new KVStoreServer(config, edge, http, thrift);
        } finally {
            if (thrift == null) {
                close(http, null, store);
            }
        }
    }

    /** Closes the edges and the store, each one whatever happens to those before. */
    private static void close(@Nullable HttpServer http, @Nullable ThriftServer thrift, KVStore store) {
        try {
            if (http != null) {
                http.close();
            }
        } finally {
            try {
                if (thrift != null) {
                    thrift.close();
                }
            } finally {
                store.close();
            }
        }
    }

    /** Serves until a signal; returns the exit status. */
    private static int serve(ServerConfig config, PrintStream out) throws BindException, InterruptedException {
        CountDownLatch stop = new CountDownLatch(1);
        StopSignals.listen(count -> {
            stop.countDown();
            if (count > 1) {
                Runtime.getRuntime().halt(FORCED_STATUS);
            }
        });
        KVStoreServer server = start(config);
        out.println("ready http=" + server.address(server.http.port()) + " thrift="
                + server.address(server.thrift.port()) + " data=" + server.place());
        out.flush();
        stop.await();
        return server.stop() ? 0 : 1;
    }

    /** The directory, or that there is none, and the most bytes of the store's files. */
    private String place() {
        Path data = config.data();
        return data == null
                ? "memory limit_bytes=" + edge.store().stats().memoryStorageLimitBytes()
                : data.toAbsolutePath().normalize().toString();
    }

    /** Host and port of an edge. */
    private String address(int port) {
        String host = config.http().address().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    int httpPort() {
        return http.port();
    }

    /**
     * Refuses new requests, lets those in flight end, then closes the edges and the store. An interrupt ends the wait for
     * requests, and nothing else.
     *
     * @return whether all requests ended in time; the data is safe either way
     */
    boolean stop() throws InterruptedException {
        try {
            return drain();
        } finally {
            close(http, thrift, edge.store());
        }
    }

    private boolean drain() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.stopMillis());
        edge.lifecycle().stop();
        thrift.beginDrain();
        boolean inTime = http.drain(millisUntil(deadline));
        inTime &= thrift.drain(Math.max(LEAST_DRAIN_MILLIS, millisUntil(deadline)));
        return edge.jobs().awaitEnd(deadline) && inTime;
    }

    private static long millisUntil(long deadlineNanos) {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime()));
    }
}
