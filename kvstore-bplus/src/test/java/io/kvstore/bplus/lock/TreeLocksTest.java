package io.kvstore.bplus.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The order in which a thread takes locks, which every test of the engine is checked for. */
final class TreeLocksTest {

    private final TreeLocks locks = new TreeLocks();
    private final List<RankedLock> inOrder =
            List.of(locks.longWork(), locks.checkpointing(), locks.merging(), locks.writing(), locks.putting());

    @BeforeEach
    void orderIsChecked() {
        assumeTrue(Boolean.getBoolean("kvstore.checkLockOrder"), "-Dkvstore.checkLockOrder=true, as the build has it");
    }

    @Test
    void locks_are_taken_in_the_order_of_their_ranks_and_no_other() {
        for (int first = 0; first < inOrder.size(); first++) {
            for (int second = 0; second < inOrder.size(); second++) {
                inOrder.get(first).lock();
                RankedLock wanted = inOrder.get(second);
                if (second < first) {
                    IllegalStateException refusal = assertThrows(IllegalStateException.class, wanted::lock);
                    assertEquals(
                            "the lock " + wanted.rank() + " is asked for by a thread that has "
                                    + inOrder.get(first).rank(),
                            refusal.getMessage());
                    assertFalse(wanted.isLocked());
                } else {
                    wanted.lock();
                    wanted.unlock();
                }
                inOrder.get(first).unlock();
            }
        }
        inOrder.forEach(lock -> assertFalse(lock.isLocked()));
    }

    @Test
    void a_lock_that_the_thread_has_is_taken_again_and_one_that_is_only_tried_too() {
        locks.longWork().lock();
        locks.putting().lock();
        locks.longWork().lock();
        assertTrue(locks.writing().tryLock());
        locks.writing().unlock();
        locks.longWork().unlock();
        locks.putting().unlock();
        assertTrue(locks.longWork().isHeldByCurrentThread());
        locks.longWork().unlock();
        assertFalse(locks.longWork().isLocked());
    }

    @Test
    void a_monitor_has_a_rank_too() {
        Object versions = new Object();
        locks.setMonitor(TreeLocks.Rank.VERSIONS, versions);
        synchronized (versions) {
            locks.putting().lock();
            locks.putting().unlock();
            IllegalStateException refusal = assertThrows(IllegalStateException.class, locks.writing()::lock);
            assertTrue(String.valueOf(refusal.getMessage()).contains("has VERSIONS"), refusal.getMessage());
        }
    }
}
