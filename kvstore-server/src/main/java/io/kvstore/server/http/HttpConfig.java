package io.kvstore.server.http;

import java.net.InetAddress;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Where and how much the HTTP edge serves.
 *
 * @param address the address to listen at
 * @param port the port, 0 for any that is free
 * @param anyHost whether requests may name any host; false takes the names of the loopback address only
 * @param workerThreads requests that are worked on at a time
 * @param queuedRequests requests that may wait for a worker before others are refused
 * @param bodyBytes heap for request bodies together
 * @param answerBytes heap for answers together
 * @param pauseMillis how long a client may send nothing of an import that it began
 * @param tls keys for TLS; null without
 */
public record HttpConfig(
        InetAddress address,
        int port,
        boolean anyHost,
        int workerThreads,
        int queuedRequests,
        long bodyBytes,
        long answerBytes,
        int pauseMillis,
        @Nullable SSLContext tls) {

    private static final int MOST_WORKERS = 64;
    private static final int LEAST_WORKERS = 4;

    /** A worker reads a value before it knows how long it is, so all workers may have the largest at once. */
    private static final long WORKER_BYTES = 16L << 20;

    private static final int PAUSE_MILLIS = 600_000;

    /** The loopback names, with figures that suit the heap. */
    public static HttpConfig at(InetAddress address, int port) {
        long heapBytes = Runtime.getRuntime().maxMemory();
        int workers = Math.clamp(heapBytes / 4 / WORKER_BYTES, LEAST_WORKERS, MOST_WORKERS);
        long bodyBytes = Math.max(64L << 20, heapBytes / 8);
        long answerBytes = Math.max(32L << 20, heapBytes / 8);
        return new HttpConfig(address, port, false, workers, 1_024, bodyBytes, answerBytes, PAUSE_MILLIS, null);
    }

    /** This configuration with TLS. */
    public HttpConfig withTls(@Nullable SSLContext keys) {
        return new HttpConfig(
                address, port, anyHost, workerThreads, queuedRequests, bodyBytes, answerBytes, pauseMillis, keys);
    }

    /** This configuration for requests that name any host. */
    public HttpConfig withAnyHost() {
        return new HttpConfig(
                address, port, true, workerThreads, queuedRequests, bodyBytes, answerBytes, pauseMillis, tls);
    }

    /** How many requests may be streams, imports and maintenance: so many that others are answered beside them. */
    public int longJobs() {
        return Math.max(1, workerThreads / 2);
    }

    /** This configuration with other figures for load. */
    public HttpConfig withLoad(int workers, int queued, long bytes) {
        return new HttpConfig(address, port, anyHost, workers, queued, bytes, bytes, pauseMillis, tls);
    }

    /** This configuration with another patience for imports. */
    public HttpConfig withPauseMillis(int millis) {
        return new HttpConfig(
                address, port, anyHost, workerThreads, queuedRequests, bodyBytes, answerBytes, millis, tls);
    }
}
