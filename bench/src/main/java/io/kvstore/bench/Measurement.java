package io.kvstore.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * One measurement: puts from some threads for some time, after a warm-up that every subject gets alike.
 *
 * @param subject what is measured
 * @param load what is put
 * @param threads platform threads that put
 * @param millis how long they do
 */
record Measurement(SubjectKind subject, Load load, int threads, long millis) {

    private static final long WARM_UP_MILLIS = 1_000;
    private static final long HIGHEST_NANOS = 100_000_000_000L;

    /**
     * Runs here and now, in an empty directory.
     *
     * @param warmUpEntries entries put before, unsynced, by one thread: compile the code and fill the first memtables
     */
    Figures run(Path directory, int warmUpEntries) throws Exception {
        try (Subject opened = subject.open(directory, load.memTableBytes());
                ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Workload> workloads = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                workloads.add(new Workload(i + 1));
            }
            Workload before = new Workload(0);
            for (int i = 0; i < warmUpEntries; i++) {
                before.advance();
                opened.put(before.key(), before.value(), false);
            }
            drive(opened, pool, workloads, WARM_UP_MILLIS, Long.MAX_VALUE);
            if (load == Load.BURST) {
                opened.settle();
            }
            long syncs = opened.syncs();
            long cpuNanos = OwnProcess.cpuNanos();
            long writtenBytes = OwnProcess.writtenBytes();
            long begin = System.nanoTime();
            Histogram latencies = drive(opened, pool, workloads, millis, load.maxEntries());
            double seconds = (System.nanoTime() - begin) / 1e9;
            return Figures.of(latencies, seconds)
                    .with("syncs", (double) (syncs < 0 ? -1 : opened.syncs() - syncs))
                    .with("cpuMicrosPerOp", (OwnProcess.cpuNanos() - cpuNanos) / 1e3 / latencies.getTotalCount())
                    .with("writtenMiB", (OwnProcess.writtenBytes() - writtenBytes) / 1048576.0);
        }
    }

    private Histogram drive(
            Subject opened, ExecutorService pool, List<Workload> workloads, long forMillis, long maxEntries)
            throws InterruptedException, ExecutionException {
        CyclicBarrier start = new CyclicBarrier(workloads.size());
        List<Future<Histogram>> parts = new ArrayList<>();
        for (Workload workload : workloads) {
            parts.add(pool.submit(() -> {
                start.await();
                return put(opened, workload, System.nanoTime() + forMillis * 1_000_000, maxEntries / threads);
            }));
        }
        Histogram all = new Histogram(HIGHEST_NANOS, 3);
        for (Future<Histogram> part : parts) {
            all.add(part.get());
        }
        return all;
    }

    private Histogram put(Subject opened, Workload workload, long endNanos, long maxEntries) throws IOException {
        Histogram latencies = new Histogram(HIGHEST_NANOS, 3);
        long left = maxEntries;
        for (long begin = System.nanoTime(); begin < endNanos && left > 0; left--) {
            workload.advance();
            opened.put(workload.key(), workload.value(), load.isSynced());
            long end = System.nanoTime();
            latencies.recordValue(end - begin);
            begin = end;
        }
        return latencies;
    }
}
