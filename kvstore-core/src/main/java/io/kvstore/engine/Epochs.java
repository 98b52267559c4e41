package io.kvstore.engine;

import io.kvstore.error.Notices;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Epoch-based reclamation: the store knows when no reader can still see something that was unlinked. Readers take no lock, and
 * write no memory that other readers read on their path. After Fraser, "Practical lock-freedom" (2004), chapter 5.
 *
 * <h2>Protocol</h2>
 *
 * <p>A reader calls {@link #enter()}, follows references, copies the data that it needs and calls {@link #exit}. A reader of an
 * engine's structures never waits in between. A thread that unlinks something calls {@link #retire}. The action that it passes
 * runs once the epoch has advanced twice since.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The epoch advances from e to e+1 only when no reader is inside that entered before e. So when e+1 begins, all readers
 *       inside entered in e or e+1. An object that was retired in e has no reader once e+2 has begun.
 *   <li>A reader publishes its epoch with sequentially consistent order before it follows a reference, and reads the epoch
 *       again after publishing. So either an advance sees the reader, or the reader sees the advance.
 * </ol>
 *
 * <p>A reader takes one of 1,024 slots, each on a cache line of its own. The slot is chosen by the reader's thread. If that
 * slot and the seven after it are taken, the reader counts itself in a shared counter of its epoch. There are several times as
 * many slots as a busy program has threads, because a reader keeps its slot while it is inside. That includes a call that waits
 * for a lock, as the calls of {@code CallGate} do. With 200 of 256 slots taken, each search was long.
 */
public final class Epochs {

    private static final int SLOT_BITS = 10;
    private static final int SLOTS = 1 << SLOT_BITS;
    private static final int STRIDE = 64 / Long.BYTES;
    private static final int PROBES = 8;
    private static final long FREE = 0;

    private final AtomicLong epoch = new AtomicLong(1);
    private final AtomicLongArray slots = new AtomicLongArray(SLOTS * STRIDE);
    private final AtomicIntegerArray overflow = new AtomicIntegerArray(4);
    private final ArrayDeque<Retired> retired = new ArrayDeque<>();

    /** Made when it is first asked for. */
    private volatile @Nullable Epochs users;

    private record Retired(long epoch, Runnable action) {}

    /**
     * The epochs of readers that run code of the user, and may stay inside for any time. Actions passed to
     * {@link #retireFromUsers} wait for them, and nothing else does.
     */
    public Epochs users() {
        Epochs made = users;
        if (made != null) {
            return made;
        }
        synchronized (retired) {
            Epochs ofUsers = users;
            if (ofUsers == null) {
                ofUsers = new Epochs();
                users = ofUsers;
            }
            return ofUsers;
        }
    }

    /** Begins a read. The same call path hands the result to {@link #exit}. */
    public int enter() {
        int start = slotOf(Thread.currentThread().threadId());
        for (int probe = 0; probe < PROBES; probe++) {
            int slot = (start + probe) & (SLOTS - 1);
            if (slots.getPlain(slot * STRIDE) == FREE) {
                long now = epoch.get();
                if (slots.compareAndSet(slot * STRIDE, FREE, now)) {
                    return settled(slot, now);
                }
            }
        }
        return enterOverflow();
    }

    private int settled(int slot, long published) {
        long seen = published;
        for (long now = epoch.get(); now != seen; now = epoch.get()) {
            slots.set(slot * STRIDE, now);
            seen = now;
        }
        return slot;
    }

    private int enterOverflow() {
        while (true) {
            long now = epoch.get();
            int counter = (int) (now & 3);
            overflow.incrementAndGet(counter);
            if (epoch.get() == now) {
                return SLOTS + counter;
            }
            overflow.decrementAndGet(counter);
        }
    }

    public void exit(int ticket) {
        if (ticket < SLOTS) {
            slots.setRelease(ticket * STRIDE, FREE);
        } else {
            overflow.decrementAndGet(ticket - SLOTS);
        }
    }

    /** Runs the action when every reader that is inside now has left. That may be at once, on the calling thread. */
    public void retire(Runnable action) {
        synchronized (retired) {
            retired.add(new Retired(epoch.get(), action));
        }
        reclaim();
    }

    /** Runs the action when the readers that are inside now have left, those of {@link #users} among them. */
    public void retireFromUsers(Runnable action) {
        retire(() -> {
            Epochs ofUsers = users;
            if (ofUsers == null) {
                action.run(); // a reader that comes now does not find it any more
            } else {
                ofUsers.retire(action);
            }
        });
    }

    /**
     * Advances the epoch as far as readers allow, and runs the actions that have become due. An action that throws something is
     * reported, and the other actions still run: the caller has retired something else, or nothing. Nobody waits for the epoch
     * while nothing is retired, so it stays then.
     */
    public void reclaim() {
        for (int step = 0; step < 2 && hasRetired() && tryAdvance(); step++) {
            // each step advances the epoch by one
        }
        for (Runnable due = pollDue(); due != null; due = pollDue()) {
            try {
                due.run();
            } catch (Throwable e) {
                Notices.error(Epochs.class, null, "what nobody uses any more could not be let go", e);
            }
        }
        Epochs ofUsers = users;
        if (ofUsers != null) {
            ofUsers.reclaim();
        }
    }

    private boolean hasRetired() {
        synchronized (retired) {
            return !retired.isEmpty();
        }
    }

    public int pending() {
        Epochs ofUsers = users;
        synchronized (retired) {
            return retired.size() + (ofUsers == null ? 0 : ofUsers.pending());
        }
    }

    /** Whether no reader is inside. */
    public boolean isQuiescent() {
        for (int slot = 0; slot < SLOTS; slot++) {
            if (slots.get(slot * STRIDE) != FREE) {
                return false;
            }
        }
        for (int counter = 0; counter < overflow.length(); counter++) {
            if (overflow.get(counter) != 0) {
                return false;
            }
        }
        return true;
    }

    private boolean tryAdvance() {
        long now = epoch.get();
        for (int slot = 0; slot < SLOTS; slot++) {
            long entered = slots.get(slot * STRIDE);
            if (entered != FREE && entered < now) {
                return false;
            }
        }
        for (long old = now - 2; old < now; old++) {
            if (overflow.get((int) (old & 3)) != 0) {
                return false;
            }
        }
        return epoch.compareAndSet(now, now + 1);
    }

    private @Nullable Runnable pollDue() {
        synchronized (retired) {
            Retired first = retired.peek();
            if (first == null || first.epoch() + 2 > epoch.get()) {
                return null;
            }
            retired.remove();
            return first.action();
        }
    }

    private static int slotOf(long threadId) {
        long mixed = threadId * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> (Long.SIZE - SLOT_BITS));
    }
}
