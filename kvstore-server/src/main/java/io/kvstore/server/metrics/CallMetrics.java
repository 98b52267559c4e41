package io.kvstore.server.metrics;

import com.codahale.metrics.Counter;
import java.util.Map;

/** Counts and times the calls of the Thrift edge, by method. Safe for use by several threads. */
public final class CallMetrics {

    private final CallTimes times = new CallTimes();
    private final Counter refused = new Counter();

    /** Counts one answered call. */
    public void answered(String method, long begunNanos) {
        times.add(method, System.nanoTime() - begunNanos);
    }

    /** Counts a connection that was closed at once because there were too many. */
    public void refused() {
        refused.inc();
    }

    void writeTo(PrometheusText text) {
        String seconds = "kvstore_thrift_call_seconds";
        text.metric(seconds, "summary", "Time from the call's last byte to the end of its answer, by method.");
        times.writeTo(text, seconds, "method");
        String connections = "kvstore_thrift_refused_connections_total";
        text.metric(connections, "counter", "Connections that were closed because there were too many.");
        text.sample(connections, Map.of(), refused.getCount());
    }
}
