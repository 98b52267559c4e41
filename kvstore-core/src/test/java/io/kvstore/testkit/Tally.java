package io.kvstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.TestReporter;

/**
 * Counts what really happened in a suite, so that a blind spot of its generator shows. Names are {@code group.thing}. Safe
 * for use by several threads.
 */
public final class Tally {

    private static final Path REPORT = Path.of("target", "reliability-report.txt");
    private static final int LINE_COLUMNS = 110;

    private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();
    private final long startNanos = System.nanoTime();

    /** Counts one. */
    public void count(String what) {
        add(what, 1);
    }

    /** Counts several. */
    public void add(String what, long number) {
        counts.computeIfAbsent(what, any -> new LongAdder()).add(number);
    }

    /** How many there were. */
    public long of(String what) {
        LongAdder count = counts.get(what);
        return count == null ? 0 : count.sum();
    }

    /** How many there were of a group. */
    public long ofGroup(String group) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(group + "."))
                .mapToLong(entry -> entry.getValue().sum())
                .sum();
    }

    /** Publishes the counts and adds them to the report file of the module. */
    public void report(TestReporter reporter, String title) {
        String block = block(title);
        reporter.publishEntry("reliability", block);
        try {
            Files.createDirectories(REPORT.toAbsolutePath().getParent());
            Files.writeString(REPORT, block, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String block(String title) {
        Map<String, StringBuilder> groups = new TreeMap<>();
        counts.forEach((name, count) -> {
            int dot = name.indexOf('.');
            String group = dot < 0 ? "" : name.substring(0, dot);
            StringBuilder line = groups.computeIfAbsent(group, any -> new StringBuilder("  " + any + ":"));
            String item = " " + name.substring(dot + 1) + " " + count.sum();
            if (line.length() - line.lastIndexOf("\n") + item.length() > LINE_COLUMNS) {
                line.append("\n     ");
            }
            line.append(item);
        });
        long seconds = (System.nanoTime() - startNanos) / 1_000_000_000;
        StringBuilder block = new StringBuilder("\n" + title + " (" + seconds + " s)\n");
        groups.values().forEach(line -> block.append(line).append('\n'));
        return block.toString();
    }
}
