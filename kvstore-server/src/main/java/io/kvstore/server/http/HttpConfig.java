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
 * @param tls keys for TLS; null without
 */
public record HttpConfig(
        InetAddress address,
        int port,
        boolean anyHost,
        int workerThreads,
        int queuedRequests,
        long bodyBytes,
        @Nullable SSLContext tls) {

    /** The loopback names, with figures that suit a machine of any size. */
    public static HttpConfig at(InetAddress address, int port) {
        long bodyBytes = Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 8);
        return new HttpConfig(address, port, false, 64, 1_024, bodyBytes, null);
    }

    /** This configuration with TLS. */
    public HttpConfig withTls(@Nullable SSLContext keys) {
        return new HttpConfig(address, port, anyHost, workerThreads, queuedRequests, bodyBytes, keys);
    }

    /** This configuration for requests that name any host. */
    public HttpConfig withAnyHost() {
        return new HttpConfig(address, port, true, workerThreads, queuedRequests, bodyBytes, tls);
    }

    /** How many requests may be streams, imports and maintenance: so many that others are answered beside them. */
    public int longJobs() {
        return Math.max(1, workerThreads / 2);
    }

    /** This configuration with other figures for load. */
    public HttpConfig withLoad(int workers, int queued, long bytes) {
        return new HttpConfig(address, port, anyHost, workers, queued, bytes, tls);
    }
}
