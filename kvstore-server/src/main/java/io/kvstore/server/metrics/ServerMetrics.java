package io.kvstore.server.metrics;

import com.codahale.metrics.Counter;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Counts and times the requests of the edges, by route and by status. Safe for use by several threads. */
public final class ServerMetrics {

    private final CallTimes byRoute = new CallTimes();
    private final Map<Integer, Counter> byStatus = new ConcurrentHashMap<>();
    private final Counter slowClients = new Counter();
    private final CallMetrics thrift = new CallMetrics();

    /** Counts one answered HTTP request. */
    public void answered(String route, int status, long nanos) {
        byRoute.add(route, nanos);
        byStatus.computeIfAbsent(status, code -> new Counter()).inc();
    }

    /** Counts a stream, import or file whose client was too slow. */
    public void slowClient() {
        slowClients.inc();
    }

    /** The metrics of the Thrift edge. */
    public CallMetrics thrift() {
        return thrift;
    }

    /** Writes everything that was counted, including the calls of Thrift. */
    public void writeTo(PrometheusText text) {
        String responses = "kvstore_http_responses_total";
        text.metric(responses, "counter", "Answers by status.");
        new TreeMap<>(byStatus)
                .forEach((status, count) ->
                        text.sample(responses, Map.of("status", status.toString()), count.getCount()));
        String slow = "kvstore_http_slow_clients_total";
        text.metric(slow, "counter", "Streams, imports and files that ended because the client was too slow.");
        text.sample(slow, Map.of(), slowClients.getCount());
        String seconds = "kvstore_http_request_seconds";
        text.metric(seconds, "summary", "Time from the request's head to the end of its answer, by route.");
        byRoute.writeTo(text, seconds, "route");
        thrift.writeTo(text);
    }
}
