package io.kvstore.server.http.endpoint;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.data.KeyOrder;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Lifecycle;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import io.kvstore.server.metrics.EngineGauges;
import io.kvstore.server.metrics.PrometheusText;
import io.kvstore.server.metrics.ServerMetrics;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Requests for the server as a whole: description, health, metrics, checkpoints. */
public final class ServerHandlers {

    private final KVStore store;
    private final Lifecycle lifecycle;
    private final ServerMetrics metrics;
    private final String version;
    private final long begun = System.nanoTime();

    public ServerHandlers(Edge edge, ServerMetrics metrics) {
        this.store = edge.store();
        this.lifecycle = edge.lifecycle();
        this.metrics = metrics;
        this.version = edge.version();
    }

    private record Description(
            String name,
            String version,
            double uptimeSeconds,
            List<String> engines,
            String durability,
            Map<String, Long> limits) {}

    public Reply describe(Request request) {
        KVStoreOptions options = store.options();
        Map<String, Long> limits = Map.of(
                "key_bytes", (long) KeyOrder.MAX_KEY_BYTES,
                "value_bytes", options.maxValueBytes(),
                "batch_items", (long) Limits.BATCH_ITEMS,
                "json_bytes", (long) Limits.JSON_BYTES,
                "page_entries", (long) Limits.PAGE_ENTRIES);
        return Reply.ok(new Description(
                "kvstore",
                version,
                seconds(begun),
                store.engines().stream().map(e -> e.toLowerCase(Locale.ROOT)).toList(),
                options.durability().name().toLowerCase(Locale.ROOT),
                limits));
    }

    public Reply live(Request request) {
        return Reply.ok(Map.of("status", "live"));
    }

    /** Whether requests should be sent to this server. Reads only two flags, so it answers while everything else waits. */
    public Reply ready(Request request) {
        if (lifecycle.isStopping()) {
            return Reply.json(503, Map.of("status", "stopping"));
        }
        String failure = store.failure();
        return failure == null
                ? Reply.ok(Map.of("status", "ready"))
                : Reply.json(
                        503,
                        Map.of(
                                "status",
                                "failed",
                                "reason",
                                "an I/O operation failed; the log of the server names it"));
    }

    public Reply metrics(Request request) {
        PrometheusText text = new PrometheusText();
        metrics.writeTo(text);
        EngineGauges.write(store.stats(), store.failure() != null, text);
        return new Reply.Whole(200, Map.of("Content-Type", PrometheusText.CONTENT_TYPE), text.bytes());
    }

    public Reply stats(Request request) {
        return Reply.ok(store.stats());
    }

    public Reply checkpoint(Request request) {
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob()) {
            long start = System.nanoTime();
            store.checkpoint();
            return Reply.ok(Map.of("done", "checkpoint", "seconds", seconds(start)));
        }
    }

    public Reply openApi(Request request) {
        try (InputStream in = ServerHandlers.class.getResourceAsStream("openapi.json")) {
            if (in == null) {
                throw new IllegalStateException("openapi.json is not on the class path");
            }
            return new Reply.Whole(200, Map.of("Content-Type", "application/json"), in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("openapi.json cannot be read", e);
        }
    }

    static double seconds(long begunNanos) {
        return (System.nanoTime() - begunNanos) / 1e9;
    }
}
