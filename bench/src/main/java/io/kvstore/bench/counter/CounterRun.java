package io.kvstore.bench.counter;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.store.Crowd;
import io.kvstore.data.Durability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.ExecutionException;

/**
 * Changes one key from many threads in this JVM, in a table with the settings of the duel's puts, and checks its last value.
 *
 * @param engine the engine of the table
 * @param logged whether changes survive the end of the process
 * @param work the change
 * @param threads the number of threads
 * @param operations the changes that are measured, of all threads together
 */
record CounterRun(String engine, boolean logged, Work work, int threads, long operations) {

    /** The changes. */
    enum Work {
        /** A put of a number in decimal text. */
        PUT,
        /** An addition of one. */
        ADD
    }

    private static final long MEMORY_BYTES = 256L << 20;
    private static final byte[] KEY = "counter".getBytes(StandardCharsets.US_ASCII);

    /** The number at the start. The text of all later ones has as many digits, so each change writes the same bytes. */
    private static final long START = 1_000_000_000_000_000L;

    /** The name of the figures. */
    String name() {
        return engine + "." + (logged ? "BUFFERED" : "OFF") + "." + threads + "." + work;
    }

    /** Measures in an empty directory. The warm-up does as many changes as the measurement. */
    Figures run(Path directory) throws IOException, InterruptedException, ExecutionException {
        KVStoreOptions options =
                KVStoreOptions.defaults().withDurability(Durability.BUFFERED).withMemoryBytes(MEMORY_BYTES);
        try (KVStore store = new KVStore(directory, options)) {
            store.createDB("bench");
            Properties properties = new Properties();
            properties.put("ENABLE_WAL", logged);
            Table table = store.createTable("bench", "counters", engine, properties);
            table.put(KEY, text(START));
            change(table, operations);
            Crowd.Done done = change(table, operations);
            check(table);
            return Figures.of(done.latencies(), done.seconds());
        }
    }

    private Crowd.Done change(Table table, long changes) throws InterruptedException, ExecutionException {
        return new Crowd(threads).work(changes, Long.MAX_VALUE, thread -> new Crowd.Steps() {
            @Override
            public void step(long number) {
                switch (work) {
                    case PUT -> table.put(KEY, text(START + number));
                    case ADD -> table.add(KEY, 1);
                }
            }

            @Override
            public void close() {
                // The store is closed by its opener.
            }
        });
    }

    /** No addition may be lost. Of the puts, any thread's last one may be the last. */
    private void check(Table table) {
        long number = table.add(KEY, 0) - START;
        boolean fine = switch (work) {
            case PUT -> number >= 0 && number < operations;
            case ADD -> number == 2 * operations;
        };
        if (!fine) {
            throw new IllegalStateException(
                    name() + ": the number is " + number + " after 2 x " + operations + " changes");
        }
    }

    private static byte[] text(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }
}
