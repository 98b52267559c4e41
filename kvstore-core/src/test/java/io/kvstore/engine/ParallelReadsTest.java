package io.kvstore.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Workers;
import io.kvstore.durability.background.ThreadedBackground;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each read once, help only where reads wait, and nobody at a read when the caller goes on. */
@Tag("races")
final class ParallelReadsTest {

    private static final int SECONDS = 60;
    private static final int READS = 10;
    private static final int RUNS = 200;

    private final StepClock clock = new StepClock();
    private final StepBackground threads = new StepBackground(clock);
    private final ParallelReads reads = new ParallelReads(threads, clock);
    private final ParallelReads.Pace pace = new ParallelReads.Pace();
    private final List<Integer> made = new ArrayList<>();
    private final OutOfMemoryError error = new OutOfMemoryError("planted");

    private TableEngine.Load of(int count, ParallelReads.Read read) {
        return reads.of(count, pace, read);
    }

    private void fast(int number) {
        made.add(number);
    }

    private void slow(int number) {
        made.add(number);
        clock.advance(1);
    }

    @Test
    void fast_reads_are_made_by_the_caller_in_order() throws IOException {
        of(5, this::fast).run();
        assertEquals(List.of(0, 1, 2, 3, 4), made);
        assertEquals(0, threads.queued());
        assertFalse(pace.isSlow());
    }

    @Test
    void the_first_slow_read_asks_for_help() throws IOException {
        of(5, this::slow).run();
        assertEquals(List.of(0, 1, 2, 3, 4), made, "no helper came");
        assertEquals(3, threads.queued(), "one for each read that was left, but for the caller's");
        assertTrue(pace.isSlow());
    }

    @Test
    void slow_reads_are_remembered_until_reads_are_fast_again() throws IOException {
        of(1, this::slow).run();
        assertEquals(0, threads.queued(), "one read needs no help");
        of(3, this::fast).run();
        assertEquals(2, threads.queued(), "asked before the first read");
        assertFalse(pace.isSlow());
        threads.runAll();
        assertEquals(List.of(0, 0, 1, 2), made, "helpers that come late make none");
    }

    @Test
    void helpers_that_wait_for_a_thread_are_bounded() throws IOException {
        for (int i = 0; i < 100; i++) {
            of(64, this::slow).run();
        }
        assertEquals(ParallelReads.MOST_HELPERS, threads.queued());
        threads.runAll();
        of(64, this::slow).run();
        assertEquals(ParallelReads.MOST_HELPERS, threads.queued(), "they are asked again");
    }

    @Test
    void a_caller_without_helpers_makes_all() throws IOException {
        threads.refuseNext();
        of(4, this::slow).run();
        assertEquals(List.of(0, 1, 2, 3), made);
        assertEquals(0, threads.queued());
        threads.runAll();
        of(4, this::slow).run();
        assertEquals(3, threads.queued(), "a refusal is forgotten");
    }

    @Test
    void a_helper_stops_after_some_reads_and_asks_again() throws IOException {
        int count = 3 * ParallelReads.READS_OF_A_TURN;
        AtomicInteger helped = new AtomicInteger();
        of(count, number -> {
                    slow(number);
                    if (number == 1) { // the caller is at a read, and a helper has its turn
                        threads.runNext();
                        helped.set(made.size() - 2);
                    }
                })
                .run();
        assertEquals(ParallelReads.READS_OF_A_TURN, helped.get());
        assertEquals(count, made.size());
        assertEquals(ParallelReads.MOST_HELPERS, threads.queued(), "the one that had its turn waits for another one");
    }

    /** New runs come behind the one that a helper is at. */
    @Test
    void a_turn_of_a_helper_is_bounded_over_all_callers() throws IOException {
        AtomicInteger helped = new AtomicInteger();
        of(4, number -> {
                    slow(number);
                    if (number == 1) {
                        startOthers(8, helped);
                    }
                })
                .run();
        assertEquals(ParallelReads.READS_OF_A_TURN, helped.get());
    }

    private void startOthers(int left, AtomicInteger helped) throws IOException {
        if (left == 0) {
            int before = made.size();
            threads.runNext();
            helped.set(made.size() - before);
            return;
        }
        of(READS, number -> {
                    slow(number);
                    if (number == 0) {
                        startOthers(left - 1, helped);
                    }
                })
                .run();
    }

    @Test
    void one_that_shares_reads_and_makes_none_says_nothing_of_the_disk() throws IOException {
        TableEngine.Load load = of(4, this::slow);
        load.run();
        load.run();
        assertTrue(pace.isSlow());
    }

    @Test
    void no_read_is_begun_after_one_that_failed() {
        IOException failure = new IOException("a bad disk");
        IOException thrown = assertThrows(
                IOException.class,
                () -> of(5, number -> {
                            fast(number);
                            if (number == 2) {
                                throw failure;
                            }
                        })
                        .run());
        assertSame(failure, thrown);
        assertEquals(List.of(0, 1, 2), made);
    }

    @Test
    void an_error_of_a_read_is_the_callers() {
        assertSame(error, assertThrows(OutOfMemoryError.class, of(2, _ -> fail(error))::run));
    }

    private static void fail(Error error) {
        throw error;
    }

    @Test
    void a_helper_without_memory_leaves_all_reads_to_the_caller() throws IOException {
        AtomicBoolean isFull = new AtomicBoolean();
        of(5, number -> {
                    slow(number);
                    if (isFull.getAndSet(false)) {
                        throw error;
                    }
                    if (made.size() == 2) {
                        isFull.set(true);
                        assertSame(error, assertThrows(OutOfMemoryError.class, threads::runNext));
                    }
                })
                .run();
        assertEquals(List.of(0, 1, 2, 0, 1, 2, 3, 4), made);
        for (int i = 0; i < 100; i++) {
            of(64, this::slow).run();
        }
        assertEquals(ParallelReads.MOST_HELPERS, threads.queued(), "that helper counts no more");
    }

    @Test
    void a_caller_without_memory_fails_alone() throws IOException {
        AtomicBoolean isFull = new AtomicBoolean(true);
        TableEngine.Load load = of(4, number -> {
            fast(number);
            if (number == 1 && isFull.getAndSet(false)) {
                throw error;
            }
        });
        assertSame(error, assertThrows(OutOfMemoryError.class, load::run));
        load.run();
        assertEquals(List.of(0, 1, 0, 1, 2, 3), made);
    }

    @Test
    void one_that_meets_an_error_again_and_again_throws_it() throws IOException {
        TableEngine.Load load = of(4, number -> {
            slow(number);
            if (made.size() == 2) {
                assertSame(error, assertThrows(OutOfMemoryError.class, threads::runNext));
            } else if (made.size() > 2) {
                throw error;
            }
        });
        assertSame(error, assertThrows(OutOfMemoryError.class, load::run));
        assertSame(error, assertThrows(OutOfMemoryError.class, load::run));
        assertEquals(0, made.getLast(), "each begins with the first read");
    }

    /** Workers refuse with false. An error comes where the stack or the heap is full before they are called. */
    @Test
    void a_caller_that_cannot_ask_for_helpers_fails_alone_and_they_count_no_more() throws IOException {
        AtomicBoolean isFull = new AtomicBoolean();
        ParallelReads full = new ParallelReads(new FullBackground(isFull), clock);
        TableEngine.Load load = full.of(3, pace, this::slow);
        load.run();
        threads.runAll();
        isFull.set(true);
        for (int i = 0; i < ParallelReads.MOST_HELPERS; i++) {
            load = full.of(3, pace, this::slow);
            assertSame(error, assertThrows(OutOfMemoryError.class, load::run));
        }
        isFull.set(false);
        made.clear();
        load.run();
        assertEquals(List.of(0, 1, 2), made, "another one that shares these reads makes them");
        full.of(64, pace, this::slow).run();
        assertEquals(ParallelReads.MOST_HELPERS, threads.queued());
    }

    /** Errors come while helpers are asked. */
    private final class FullBackground implements Background {

        private final AtomicBoolean isFull;

        FullBackground(AtomicBoolean isFull) {
            this.isFull = isFull;
        }

        @Override
        public Workers reads() {
            return new Workers() {
                @Override
                public void execute(Runnable task) {
                    threads.execute(task);
                }

                @Override
                public boolean offer(Runnable task) {
                    if (isFull.get()) {
                        throw error;
                    }
                    return threads.offer(task);
                }
            };
        }

        @Override
        public void execute(Runnable task) {
            threads.execute(task);
        }

        @Override
        public Ticket every(long periodMillis, Runnable task) {
            return threads.every(periodMillis, task);
        }

        @Override
        public Waiter waiter() {
            return threads.waiter();
        }

        @Override
        public void close() {
            threads.close();
        }
    }

    /** Callers share reads with helpers, and one read of each run throws an error, in whatever thread. */
    @Test
    void callers_and_helpers_go_on_beside_errors() throws InterruptedException, IOException {
        AtomicLong nanos = new AtomicLong();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicInteger full = new AtomicInteger();
        try (ThreadedBackground background = new ThreadedBackground()) {
            ParallelReads slow = new ParallelReads(background, () -> nanos.addAndGet(1_000_000));
            for (int run = 0; run < RUNS; run++) {
                AtomicIntegerArray times = new AtomicIntegerArray(READS);
                AtomicBoolean isFull = new AtomicBoolean(true);
                TableEngine.Load load = slow.of(READS, pace, number -> {
                    if (number == READS / 2 && isFull.getAndSet(false)) {
                        throw error;
                    }
                    times.incrementAndGet(number);
                });
                share(load, times, full, failure);
            }
            assertNull(failure.get());
            assertTrue(full.get() < RUNS, "a helper has met some of the errors: " + full);
            AtomicInteger present = new AtomicInteger();
            slow.of(READS, pace, _ -> {
                        present.incrementAndGet();
                        spinUntil(() -> present.get() > 3);
                    })
                    .run();
        }
    }

    private static void share(
            TableEngine.Load load, AtomicIntegerArray times, AtomicInteger full, AtomicReference<Throwable> failure)
            throws InterruptedException {
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            callers.add(Thread.ofPlatform().start(() -> {
                try {
                    load.run();
                    for (int number = 0; number < READS; number++) {
                        assertTrue(times.get(number) > 0, "all are made when a caller returns");
                    }
                } catch (OutOfMemoryError e) {
                    full.incrementAndGet();
                } catch (Throwable e) {
                    failure.set(e);
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join(TimeUnit.SECONDS.toMillis(SECONDS));
            assertFalse(caller.isAlive());
        }
    }

    @Test
    void what_a_helper_has_thrown_is_the_callers_too() {
        IOException failure = new IOException("a bad disk");
        TableEngine.Load load = of(8, number -> {
            slow(number);
            if (number == 1) {
                threads.runNext();
            } else if (number == 2) {
                throw failure; // in the helper
            }
        });
        assertSame(failure, assertThrows(IOException.class, load::run));
        assertSame(failure, assertThrows(IOException.class, load::run), "and that of each who shares the reads");
        assertEquals(List.of(0, 1, 2), made);
    }

    @Test
    void several_threads_share_the_reads() throws InterruptedException {
        int count = 20_000;
        AtomicIntegerArray times = new AtomicIntegerArray(count);
        try (ThreadedBackground background = new ThreadedBackground()) {
            ParallelReads shared = new ParallelReads(background, System::nanoTime);
            TableEngine.Load load = shared.of(count, pace, number -> {
                times.incrementAndGet(number);
                if (number % 100 == 0) {
                    Thread.onSpinWait();
                }
            });
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                callers.add(Thread.ofPlatform().start(() -> {
                    try {
                        load.run();
                        for (int number = 0; number < count; number++) {
                            assertEquals(1, times.get(number), "all are made when a caller returns");
                        }
                    } catch (Throwable e) {
                        failure.set(e);
                    }
                }));
            }
            for (Thread caller : callers) {
                caller.join(TimeUnit.SECONDS.toMillis(SECONDS));
                assertFalse(caller.isAlive());
            }
            assertNull(failure.get());
        }
    }

    @Test
    void the_caller_waits_for_a_read_that_a_helper_has_begun() throws IOException {
        AtomicBoolean isHelped = new AtomicBoolean();
        AtomicInteger ended = new AtomicInteger();
        AtomicLong nanos = new AtomicLong();
        Thread caller = Thread.currentThread();
        try (ThreadedBackground background = new ThreadedBackground()) {
            ParallelReads slow = new ParallelReads(background, () -> nanos.addAndGet(1_000_000));
            TableEngine.Load load = slow.of(3, pace, number -> {
                if (!Thread.currentThread().equals(caller)) {
                    isHelped.set(true);
                    spinUntil(() -> caller.getState() == Thread.State.TIMED_WAITING);
                } else if (number > 0) {
                    spinUntil(isHelped::get);
                }
                ended.incrementAndGet();
            });
            load.run();
            assertEquals(3, ended.get());
            assertTrue(isHelped.get());
        }
    }

    private static void spinUntil(BooleanSupplier holds) {
        long begun = System.nanoTime();
        while (!holds.getAsBoolean()) {
            assertTrue(System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(SECONDS), "waited for a minute");
            Thread.onSpinWait();
        }
    }
}
