package io.kvstore.bench.store;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;

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

    /** Works until the given number of operations is done. */
    public Crowd.Done workThrough(Case.Work work, long operations) throws InterruptedException, ExecutionException {
        return work(work, operations, Long.MAX_VALUE);
    }

    /** Works until the given number of operations is done, or, if it comes first, for the given time. */
    public Crowd.Done workThrough(Case.Work work, long operations, long mostMillis)
            throws InterruptedException, ExecutionException {
        return work(work, operations, mostMillis * 1_000_000);
    }

    /** Works for the given time. */
    public Crowd.Done workFor(Case.Work work, long millis) throws InterruptedException, ExecutionException {
        return work(work, Long.MAX_VALUE, millis * 1_000_000);
    }

    private Crowd.Done work(Case.Work work, long operations, long nanos)
            throws InterruptedException, ExecutionException {
        return new Crowd(threads).work(operations, nanos, thread -> {
            Worker worker = worker(thread);
            return new Crowd.Steps() {
                @Override
                public void step(long number) throws IOException {
                    worker.step(work, number);
                }

                @Override
                public void close() throws IOException {
                    worker.close();
                }
            };
        });
    }

    /** Works in the calling thread until the given condition holds. Returns the number of operations. */
    public long workUntil(Case.Work work, BooleanSupplier end) throws IOException {
        long number = 0;
        try (Worker worker = worker(0)) {
            while (!end.getAsBoolean()) {
                worker.step(work, number++);
            }
        }
        return number;
    }

    private Worker worker(int thread) throws IOException {
        return new Worker(contender.session(), shape, entries, seed + thread);
    }
}
