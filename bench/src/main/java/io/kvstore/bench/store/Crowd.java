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
 * Platform threads that work at the same time. They take the numbers of operations in turn.
 *
 * @param threads the number of threads
 */
public record Crowd(int threads) {

    /** The names of all threads of a crowd begin with it. */
    public static final String NAME = "bench-work-";

    private static final long HIGHEST_NANOS = 100_000_000_000L;

    /** With three digits the counts of 200 threads would take 46 MiB, and more of the processor's caches than the stores do. */
    private static final int DIGITS = 2;

    /** The operations of one thread, which also closes them. */
    public interface Steps extends AutoCloseable {
        void step(long number) throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Makes the operations of a thread, in that thread. */
    @FunctionalInterface
    public interface Maker {
        Steps make(int thread) throws Exception;
    }

    /**
     * The figures of finished work.
     *
     * @param latencies how long each operation took
     * @param seconds from the start of all threads to the end of the last one
     */
    public record Done(Histogram latencies, double seconds) {}

    public static Histogram newHistogram() {
        return new Histogram(HIGHEST_NANOS, DIGITS);
    }

    /** Works until the given number of operations is done, or, if it comes first, for the given time. */
    public Done work(long operations, long nanos, Maker maker) throws InterruptedException, ExecutionException {
        AtomicLong began = new AtomicLong();
        CyclicBarrier start = new CyclicBarrier(threads, () -> began.set(System.nanoTime()));
        Histogram all = newHistogram();
        long lastNanos = 0;
        try (ExecutorService pool = Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().name(NAME, 0).factory())) {
            List<Histogram> latencies = new ArrayList<>();
            List<Future<Long>> parts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int first = i;
                Histogram own = newHistogram();
                latencies.add(own);
                parts.add(pool.submit(() -> {
                    start.await();
                    try (Steps steps = maker.make(first)) {
                        work(own, steps, first, operations, nanos);
                    }
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

    private void work(Histogram latencies, Steps steps, int first, long operations, long nanos) throws IOException {
        long began = System.nanoTime();
        long begin = began;
        for (long number = first; number < operations && begin - began < nanos; number += threads) {
            steps.step(number);
            long end = System.nanoTime();
            latencies.recordValue(end - begin);
            begin = end;
        }
    }
}
