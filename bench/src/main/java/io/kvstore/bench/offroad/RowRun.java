package io.kvstore.bench.offroad;

import io.kvstore.bench.measure.DiskSampler;
import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.measure.Rest;
import io.kvstore.bench.measure.ThreadShares;
import io.kvstore.bench.store.Case.Work;
import io.kvstore.bench.store.Contender;
import io.kvstore.bench.store.ContenderKind;
import io.kvstore.bench.store.Crowd;
import io.kvstore.bench.store.StoreSetup;
import io.kvstore.bench.store.Workers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs one row of one store in this JVM, which has done nothing before.
 *
 * @param kind the store
 * @param row the row
 * @param budgetBytes memory for caches, page buffers and memtables together
 * @param quietMillis where a row waits for rest, the process must have been at rest for so long
 * @param parent an empty directory
 */
record RowRun(ContenderKind kind, Row row, long budgetBytes, long quietMillis, Path parent) {

    private static final int SEED = 1;
    private static final int SCAN_PART = 50;
    private static final long REST_SECONDS = 10;

    /** Measured work takes seconds in most stores, and half an hour in one that walks over all that was removed. */
    static final long MOST_MILLIS = 60_000;

    Figures run() throws Exception {
        Path directory = Files.createTempDirectory(parent, "store-");
        StoreSetup setup =
                new StoreSetup(directory, row.course().logging(), budgetBytes, false, row.shape(), row.entries());
        Contender contender = kind.open(setup);
        try (contender) {
            return switch (row.course()) {
                case AFTER_LOAD -> {
                    Crowd.Done loaded = load(contender, Work.PUT);
                    yield measure(contender).with("loadSeconds", loaded.seconds());
                }
                case QUEUE -> {
                    load(contender, Work.PUT_IN_ORDER);
                    yield measure(contender);
                }
                case AFTER_REMOVAL -> {
                    load(contender, Work.PUT);
                    remove(contender);
                    yield measure(contender);
                }
                case BESIDE_WRITER -> {
                    load(contender, Work.PUT);
                    yield besideWriter(contender);
                }
                case SETTLED -> settled(contender);
                case SPACE -> space(contender, directory);
                case YCSB -> new YcsbRun(contender, row).run();
            };
        }
    }

    private Workers workers(Contender contender, int threads) {
        return new Workers(contender, row.shape(), row.entries(), threads, SEED);
    }

    private Crowd.Done load(Contender contender, Work work) throws Exception {
        return workers(contender, 1).workThrough(work, row.entries());
    }

    private void remove(Contender contender) throws Exception {
        workers(contender, 1).workThrough(Work.REMOVE, row.entries() - 1 - (row.entries() - 1) / Work.KEPT_PART);
    }

    private Figures measure(Contender contender) throws Exception {
        return measure(contender, row.work(), row.operations());
    }

    private Figures measure(Contender contender, Work work, long operations) throws Exception {
        try (ThreadShares shares = new ThreadShares(Crowd.NAME)) {
            Crowd.Done done = workers(contender, row.threads()).workThrough(work, operations, MOST_MILLIS);
            return Figures.of(done.latencies(), done.seconds()).and(shares.figures());
        }
    }

    /** The measured work beside a thread that overwrites entries until that work has ended. */
    private Figures besideWriter(Contender contender) throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        try (ExecutorService pool = Executors.newSingleThreadExecutor()) {
            Future<Long> writer = pool.submit(() -> workers(contender, 1).workUntil(Work.OVERWRITE, ends::get));
            Figures figures;
            try {
                figures = measure(contender);
            } finally {
                ends.set(true);
            }
            return figures.with("writesPerSecond", writer.get() / figures.get("seconds"));
        }
    }

    /** Puts, and after rest a pass of each kind of reading and then the measured ones. */
    private Figures settled(Contender contender) throws Exception {
        Figures all = new Figures(Map.of());
        Crowd.Done put = load(contender, Work.PUT);
        all = all.and(Figures.of(put.latencies(), put.seconds()).under("put"));
        contender.flush();
        Rest.await(quietMillis);
        for (Work work : new Work[] {Work.GET, Work.SCAN}) {
            long operations = work == Work.SCAN ? Math.max(1, row.operations() / SCAN_PART) : row.operations();
            workers(contender, row.threads()).workThrough(work, operations);
            Rest.await(quietMillis);
            all = all.and(measure(contender, work, operations).under(work == Work.SCAN ? "scan" : "get"));
        }
        return all.and(all.only("get"));
    }

    /** The disk of a store of which nine of ten entries were removed, and the time to close it. */
    private Figures space(Contender contender, Path directory) throws Exception {
        load(contender, Work.PUT);
        try (ThreadShares shares = new ThreadShares(Crowd.NAME)) {
            long begin = System.nanoTime();
            remove(contender);
            double seconds = (System.nanoTime() - begin) / 1e9;
            TimeUnit.SECONDS.sleep(REST_SECONDS);
            long bytes = DiskSampler.bytes(directory);
            long closing = System.nanoTime();
            contender.close();
            return shares.figures()
                    .with("seconds", seconds)
                    .with("opsPerSecond", row.entries() / seconds)
                    .with("diskMiB", bytes / (double) (1 << 20))
                    .with("closeMillis", (System.nanoTime() - closing) / 1e6);
        }
    }
}
