package io.kvstore.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.LockFreeExponentiallyDecayingReservoir;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.Timer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Counts and times the requests of the edge, by route and by status. Safe for use by several threads. */
public final class ServerMetrics {

    private static final double[] QUANTILES = {0.5, 0.9, 0.99, 0.999};
    private static final double NANOS = 1e9;

    private final Map<String, RouteTimes> byRoute = new ConcurrentHashMap<>();
    private final Map<Integer, Counter> byStatus = new ConcurrentHashMap<>();

    /** A timer, and the total that it does not keep. */
    private record RouteTimes(Timer timer, Counter totalNanos) {
        RouteTimes() {
            this(new Timer(LockFreeExponentiallyDecayingReservoir.builder().build()), new Counter());
        }
    }

    /** Counts one answered request. */
    public void answered(String route, int status, long nanos) {
        RouteTimes times = byRoute.computeIfAbsent(route, name -> new RouteTimes());
        times.timer().update(nanos, TimeUnit.NANOSECONDS);
        times.totalNanos().inc(nanos);
        byStatus.computeIfAbsent(status, code -> new Counter()).inc();
    }

    /** Writes everything that was counted. */
    public void writeTo(PrometheusText text) {
        String responses = "kvstore_http_responses_total";
        text.metric(responses, "counter", "Answers by status.");
        new TreeMap<>(byStatus)
                .forEach((status, count) ->
                        text.sample(responses, Map.of("status", status.toString()), count.getCount()));
        String seconds = "kvstore_http_request_seconds";
        text.metric(seconds, "summary", "Time from the request's head to the end of its answer, by route.");
        new TreeMap<>(byRoute).forEach((route, times) -> {
            Snapshot snapshot = times.timer().getSnapshot();
            for (double quantile : QUANTILES) {
                Map<String, String> labels = new LinkedHashMap<>();
                labels.put("route", route);
                labels.put("quantile", Double.toString(quantile));
                text.sample(seconds, labels, snapshot.getValue(quantile) / NANOS);
            }
            Map<String, String> labels = Map.of("route", route);
            text.sample(seconds + "_sum", labels, times.totalNanos().getCount() / NANOS);
            text.sample(seconds + "_count", labels, times.timer().getCount());
        });
    }
}
