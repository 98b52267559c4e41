package io.kvstore.server.http.message;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.AttachmentKey;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Names a request in answers, problems and the log. The id is the client's own if that has only letters, digits, dots, dashes
 * and underscores, and at most 64 of them.
 */
public final class RequestId {

    public static final String HEADER = "X-Request-Id";

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final AttachmentKey<String> KEY = AttachmentKey.create(String.class);

    private final String prefix = UUID.randomUUID().toString().substring(0, 8);
    private final AtomicLong count = new AtomicLong();

    /** Gives a request its id. */
    public void assign(HttpServerExchange exchange) {
        String given = exchange.getRequestHeaders().getFirst(HEADER);
        boolean plain = given != null && PLAIN.matcher(given).matches();
        exchange.putAttachment(KEY, plain ? given : next());
    }

    /** A new id, which no other request has. */
    public String next() {
        return prefix + "-" + count.incrementAndGet();
    }

    public static String of(HttpServerExchange exchange) {
        String id = exchange.getAttachment(KEY);
        return id == null ? "none" : id;
    }
}
