package io.kvstore.bench.behaviour;

import io.kvstore.BackupInfo;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures backups of a store beside {@code cp} of its files, and the puts of a writer meanwhile. */
@Command(
        name = "backup",
        mixinStandardHelpOptions = true,
        description = "Backups and copies of a store beside 'cp' of its files, alone and beside a writer.")
public final class BackupCommand implements Callable<Integer> {

    private static final long MEMORY_BYTES = 256 << 20;
    private static final int ENTRY_BYTES = Shape.WIDE.entryBytes();
    private static final String ALONE = "writer alone";
    private static final String CP = "cp";

    @Option(
            names = "--engines",
            split = ",",
            defaultValue = "LSM,BPLUS",
            description = "Engines of the tables, one store after the other. Default: ${DEFAULT-VALUE}")
    private List<String> engines = List.of();

    @Option(names = "--mb", defaultValue = "2500", description = "Live data of a store. Default: ${DEFAULT-VALUE}")
    private long megabytes;

    @Option(names = "--rounds", defaultValue = "3", description = "Rounds of all cases. Default: ${DEFAULT-VALUE}")
    private int rounds;

    @Option(
            names = "--seconds",
            defaultValue = "10",
            description = "How long the writer is measured alone, and how long the store rests before that."
                    + " Default: ${DEFAULT-VALUE}")
    private long seconds;

    @Mixin
    private Place place = new Place();

    @Mixin
    private Document document = new Document();

    @Override
    public Integer call() throws IOException, InterruptedException {
        document.requirePositive("--mb", megabytes);
        document.requirePositive("--rounds", rounds);
        PrintWriter out = document.begin("Backups beside cp", Machine.lines());
        out.printf(
                Locale.ROOT,
                "- %d MB of entries of %d bytes, loaded in random order, BUFFERED, memoryBytes 256 MiB%n%n",
                megabytes,
                ENTRY_BYTES);
        for (String engine : engines) {
            out.println("| engine | round | case | MB | seconds | MB/s | puts/s meanwhile |");
            out.println("|---|---|---|---|---|---|---|");
            try (WorkDirectory data = WorkDirectory.in(place.directory())) {
                measure(out, engine, data.path());
            }
        }
        return 0;
    }

    /** Copies the store in some way into a directory that is not there yet. Returns the bytes that it wrote. */
    @FunctionalInterface
    private interface Copy {
        long run(Path target) throws IOException, InterruptedException;
    }

    private record Case(String name, Copy copy) {}

    private void measure(PrintWriter out, String engine, Path data) throws IOException, InterruptedException {
        Path home = data.resolve("store");
        long entries = megabytes * 1_000_000 / ENTRY_BYTES;
        KVStoreOptions options =
                KVStoreOptions.defaults().withDurability(Durability.BUFFERED).withMemoryBytes(MEMORY_BYTES);
        try (KVStore store = new KVStore(home, options)) {
            store.createDB("bench");
            Table table = store.createTable("bench", "entries", engine);
            fill(table, entries);
            List<Case> cases = List.of(
                    new Case(CP, target -> cp(home, target, false)),
                    new Case("cp and sync", target -> cp(home, target, true)),
                    new Case("backup", target -> store.backup(target).writtenBytes()),
                    new Case("checkpointTo", target -> {
                        store.checkpointTo(target);
                        return DiskSampler.bytes(target);
                    }));
            CopySummary summary = new CopySummary(ALONE, CP);
            for (int round = 1; round <= rounds; round++) {
                String start = "| " + engine + " | " + round + " | ";
                store.checkpoint();
                TimeUnit.SECONDS.sleep(seconds);
                for (Case each : cases) {
                    print(out, start + each.name(), timed(each.copy(), place.directory(), null));
                }
                incremental(out, start, store, table, entries);
                besideWriter(out, start, new Writer(table, entries), cases, summary);
            }
            summary.print(out, engine);
        }
    }

    private static void fill(Table table, long entries) {
        byte[] key = new byte[Shape.WIDE.keyBytes()];
        byte[] value = new byte[Shape.WIDE.valueBytes()];
        SplittableRandom random = new SplittableRandom(1);
        for (long i = 0; i < entries; i++) {
            Shape.WIDE.fillKey(i, key);
            random.nextBytes(value);
            table.put(key, value);
        }
        table.flush();
    }

    private void incremental(PrintWriter out, String start, KVStore store, Table table, long entries)
            throws IOException {
        try (WorkDirectory repository = WorkDirectory.in(place.directory())) {
            store.backup(repository.path());
            Writer writer = new Writer(table, entries);
            for (long i = 0; i < entries / 100; i++) {
                writer.put();
            }
            long begun = System.nanoTime();
            BackupInfo second = store.backup(repository.path());
            double took = (System.nanoTime() - begun) / 1e9;
            print(
                    out,
                    start + "backup after 1 % of overwrites",
                    new CopyWindow(second.writtenBytes(), took, Double.NaN));
        }
    }

    /** Measures each case between two windows of the writer alone, which begin when it has written for as long. */
    private void besideWriter(PrintWriter out, String start, Writer writer, List<Case> cases, CopySummary summary)
            throws IOException, InterruptedException {
        writer.start();
        try {
            TimeUnit.SECONDS.sleep(seconds);
            Copy none = target -> {
                TimeUnit.SECONDS.sleep(seconds);
                return 0;
            };
            for (Case each : cases) {
                CopyWindow alone = timed(none, place.directory(), writer);
                print(out, start + ALONE, alone);
                summary.add(ALONE, alone);
                CopyWindow copy = timed(each.copy(), place.directory(), writer);
                print(out, start + each.name() + " beside the writer", copy);
                summary.add(each.name(), copy);
            }
            CopyWindow last = timed(none, place.directory(), writer);
            print(out, start + ALONE, last);
            summary.add(ALONE, last);
        } finally {
            writer.end();
        }
    }

    private static CopyWindow timed(Copy copy, Path parent, @Nullable Writer writer)
            throws IOException, InterruptedException {
        try (WorkDirectory place = WorkDirectory.in(parent)) {
            long before = writer == null ? 0 : writer.done;
            long begun = System.nanoTime();
            long bytes = copy.run(place.path().resolve("copy"));
            double took = (System.nanoTime() - begun) / 1e9;
            return new CopyWindow(bytes, took, writer == null ? Double.NaN : writer.done - before);
        }
    }

    /** Copies the files that are there now. One that is deleted meanwhile is left out, so the status does not count. */
    private static long cp(Path home, Path target, boolean synced) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("sh", "-c"));
        command.add(synced ? "cp -r \"$0\" \"$1\"; find \"$1\" -type f -exec sync {} +" : "cp -r \"$0\" \"$1\"");
        command.addAll(List.of(home.toString(), target.toString()));
        new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        return DiskSampler.bytes(target);
    }

    private static void print(PrintWriter out, String start, CopyWindow window) {
        out.printf(
                Locale.ROOT,
                "%s | %.0f | %.2f | %.0f | %s |%n",
                start,
                window.megabytes(),
                window.seconds(),
                window.megabytesPerSecond(),
                Double.isNaN(window.puts()) ? "" : String.format(Locale.ROOT, "%.0f", window.putsPerSecond()));
        out.flush();
    }

    /** Overwrites entries at random, at full speed once started. */
    private static final class Writer extends Thread {

        private final Table table;
        private final long entries;
        private final SplittableRandom random = new SplittableRandom();
        private final byte[] key = new byte[Shape.WIDE.keyBytes()];
        private final byte[] value = new byte[Shape.WIDE.valueBytes()];
        private volatile long done;
        private volatile boolean stopped;

        Writer(Table table, long entries) {
            super("bench-writer");
            this.table = table;
            this.entries = entries;
        }

        void put() {
            Shape.WIDE.fillKey(random.nextLong(entries), key);
            random.nextBytes(value);
            table.put(key, value);
        }

        @Override
        public void run() {
            for (long count = 1; !stopped; count++) {
                put();
                done = count;
            }
        }

        void end() throws InterruptedException {
            stopped = true;
            join();
        }
    }
}
