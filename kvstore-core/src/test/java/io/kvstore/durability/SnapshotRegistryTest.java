package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.data.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Against a list of what is open. */
final class SnapshotRegistryTest {

    private final SnapshotRegistry registry = new SnapshotRegistry(Clock.system());

    private record Open(AutoCloseable reader, long lsn) {}

    private static AutoCloseable reader() {
        return new AutoCloseable() {
            @Override
            public void close() {
                // only its identity counts
            }
        };
    }

    @Test
    void what_is_open_is_known_by_lsn() {
        SplittableRandom random = new SplittableRandom(5);
        List<Open> open = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            if (open.isEmpty() || random.nextInt(open.size() + 20) < 20) {
                Open one = new Open(reader(), random.nextInt(1, 50));
                registry.add(one.reader(), one::lsn);
                open.add(one);
            } else {
                registry.remove(open.remove(random.nextInt(open.size())).reader());
            }
            long[] lsns = open.stream().mapToLong(Open::lsn).sorted().distinct().toArray();
            assertArrayEquals(lsns, registry.openLsns());
            assertEquals(lsns.length == 0 ? 0 : lsns[lsns.length - 1], registry.newestLsn());
            assertEquals(open.size(), registry.count());
        }
        registry.remove(reader());
        assertEquals(open.size(), registry.count());
    }

    /** A thread that asks while a reader finds its lsn is told of that reader. */
    @Test
    void no_reader_is_added_below_an_operation_of_which_another_thread_knew() throws Exception {
        FutureTask<long[]> open = new FutureTask<>(registry::openLsns);
        FutureTask<Long> newest = new FutureTask<>(registry::newestLsn);
        List<Thread> asking = List.of(new Thread(open), new Thread(newest));
        registry.add(reader(), () -> {
            asking.forEach(Thread::start);
            while (asking.stream().anyMatch(one -> one.getState() == Thread.State.RUNNABLE)) {
                Thread.onSpinWait();
            }
            return 5;
        });
        assertArrayEquals(new long[] {5}, open.get());
        assertEquals(5, newest.get());
    }

    /** As where there is no memory for another entry. */
    @Test
    void what_cannot_be_added_is_not_seen() {
        AutoCloseable unlucky = new AutoCloseable() {
            @Override
            public int hashCode() {
                throw new OutOfMemoryError("injected");
            }

            @Override
            public void close() {
                // never opened
            }
        };
        registry.add(reader(), () -> 3);
        assertThrows(OutOfMemoryError.class, () -> registry.add(unlucky, () -> 5));
        assertThrows(OutOfMemoryError.class, () -> registry.add(unlucky, () -> 3));
        assertArrayEquals(new long[] {3}, registry.openLsns());
        assertEquals(3, registry.newestLsn());
    }
}
