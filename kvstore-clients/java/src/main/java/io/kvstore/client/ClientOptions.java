package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The address of a server, and the options of the connections to it. Start from {@link #parse} or {@link #of}, and change
 * single options by the {@code with} methods. Safe for several threads.
 *
 * @param host the server's name or address, not empty
 * @param port the server's port, 1 to 65,535; default 9,090
 * @param tls whether connections use TLS; default false
 * @param token the token that the client shows on each connection; null, the default, for a server without tokens
 * @param connectTimeoutMillis the longest time of connecting, with the TLS handshake and the token, 1 to 86,400,000; default
 *     5,000
 * @param timeoutMillis the longest time of a call, with the wait for a connection and with repetitions, 1 to 86,400,000;
 *     default 30,000
 * @param pool the most connections for calls, 1 to 10,000; default 8. A snapshot has a connection beside these
 * @param maxFrameBytes the largest request or answer, 1 to 1,073,741,823; default 17 MiB. Give {@code maxFrameBytes} of the
 *     server
 * @param sslContext decides which certificates are trusted; null, the default, for the decision of the JVM
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

    /** The port of a URL that names none. */
    public static final int DEFAULT_PORT = 9_090;

    private static final int DAY_MILLIS = 86_400_000;
    private static final int LARGEST_POOL = 10_000;
    private static final int LARGEST_FRAME = (1 << 30) - 1;

    /**
     * @throws io.kvstore.client.error.InvalidRequestException if a number is out of its range, if the host is empty, or if
     *     there
     *     is an SSLContext without TLS
     */
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

    /** The defaults, for the server at an address. */
    public static ClientOptions of(String host, int port) {
        return new ClientOptions(host, port, false, null, 5_000, 30_000, 8, 17 << 20, null);
    }

    /**
     * The options of a URL: {@code kvstore://[TOKEN@]HOST[:PORT][?PARAMETERS]}, or {@code kvstores://} for TLS. The parameters
     * are {@code connect_timeout_ms}, {@code timeout_ms}, {@code pool} and {@code max_frame_bytes}. Characters of the token
     * that have a meaning in a URL are escaped, such as {@code @} by {@code %40}.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the URL has another form, or a number is out of its range
     */
    public static ClientOptions parse(String url) {
        return new ServerUrl(url).options();
    }

    /** These options with another {@code token}. */
    public ClientOptions withToken(@Nullable String given) {
        return new ClientOptions(
                host, port, tls, given, connectTimeoutMillis, timeoutMillis, pool, maxFrameBytes, sslContext);
    }

    /** These options with TLS and another {@code sslContext}. */
    public ClientOptions withSslContext(SSLContext given) {
        return new ClientOptions(
                host, port, true, token, connectTimeoutMillis, timeoutMillis, pool, maxFrameBytes, given);
    }

    /** These options with TLS or without it. */
    public ClientOptions withTls(boolean given) {
        return new ClientOptions(
                host, port, given, token, connectTimeoutMillis, timeoutMillis, pool, maxFrameBytes, sslContext);
    }

    /** These options with another {@code connectTimeoutMillis}. */
    public ClientOptions withConnectTimeoutMillis(int given) {
        return new ClientOptions(host, port, tls, token, given, timeoutMillis, pool, maxFrameBytes, sslContext);
    }

    /** These options with another {@code timeoutMillis}. */
    public ClientOptions withTimeoutMillis(int given) {
        return new ClientOptions(host, port, tls, token, connectTimeoutMillis, given, pool, maxFrameBytes, sslContext);
    }

    /** These options with another {@code pool}. */
    public ClientOptions withPool(int given) {
        return new ClientOptions(
                host, port, tls, token, connectTimeoutMillis, timeoutMillis, given, maxFrameBytes, sslContext);
    }

    /** These options with another {@code maxFrameBytes}. */
    public ClientOptions withMaxFrameBytes(int given) {
        return new ClientOptions(host, port, tls, token, connectTimeoutMillis, timeoutMillis, pool, given, sslContext);
    }

    /** The server's address, for messages. */
    String address() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    /** The options as text, without the token. */
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
