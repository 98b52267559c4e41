package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Where a server is and how to talk to it. Start from {@link #parse} or {@link #of} and change what matters.
 *
 * @param host the server's name or address
 * @param port its port, 1 to 65535
 * @param tls whether to use TLS
 * @param token what the server wants to know first; null for a server without tokens
 * @param connectTimeoutMillis the longest time to connect, with the TLS handshake; default 5,000
 * @param timeoutMillis the longest time of a call, with waiting for a connection; default 30,000
 * @param pool connections at most, 1 to 10,000; default 8. Snapshots have connections of their own
 * @param maxFrameBytes the largest request and answer, what the server has; default 17 MiB
 * @param sslContext what decides whom to trust; null for the JVM's default
 */
public record ClientOptions(
        String host,
        int port,
        boolean tls,
        @Nullable String token,
        int connectTimeoutMillis,
        int timeoutMillis,
        int pool,
        int maxFrameBytes,
        @Nullable SSLContext sslContext) {

    /** The port of a server that was given none. */
    public static final int DEFAULT_PORT = 9_090;

    private static final int DAY_MILLIS = 86_400_000;
    private static final int LARGEST_POOL = 10_000;
    private static final int LARGEST_FRAME = (1 << 30) - 1;

    /** @throws io.kvstore.client.error.InvalidRequestException if a figure is out of its range */
    public ClientOptions {
        if (host.isEmpty()) {
            throw KVClientException.invalid("no host is given");
        }
        require("the port", port, 65_535);
        require("connect_timeout_ms", connectTimeoutMillis, DAY_MILLIS);
        require("timeout_ms", timeoutMillis, DAY_MILLIS);
        require("pool", pool, LARGEST_POOL);
        require("max_frame_bytes", maxFrameBytes, LARGEST_FRAME);
        if (sslContext != null && !tls) {
            throw KVClientException.invalid(
                    "an SSLContext is given and TLS is not used; begin the URL with kvstores://");
        }
    }

    /** The defaults for a server. */
    public static ClientOptions of(String host, int port) {
        return new ClientOptions(host, port, false, null, 5_000, 30_000, 8, 17 << 20, null);
    }

    /**
     * The options of a URL: {@code kvstore://[TOKEN@]HOST[:PORT][?PARAMETERS]}, or {@code kvstores://} for TLS. Parameters are
     * {@code connect_timeout_ms}, {@code timeout_ms}, {@code pool} and {@code max_frame_bytes}. Characters of the token that
     * mean something in a URL are written as {@code %40} and so on.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the URL is not one of these; does not show the token
     */
    public static ClientOptions parse(String url) {
        return new ServerUrl(url).options();
    }

    /** These with another {@code token}. */
    public ClientOptions withToken(@Nullable String given) {
        return new ClientOptions(
                host, port, tls, given, connectTimeoutMillis, timeoutMillis, pool, maxFrameBytes, sslContext);
    }

    /** These with TLS and another {@code sslContext}. */
    public ClientOptions withSslContext(SSLContext given) {
        return new ClientOptions(
                host, port, true, token, connectTimeoutMillis, timeoutMillis, pool, maxFrameBytes, given);
    }

    /** These with TLS or without. */
    public ClientOptions withTls(boolean given) {
        return new ClientOptions(
                host, port, given, token, connectTimeoutMillis, timeoutMillis, pool, maxFrameBytes, sslContext);
    }

    /** These with another {@code connectTimeoutMillis}. */
    public ClientOptions withConnectTimeoutMillis(int given) {
        return new ClientOptions(host, port, tls, token, given, timeoutMillis, pool, maxFrameBytes, sslContext);
    }

    /** These with another {@code timeoutMillis}. */
    public ClientOptions withTimeoutMillis(int given) {
        return new ClientOptions(host, port, tls, token, connectTimeoutMillis, given, pool, maxFrameBytes, sslContext);
    }

    /** These with another {@code pool}. */
    public ClientOptions withPool(int given) {
        return new ClientOptions(
                host, port, tls, token, connectTimeoutMillis, timeoutMillis, given, maxFrameBytes, sslContext);
    }

    /** These with another {@code maxFrameBytes}. */
    public ClientOptions withMaxFrameBytes(int given) {
        return new ClientOptions(host, port, tls, token, connectTimeoutMillis, timeoutMillis, pool, given, sslContext);
    }

    /** The server's address, for messages. */
    String address() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    /** Does not show the token. */
    @Override
    public String toString() {
        return "ClientOptions[" + (tls ? "kvstores://" : "kvstore://") + (token == null ? "" : "...@") + address()
                + "?connect_timeout_ms=" + connectTimeoutMillis + "&timeout_ms=" + timeoutMillis + "&pool=" + pool
                + "&max_frame_bytes=" + maxFrameBytes + "]";
    }

    private static void require(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw KVClientException.invalid(name + " is " + value + "; give 1 to " + max);
        }
    }
}
