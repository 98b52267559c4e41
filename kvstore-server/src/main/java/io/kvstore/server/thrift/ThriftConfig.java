package io.kvstore.server.thrift;

import java.net.InetAddress;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Address and limits of the Thrift edge.
 *
 * @param address the address to listen at
 * @param port the port, 0 for any that is free
 * @param connections the most connections at a time; others are closed at once
 * @param frameBytes heap memory for large frames and answers of all connections together
 * @param tls keys for TLS; null for a connection without TLS
 */
public record ThriftConfig(
        InetAddress address,
        int port,
        int connections,
        long frameBytes,
        @Nullable SSLContext tls) {

    private static final int CONNECTIONS = 1_024;

    /** Limits that suit a machine of any size. */
    public static ThriftConfig at(InetAddress address, int port) {
        long bytes = Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 8);
        return new ThriftConfig(address, port, CONNECTIONS, bytes, null);
    }

    /** This configuration with TLS. */
    public ThriftConfig withTls(@Nullable SSLContext keys) {
        return new ThriftConfig(address, port, connections, frameBytes, keys);
    }

    /** This configuration with other limits. */
    public ThriftConfig withLoad(int most, long bytes) {
        return new ThriftConfig(address, port, most, bytes, tls);
    }
}
