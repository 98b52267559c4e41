package io.kvstore.server.metrics;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Writes the Prometheus text format 0.0.4. The samples of a metric must be written one after the other. */
public final class PrometheusText {

    /** The media type of the format. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final StringBuilder text = new StringBuilder(4096);

    /** Begins a metric. */
    public void metric(String name, String type, String help) {
        text.append("# HELP ")
                .append(name)
                .append(' ')
                .append(help.replace("\\", "\\\\").replace("\n", "\\n"));
        text.append("\n# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    /** Writes one sample. Its labels are in the order of the map. */
    public void sample(String name, Map<String, String> labels, Number value) {
        text.append(name);
        char separator = '{';
        for (Map.Entry<String, String> label : labels.entrySet()) {
            text.append(separator).append(label.getKey()).append("=\"");
            text.append(
                    label.getValue().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"));
            text.append('"');
            separator = ',';
        }
        if (separator == ',') {
            text.append('}');
        }
        text.append(' ').append(number(value)).append('\n');
    }

    /** Writes a gauge of one sample. */
    public void gauge(String name, String help, Number value) {
        metric(name, "gauge", help);
        sample(name, Map.of(), value);
    }

    /** Writes a counter of one sample. */
    public void counter(String name, String help, Number value) {
        metric(name, "counter", help);
        sample(name, Map.of(), value);
    }

    private static String number(Number given) {
        if (given instanceof Long || given instanceof Integer) {
            return given.toString();
        }
        double value = given.doubleValue();
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }

    /** The text that was written. */
    public byte[] bytes() {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
