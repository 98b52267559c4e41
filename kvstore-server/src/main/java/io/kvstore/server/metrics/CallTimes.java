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

/** The times of calls, by the name of the call. Safe for use by several threads. */
final class CallTimes {

    private static final double[] QUANTILES = {0.5, 0.9, 0.99, 0.999};
    private static final double NANOS = 1e9;

    private final Map<String, Times> byName = new ConcurrentHashMap<>();

    /** A timer, and the sum of its times, which the timer does not keep. */
    private record Times(Timer timer, Counter totalNanos) {
        Times() {
            this(new Timer(LockFreeExponentiallyDecayingReservoir.builder().build()), new Counter());
        }
    }

    void add(String name, long nanos) {
        Times times = byName.computeIfAbsent(name, _ -> new Times());
        times.timer().update(nanos, TimeUnit.NANOSECONDS);
        times.totalNanos().inc(nanos);
    }

    /** Writes the times as a metric. Its samples have the call's name as a label. */
    void writeTo(PrometheusText text, String metric, String label) {
        new TreeMap<>(byName).forEach((name, times) -> {
            Snapshot snapshot = times.timer().getSnapshot();
            for (double quantile : QUANTILES) {
                Map<String, String> labels = new LinkedHashMap<>();
                labels.put(label, name);
                labels.put("quantile", Double.toString(quantile));
                text.sample(metric, labels, snapshot.getValue(quantile) / NANOS);
            }
            Map<String, String> labels = Map.of(label, name);
            text.sample(metric + "_sum", labels, times.totalNanos().getCount() / NANOS);
            text.sample(metric + "_count", labels, times.timer().getCount());
        });
    }
}
