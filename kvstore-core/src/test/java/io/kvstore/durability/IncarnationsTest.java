package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files of tables that are gone. */
@Timeout(60)
final class IncarnationsTest {

    private static final long STALL_MILLIS = 5_000;

    private final CountDownLatch deleting = new CountDownLatch(1);
    private final CountDownLatch closingNext = new CountDownLatch(1);
    private final AtomicInteger closed = new AtomicInteger();
    private final AtomicBoolean isBeside = new AtomicBoolean();

    private void watch(String method) throws InterruptedException {
        if (!method.equals("close")) {
            return;
        }
        if (closed.incrementAndGet() == 1) {
            deleting.countDown();
            isBeside.set(closingNext.await(100, TimeUnit.MILLISECONDS));
        } else {
            closingNext.countDown();
        }
    }

    @Test
    void closing_a_store_waits_for_a_table_that_is_being_deleted() throws IOException, InterruptedException {
        SimStorage disk = new SimStorage();
        try (OpenStore store = WatchedEngine.open(disk, STALL_MILLIS, (method, _) -> watch(method))) {
            OpenTable table = WatchedEngine.table(store);
            store.schema().createTable("db", "other", "MODEL", table.info().properties());
            store.schema().dropTable("db", "t");
            assertTrue(deleting.await(30, TimeUnit.SECONDS));
        }
        assertEquals(2, closed.get());
        assertFalse(isBeside.get(), "the next table was closed beside it");
        assertEquals(0, disk.openResources());
    }
}
