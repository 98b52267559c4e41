package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The locks of several tables are given back, whatever there is no memory for. */
final class LocksOfTablesTest {

    /** Fails where a list would have to make something. */
    private static final class WithoutMemory extends AbstractList<OpenTable> {

        private final List<OpenTable> tables;

        WithoutMemory(List<OpenTable> tables) {
            this.tables = tables;
        }

        @Override
        public OpenTable get(int index) {
            return tables.get(index);
        }

        @Override
        public int size() {
            return tables.size();
        }

        @Override
        public Iterator<OpenTable> iterator() {
            throw new OutOfMemoryError("for the test");
        }

        @Override
        public List<OpenTable> reversed() {
            throw new OutOfMemoryError("for the test");
        }

        @Override
        public void forEach(Consumer<? super OpenTable> action) {
            throw new OutOfMemoryError("for the test");
        }
    }

    /** Whether another thread gets the lock. */
    private static boolean isFree(OpenTable table, long millis) throws Exception {
        FutureTask<Boolean> other = new FutureTask<>(() -> {
            table.lock().lock();
            table.lock().unlock();
            return true;
        });
        Thread thread = Thread.ofPlatform().daemon().start(other);
        thread.join(millis);
        return other.isDone() && other.get(1, TimeUnit.SECONDS);
    }

    @Test
    void they_are_given_back_without_memory() throws Exception {
        try (OpenStore store = WatchedEngine.open(1_000, (method, arguments) -> {})) {
            OpenTable first = WatchedEngine.table(store);
            OpenTable second =
                    store.schema().createTable("db", "u", "MODEL", first.info().properties());
            List<OpenTable> both = new WithoutMemory(List.of(first, second));
            OpenTable.lockAll(both);
            assertFalse(isFree(first, 20));
            assertFalse(isFree(second, 20));
            OpenTable.unlockAll(both);
            OpenTable.unlockAll(both);
            assertTrue(isFree(first, 60_000));
            assertTrue(isFree(second, 60_000));
        }
    }
}
