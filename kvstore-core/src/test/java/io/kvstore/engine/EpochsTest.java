package io.kvstore.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is retired is freed, but never under a reader. */
@Tag("races")
final class EpochsTest {

    private static final int REPLACEMENTS = 60_000;

    private final Epochs epochs = new Epochs();

    /** Something that readers hold and the writer frees. */
    private static final class Box {
        private volatile boolean freed;
    }

    @Test
    void without_readers_it_is_freed_at_once() {
        AtomicBoolean freed = new AtomicBoolean();
        epochs.retire(() -> freed.set(true));
        epochs.reclaim();
        assertTrue(freed.get());
        assertEquals(0, epochs.pending());
    }

    @Test
    void reader_that_is_inside_holds_it_back_and_a_later_one_does_not() {
        AtomicBoolean freed = new AtomicBoolean();
        int early = epochs.enter();
        assertFalse(epochs.isQuiescent());
        epochs.retire(() -> freed.set(true));
        epochs.reclaim();
        int late = epochs.enter();
        for (int i = 0; i < 10; i++) {
            epochs.reclaim();
        }
        assertFalse(freed.get());
        assertEquals(1, epochs.pending());
        epochs.exit(early);
        epochs.reclaim();
        epochs.exit(late);
        epochs.reclaim();
        assertTrue(freed.get());
        assertTrue(epochs.isQuiescent());
    }

    @Test
    void more_readers_than_slots_are_counted_too() {
        ArrayDeque<Integer> tickets = new ArrayDeque<>();
        for (int i = 0; i < 400; i++) {
            tickets.add(epochs.enter());
        }
        AtomicBoolean freed = new AtomicBoolean();
        epochs.retire(() -> freed.set(true));
        while (tickets.size() > 1) {
            epochs.exit(tickets.remove());
            epochs.reclaim();
            assertFalse(freed.get());
        }
        assertFalse(epochs.isQuiescent());
        epochs.exit(tickets.remove());
        epochs.reclaim();
        assertTrue(freed.get());
        assertTrue(epochs.isQuiescent());
    }

    @Test
    void readers_never_hold_what_was_freed() throws InterruptedException {
        assertNull(race(2));
    }

    /** Readers follow one reference that a writer replaces all the time; what failed, or null. */
    private @Nullable String race(int readers) throws InterruptedException {
        AtomicReference<Box> shared = new AtomicReference<>(new Box());
        AtomicReference<@Nullable String> failure = new AtomicReference<>();
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger freed = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                while (!stop.get()) {
                    int ticket = epochs.enter();
                    Box box = shared.get();
                    for (int look = 0; look < 20; look++) {
                        if (box.freed) {
                            failure.set("a reader holds a freed box");
                        }
                    }
                    epochs.exit(ticket);
                }
            }));
        }
        for (int i = 0; i < REPLACEMENTS && failure.get() == null; i++) {
            Box old = shared.getAndSet(new Box());
            epochs.retire(() -> {
                old.freed = true;
                freed.incrementAndGet();
            });
        }
        stop.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        epochs.reclaim();
        epochs.reclaim();
        assertEquals(0, epochs.pending());
        assertTrue(freed.get() > 0);
        return failure.get();
    }
}
