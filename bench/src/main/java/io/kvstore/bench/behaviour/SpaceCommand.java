package io.kvstore.bench.behaviour;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.bench.measure.DiskSampler;
import io.kvstore.bench.measure.Document;
import io.kvstore.bench.measure.Machine;
import io.kvstore.bench.measure.Place;
import io.kvstore.bench.measure.WorkDirectory;
import io.kvstore.bench.store.Shape;
import io.kvstore.data.Durability;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the disk that a table takes while its entries are overwritten, and the rate and latencies of the writer. */
@Command(
        name = "space",
        mixinStandardHelpOptions = true,
        description =
                "The disk that a table takes while its entries are overwritten at full speed, with and without a log.")
public final class SpaceCommand implements Callable<Integer> {

    private static final int KEY_BYTES = 12;
    private static final long MEMORY_BYTES = 256 << 20;
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final double MIB = 1 << 20;

    @Option(
            names = "--engines",
            split = ",",
            defaultValue = "BPLUS,LSM",
            description = "Engines of the tables. Default: ${DEFAULT-VALUE}")
    private List<String> engines = List.of();

    @Option(
            names = "--values",
            split = ",",
            defaultValue = "100,1000,65536,1048576",
            description = "Bytes of the values, one table after the other. Default: ${DEFAULT-VALUE}")
    private List<Integer> values = List.of();

    @Option(
            names = "--live-mib",
            defaultValue = "100",
            description = "Live data of a table, in MiB. Default: ${DEFAULT-VALUE}")
    private long liveMib;

    @Option(
            names = "--seconds",
            defaultValue = "60",
            description = "How long entries are overwritten; 0.5 is half a second. Default: ${DEFAULT-VALUE}")
    private double seconds;

    @Option(
            names = "--rest-seconds",
            defaultValue = "10",
            description = "How long the table rests afterwards. Default: ${DEFAULT-VALUE}")
    private long restSeconds;

    @Mixin
    private Place place = new Place();

    @Mixin
    private Document document = new Document();

    @Override
    public Integer call() throws IOException, InterruptedException {
        document.requirePositive("--live-mib", liveMib);
        document.requirePositive("--seconds", seconds);
        PrintWriter out = document.begin("Space while entries are overwritten", Machine.lines());
        out.printf(
                Locale.ROOT,
                "- %d MiB of live data, keys of %d bytes in random order, one writer, %s s; memoryBytes 256 MiB%n%n",
                liveMib,
                KEY_BYTES,
                seconds == Math.rint(seconds) ? Long.toString((long) seconds) : Double.toString(seconds));
        out.println(
                "| engine | log | value bytes | most of tables, MiB | x live | most of the log, MiB | puts/s | MiB/s"
                        + " | p99.99, ms | longest, ms | tables after " + restSeconds + " s of rest, x live |");
        out.println("|---|---|---|---|---|---|---|---|---|---|---|");
        for (String engine : engines) {
            for (boolean logged : new boolean[] {false, true}) {
                for (int valueBytes : values) {
                    try (WorkDirectory data = WorkDirectory.in(place.directory())) {
                        print(out, engine, logged, valueBytes, measure(data.path(), engine, logged, valueBytes));
                    }
                }
            }
        }
        return 0;
    }

    private void print(PrintWriter out, String engine, boolean logged, int valueBytes, Found found) {
        double live = (double) entries(valueBytes) * (KEY_BYTES + valueBytes);
        double rate = found.puts.getTotalCount() / found.seconds;
        out.printf(
                Locale.ROOT,
                "| %s | %s | %d | %.0f | %.2f | %.0f | %.0f | %.1f | %.2f | %.0f | %.2f |%n",
                engine,
                logged ? "BUFFERED" : "off",
                valueBytes,
                found.mostTables / MIB,
                found.mostTables / live,
                found.mostLog / MIB,
                rate,
                rate * valueBytes / MIB,
                found.puts.getValueAtPercentile(99.99) / 1e6,
                found.puts.getMaxValue() / 1e6,
                found.restTables / live);
        out.flush();
    }

    /**
     * The figures of one table.
     *
     * @param puts the latencies of the overwriting puts, in nanoseconds
     * @param seconds the time of all these puts together
     */
    private record Found(long mostTables, long mostLog, long restTables, Histogram puts, double seconds) {}

    private long entries(int valueBytes) {
        return Math.max(1, (liveMib << 20) / (KEY_BYTES + valueBytes));
    }

    private Found measure(Path data, String engine, boolean logged, int valueBytes)
            throws IOException, InterruptedException {
        long entries = entries(valueBytes);
        KVStoreOptions options =
                KVStoreOptions.defaults().withDurability(Durability.BUFFERED).withMemoryBytes(MEMORY_BYTES);
        try (KVStore store = new KVStore(data, options)) {
            store.createDB("bench");
            Properties properties = new Properties();
            properties.put("ENABLE_WAL", logged);
            Table table = store.createTable("bench", "entries", engine, properties);
            byte[] value = new byte[valueBytes];
            SplittableRandom random = new SplittableRandom(1);
            random.nextBytes(value);
            for (long i = 0; i < entries; i++) {
                table.put(key(i), value);
            }
            table.flush();
            DiskSampler sampler = new DiskSampler(data);
            Histogram puts = new Histogram(LONGEST_NANOS, 3);
            long begun = System.nanoTime();
            long end = begun + (long) (seconds * 1e9);
            try (sampler) {
                for (long now = begun; now < end; ) {
                    ByteBuffer.wrap(value).putLong(0, random.nextLong());
                    table.put(key(random.nextLong(entries)), value);
                    long after = System.nanoTime();
                    puts.recordValue(Math.min(after - now, LONGEST_NANOS));
                    now = after;
                }
            }
            double took = (System.nanoTime() - begun) / 1e9;
            TimeUnit.SECONDS.sleep(restSeconds);
            long rest = DiskSampler.bytes(data.resolve("tables"));
            return new Found(sampler.mostTables(), sampler.mostLog(), rest, puts, took);
        }
    }

    /** The key of a number. The keys of consecutive numbers are in no order. */
    private static byte[] key(long number) {
        byte[] key = new byte[KEY_BYTES];
        Shape.WIDE.fillKey(number, key);
        return key;
    }
}
