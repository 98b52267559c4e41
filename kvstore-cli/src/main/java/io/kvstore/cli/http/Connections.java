package io.kvstore.cli.http;

import io.kvstore.client.ClientOptions;
import java.io.IOException;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.DefaultHttpClientConnectionOperator;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.pool.PoolReusePolicy;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * The connections to a server, and all that is set of the library. Its smallest client is used, which sends what it is given:
 * it follows no redirect, asks no proxy, keeps no cookies, repeats nothing, unpacks nothing and offers no other protocol. It
 * waits without limit for an answer, because the caller ends a wait. Safe for several threads.
 *
 * <p>The monitor guards which client is in use.
 */
final class Connections implements AutoCloseable {

    /** A server ends a connection that was idle for 30 seconds. One of half that age is not used any more. */
    private static final Timeout MOST_IDLE = Timeout.ofSeconds(15);

    /**
     * A connection that was idle for this long is looked at before it is used, since a server that was stopped has ended it.
     * The look takes a millisecond, which nobody sees beside the pause.
     */
    private static final TimeValue TRUSTED = TimeValue.ofMilliseconds(100);

    private static final int LAST_CONTROL = 0x1F;
    private static final int DELETE = 0x7F;
    private static final int LAST_LETTER = 0xFF;

    private final ClientOptions options;
    private final int limit;
    private final AtomicLong opened = new AtomicLong();
    private CloseableHttpClient client;
    private boolean isClosed;

    /** @param limit how many connections there are at most */
    Connections(ClientOptions options, int limit) {
        this.options = options;
        this.limit = limit;
        this.client = open();
    }

    private CloseableHttpClient open() {
        TlsSocketStrategy tls = options.tls() ? tls(options.sslContext()) : null;
        PoolingHttpClientConnectionManager pool = new PoolingHttpClientConnectionManager(
                // a socket that is told so asks no property of the system for a proxy
                new DefaultHttpClientConnectionOperator(_ -> new Socket(Proxy.NO_PROXY), null, null, _ -> tls),
                PoolConcurrencyPolicy.STRICT,
                PoolReusePolicy.LIFO,
                TimeValue.NEG_ONE_MILLISECOND,
                _ -> new PooledConnection("kvstore-" + opened.incrementAndGet()));
        pool.setMaxTotal(limit);
        pool.setDefaultMaxPerRoute(limit);
        pool.setDefaultConnectionConfig(ConnectionConfig.custom()
                .setConnectTimeout(Timeout.ofMilliseconds(options.connectTimeoutMillis()))
                .setIdleTimeout(MOST_IDLE)
                .setValidateAfterInactivity(TRUSTED)
                .build());
        return HttpClients.createMinimal(pool);
    }

    private static TlsSocketStrategy tls(@Nullable SSLContext given) {
        return given == null
                ? DefaultClientTlsStrategy.createDefault()
                : new DefaultClientTlsStrategy(given, HostnameVerificationPolicy.BUILTIN, null);
    }

    /**
     * A request, which may be sent once.
     *
     * @throws IllegalArgumentException if no request can have the address or a header
     */
    static HttpUriRequestBase request(String base, Call call, @Nullable String token) {
        URI uri = URI.create(base + call.path());
        if (uri.getHost() == null) {
            throw new IllegalArgumentException("no host");
        }
        HttpUriRequestBase request = new HttpUriRequestBase(call.method(), uri);
        request.setHeader("User-Agent", "kvstore");
        call.headers().forEach((name, value) -> request.setHeader(name, writable(value)));
        if (token != null) {
            request.setHeader("Authorization", "Bearer " + writable(token));
        }
        if (call.body() != null) {
            request.setEntity(new RequestBody(call.body()));
        }
        return request;
    }

    /** The library would write something else for a letter that a header cannot have. */
    private static String writable(String value) {
        if (value.chars().anyMatch(c -> (c <= LAST_CONTROL && c != '\t') || c == DELETE || c > LAST_LETTER)) {
            throw new IllegalArgumentException("a letter that no header can have");
        }
        return value;
    }

    /** Sends a request, and waits for the head of the answer. The connection is in use until the body was read to its end. */
    ClassicHttpResponse send(HttpUriRequestBase request) throws IOException {
        HttpHost server = new HttpHost(options.tls() ? "https" : "http", options.host(), options.port());
        CloseableHttpClient used = inUse();
        try {
            return used.executeOpen(server, request, null);
        } catch (Error e) {
            renew(used);
            throw e;
        }
    }

    private synchronized CloseableHttpClient inUse() {
        return client;
    }

    /** The library closes its pool for good if memory ends while it sends a request. */
    private synchronized void renew(CloseableHttpClient used) {
        if (client.equals(used) && !isClosed) {
            client = open();
        }
    }

    /** The headers of an answer, as {@link Answer} has them. */
    static Map<String, String> headers(ClassicHttpResponse response) {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (Header header : response.getHeaders()) {
            headers.putIfAbsent(header.getName(), header.getValue() == null ? "" : header.getValue());
        }
        return headers;
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        client.close(CloseMode.IMMEDIATE);
    }
}
