package io.kvstore.bench.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * Threads that work on one store at the same time. They take the operations in turn.
 *
 * @param contender the store
 * @param shape the form of entries
 * @param entries the store has, or will have, the entries with lower numbers
 * @param threads the number of threads
 * @param seed determines the entries that they pick
 */
public record Workers(Contender contender, Shape shape, long entries, int threads, long seed) {

    private static final long HIGHEST_NANOS = 100_000_000_000L;

    /** With three digits the counts of 200 threads would take 46 MiB, and more of the processor's caches than the stores do. */
    private static final int DIGITS = 2;

    /**
     * The figures of finished work.
     *
     * @param latencies how long each operation took
     * @param seconds from the start of all threads to the end of the last one
     */
    public record Done(Histogram latencies, double seconds) {}

    /** Works until the given number of operations is done. */
    public Done workThrough(Case.Work work, long operations) throws InterruptedException, ExecutionException {
        return work(work, operations, Long.MAX_VALUE);
    }

    /** Works for the given time. */
    public Done workFor(Case.Work work, long millis) throws InterruptedException, ExecutionException {
        return work(work, Long.MAX_VALUE, millis * 1_000_000);
    }

    public static Histogram newHistogram() {
        return new Histogram(HIGHEST_NANOS, DIGITS);
    }

    private Done work(Case.Work work, long operations, long nanos) throws InterruptedException, ExecutionException {
        AtomicLong began = new AtomicLong();
        CyclicBarrier start = new CyclicBarrier(threads, () -> began.set(System.nanoTime()));
        Histogram all = newHistogram();
        long lastNanos = 0;
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Histogram> latencies = new ArrayList<>();
            List<Future<Long>> parts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int first = i;
                Histogram own = newHistogram();
                latencies.add(own);
                parts.add(pool.submit(() -> {
                    start.await();
                    work(own, work, first, operations, nanos);
                    return System.nanoTime() - began.get();
                }));
            }
            for (Future<Long> part : parts) {
                lastNanos = Math.max(lastNanos, part.get());
            }
            latencies.forEach(all::add);
        }
        return new Done(all, lastNanos / 1e9);
    }

    private void work(Histogram latencies, Case.Work work, int first, long operations, long nanos) throws IOException {
        try (Worker worker = new Worker(contender.session(), shape, entries, seed + first)) {
            long began = System.nanoTime();
            long begin = began;
            for (long number = first; number < operations && begin - began < nanos; number += threads) {
                worker.step(work, number);
                long end = System.nanoTime();
                latencies.recordValue(end - begin);
                begin = end;
            }
        }
    }
}
