package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.durability.background.MonitorWaiter;
import io.kvstore.error.StoreClosedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Closing waits for every call under way and lets none in afterwards. */
final class CallGateTest {

    private static final long JOIN_MILLIS = 60_000;

    @Test
    void no_call_is_inside_once_closing_returned() throws InterruptedException {
        for (int round = 0; round < 50; round++) {
            CallGate gate = new CallGate();
            AtomicBoolean closed = new AtomicBoolean();
            AtomicInteger late = new AtomicInteger();
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                callers.add(Thread.ofPlatform().start(() -> callUntilClosed(gate, closed, late)));
            }
            LockSupport.parkNanos(100_000);
            gate.close(new MonitorWaiter());
            closed.set(true);
            for (Thread caller : callers) {
                caller.join(JOIN_MILLIS);
                assertFalse(caller.isAlive());
            }
            assertEquals(0, late.get());
        }
    }

    private static void callUntilClosed(CallGate gate, AtomicBoolean closed, AtomicInteger late) {
        try {
            while (true) {
                int ticket = gate.enter();
                late.addAndGet(closed.get() ? 1 : 0);
                gate.exit(ticket);
            }
        } catch (StoreClosedException e) {
            // the gate is closed: this caller is done
        }
    }

    /** A thread that makes a call, and cannot be noted meanwhile, as where there is no memory for the note. */
    private static final class Unnoted extends Thread {

        private final CallGate gate;
        private volatile boolean isCalling;
        private volatile boolean hasFailed;

        Unnoted(CallGate gate) {
            this.gate = gate;
        }

        @Override
        public int hashCode() {
            if (isCalling) {
                throw new OutOfMemoryError("for the test");
            }
            return 1;
        }

        @Override
        public void run() {
            isCalling = true;
            try {
                boolean _ = gate.run("the call", () -> true);
            } catch (OutOfMemoryError e) {
                hasFailed = true;
            } finally {
                isCalling = false;
            }
        }
    }

    /** Otherwise closing would wait for it for ever. */
    @Test
    void a_call_that_fails_at_its_beginning_has_left() throws InterruptedException {
        CallGate gate = new CallGate();
        Unnoted caller = new Unnoted(gate);
        caller.start();
        caller.join(JOIN_MILLIS);
        assertTrue(caller.hasFailed);
        AtomicBoolean freed = new AtomicBoolean();
        gate.retire(() -> freed.set(true));
        gate.reclaim();
        gate.reclaim();
        assertTrue(freed.get(), "a call is still inside");
        gate.close(new MonitorWaiter());
    }

    @Test
    void what_a_call_may_use_is_kept_until_it_has_left() {
        CallGate gate = new CallGate();
        AtomicBoolean freed = new AtomicBoolean();
        int ticket = gate.enter();
        gate.retire(() -> freed.set(true));
        gate.reclaim();
        gate.reclaim();
        assertFalse(freed.get());
        gate.exit(ticket);
        gate.reclaim();
        gate.reclaim();
        assertTrue(freed.get());
        gate.close(new MonitorWaiter());
        assertThrows(StoreClosedException.class, gate::enter);
    }
}
