package io.kvstore.server;

import io.kvstore.KVStore;
import io.kvstore.server.http.HttpServer;
import io.kvstore.server.metrics.ServerMetrics;
import java.io.PrintStream;
import java.net.BindException;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;

/** The server: a store and the edges that serve it, opened and closed in the order that loses nothing. */
public final class KVStoreServer {

    private static final int FORCED_STATUS = 130;

    private final ServerConfig config;
    private final KVStore store;
    private final HttpServer http;

    private KVStoreServer(ServerConfig config, KVStore store, HttpServer http) {
        this.config = config;
        this.store = store;
        this.http = http;
    }

    /** Runs the server until it is asked to stop, and exits. */
    public static void main(String[] arguments) {
        ServerLog.toStandardError();
        CommandLine line = new CommandLine(new ServerCommand(KVStoreServer::serve));
        line.setUsageHelpWidth(100);
        line.setParameterExceptionHandler((e, given) -> {
            System.err.println("kvstore: " + e.getMessage() + " (--help lists the options)");
            return CommandLine.ExitCode.USAGE;
        });
        System.exit(line.execute(arguments));
    }

    /** Opens the store and serves it. */
    static KVStoreServer start(ServerConfig config) throws BindException {
        KVStore store = new KVStore(config.data(), config.store());
        HttpServer http = null;
        try {
            http = new HttpServer(config.http(), store, new ServerMetrics());
            return new KVStoreServer(config, store, http);
        } finally {
            if (http == null) {
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
        out.println("ready http=" + server.address() + " data="
                + config.data().toAbsolutePath().normalize());
        out.flush();
        stop.await();
        ServerLog.quietLibrary();
        return server.stop() ? 0 : 1;
    }

    /** Host and port of the HTTP edge. */
    String address() {
        String host = config.http().address().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + http.port();
    }

    int port() {
        return http.port();
    }

    KVStore store() {
        return store;
    }

    /**
     * Refuses new requests, lets those in flight end, then closes the edge and the store.
     *
     * @return whether all requests ended in time; the data is safe either way
     */
    boolean stop() throws InterruptedException {
        boolean inTime = http.drain(config.stopMillis());
        http.close();
        store.close();
        return inTime;
    }
}
