package io.kvstore.server.thrift;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The moments at which a connection ends, and calls that begin at the same time. */
final class CallStateTest {

    private final CallState state = new CallState(100);

    /** The call would lose its answer, and a snapshot that it opens would end with the connection. */
    @Test
    void no_call_begins_between_the_look_at_a_late_connection_and_its_end() throws Exception {
        AtomicBoolean hasSnapshot = new AtomicBoolean();
        AtomicReference<Thread> client = new AtomicReference<>();
        boolean ended = state.endIfLate(101, () -> {
            boolean isKept = hasSnapshot.get();
            Thread call = Thread.ofPlatform().start(() -> {
                if (state.beginCall(CallState.NEVER)) {
                    hasSnapshot.set(true);
                    state.endCall(200);
                }
            });
            client.set(call);
            while (call.getState() != Thread.State.BLOCKED && call.getState() != Thread.State.TERMINATED) {
                Thread.onSpinWait();
            }
            return isKept;
        });
        client.get().join();
        assertTrue(ended);
        assertFalse(hasSnapshot.get(), "a snapshot was opened on a connection that ended");
    }

    @Test
    void a_connection_is_late_by_the_deadline_that_its_last_step_set() {
        assertFalse(state.endIfLate(100, () -> false));
        assertTrue(state.beginCall(300));
        assertFalse(state.endIfLate(101, () -> false));
        state.deadline(CallState.NEVER);
        assertFalse(state.endIfLate(Long.MAX_VALUE - 1, () -> false));
        assertTrue(state.endCall(200));
        assertFalse(state.endIfLate(200, () -> false));
        assertFalse(state.endIfLate(201, () -> true));
        assertTrue(state.endIfLate(201, () -> false));
        assertFalse(state.beginCall(300));
        assertFalse(state.endCall(300));
    }

    @Test
    void a_busy_connection_is_not_kept_beyond_its_deadline() {
        assertTrue(state.beginCall(300));
        assertFalse(state.endIfIdle());
        assertTrue(state.isBusy());
        int[] asked = {0};
        assertTrue(state.endIfLate(301, () -> asked[0]++ == 0));
        assertEquals(0, asked[0]);
        assertFalse(state.isBusy());
    }

    @Test
    void an_idle_connection_is_ended_once() {
        assertTrue(state.endIfIdle());
        assertFalse(state.endIfIdle());
        assertFalse(state.beginCall(300));
    }
}
