package io.kvstore.server.http.message;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.AttachmentKey;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** The text that names a request in answers, problems and the log: the client's own if it is a plain word. */
public final class RequestId {

    public static final String HEADER = "X-Request-Id";

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final AttachmentKey<String> KEY = AttachmentKey.create(String.class);

    private final String prefix = UUID.randomUUID().toString().substring(0, 8);
    private final AtomicLong count = new AtomicLong();

    /** Names a request. */
    public void assign(HttpServerExchange exchange) {
        String given = exchange.getRequestHeaders().getFirst(HEADER);
        boolean plain = given != null && PLAIN.matcher(given).matches();
        exchange.putAttachment(KEY, plain ? given : next());
    }

    /** A text that names no other request. */
    public String next() {
        return prefix + "-" + count.incrementAndGet();
    }

    public static String of(HttpServerExchange exchange) {
        String id = exchange.getAttachment(KEY);
        return id == null ? "none" : id;
    }
}
