package io.kvstore.server.http;

import java.net.InetAddress;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Address and limits of the HTTP edge.
 *
 * @param address the address to listen at
 * @param port the port, 0 for any that is free
 * @param anyHost whether requests may name any host; if false, only the names of the loopback address
 * @param workerThreads the most requests that are worked on at a time
 * @param queuedRequests the most requests that wait for a worker before others are refused
 * @param bodyBytes heap memory for all request bodies together
 * @param answerBytes heap memory for all answers together
 * @param behindMillis how far the client of a stream, an import or a file may be behind its pace
 * @param paceBytes that pace, in bytes a second
 * @param tls keys for TLS; null for a listener without TLS
 */
public record HttpConfig(
        InetAddress address,
        int port,
        boolean anyHost,
        int workerThreads,
        int queuedRequests,
        long bodyBytes,
        long answerBytes,
        int behindMillis,
        int paceBytes,
        @Nullable SSLContext tls) {

    private static final int MOST_WORKERS = 64;
    private static final int LEAST_WORKERS = 4;

    /**
     * Heap memory for each worker. A worker reads a value before it knows the value's length, so all workers may hold a value
     * of the largest size at once.
     */
    private static final long WORKER_BYTES = 16L << 20;

    /** A program may work for a while between two lines that it sends or takes. */
    public static final int BEHIND_SECONDS = 600;

    private static final int PACE_BYTES = 1 << 10;

    /** Takes the names of the loopback address. The limits suit the heap. */
    public static HttpConfig at(InetAddress address, int port) {
        long heapBytes = Runtime.getRuntime().maxMemory();
        int workers = Math.clamp(heapBytes / 4 / WORKER_BYTES, LEAST_WORKERS, MOST_WORKERS);
        long bodyBytes = Math.max(64L << 20, heapBytes / 8);
        long answerBytes = Math.max(32L << 20, heapBytes / 8);
        return new HttpConfig(
                address, port, false, workers, 1_024, bodyBytes, answerBytes, BEHIND_SECONDS * 1_000, PACE_BYTES, null);
    }

    /** This configuration with TLS. */
    public HttpConfig withTls(@Nullable SSLContext keys) {
        return new HttpConfig(
                address,
                port,
                anyHost,
                workerThreads,
                queuedRequests,
                bodyBytes,
                answerBytes,
                behindMillis,
                paceBytes,
                keys);
    }

    /** This configuration, but requests may name any host. */
    public HttpConfig withAnyHost() {
        return new HttpConfig(
                address,
                port,
                true,
                workerThreads,
                queuedRequests,
                bodyBytes,
                answerBytes,
                behindMillis,
                paceBytes,
                tls);
    }

    /** The most streams, imports and maintenance jobs at a time. They leave workers for other requests. */
    public int longJobs() {
        return Math.max(1, workerThreads / 2);
    }

    /** This configuration with other limits. */
    public HttpConfig withLoad(int workers, int queued, long bytes) {
        return new HttpConfig(address, port, anyHost, workers, queued, bytes, bytes, behindMillis, paceBytes, tls);
    }

    /** This configuration with another pace for the clients of streams, imports and files. */
    public HttpConfig withPace(int millis, int bytesPerSecond) {
        return new HttpConfig(
                address,
                port,
                anyHost,
                workerThreads,
                queuedRequests,
                bodyBytes,
                answerBytes,
                millis,
                bytesPerSecond,
                tls);
    }

    /** This configuration, but the clients of streams, imports and files may be so far behind. */
    public HttpConfig withBehindSeconds(int seconds) {
        return withPace(seconds * 1_000, paceBytes);
    }
}
