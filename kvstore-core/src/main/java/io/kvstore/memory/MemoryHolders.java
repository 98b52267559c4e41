package io.kvstore.memory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Asks the holders of a budget's memory to give some back. Large holders are asked before small ones, and holders that have
 * taken nothing for long before busy ones, unless the busy one has many times more bytes.
 *
 * <p>Lock: {@code asking} is held by the thread that asks. Other threads do not wait for it, because the memory that is asked
 * for is for all. Once {@link #remove} has returned, the holder is not asked any more.
 */
final class MemoryHolders {

    /** Each request asks for this part of the budget more than is missing, so that callers rarely need to ask again. */
    private static final int WORTHWHILE_PART = 64;

    /** A holder rests if it has taken nothing while others took this part of the budget. */
    private static final int RESTING_PART = 8;

    /** The bytes of a resting holder are multiplied by at most this weight. */
    private static final long MOST_WEIGHT = 8;

    private final Set<MemoryHolder> holders = ConcurrentHashMap.newKeySet();
    private final ReentrantLock asking = new ReentrantLock();

    private record Candidate(MemoryHolder holder, long bytes, long weight) {}

    void add(MemoryHolder holder) {
        holders.add(holder);
    }

    void remove(MemoryHolder holder) {
        asking.lock();
        try {
            holders.remove(holder);
        } finally {
            asking.unlock();
        }
    }

    /** Has about the given number of bytes given back, and some more. Bytes on their way back are not asked for again. */
    void ask(MemoryBudget budget, long missingBytes) {
        if (!asking.tryLock()) {
            return;
        }
        try {
            long missing = missingBytes + budget.totalBytes() / WORTHWHILE_PART;
            List<Candidate> candidates = new ArrayList<>();
            for (MemoryHolder holder : holders) {
                missing -= holder.comingBytes();
                long bytes = holder.reclaimableBytes();
                if (bytes > 0) {
                    candidates.add(new Candidate(holder, bytes, bytes * weight(budget, holder)));
                }
            }
            if (missing <= 0) {
                return;
            }
            candidates.sort(Comparator.comparingLong(Candidate::weight).reversed());
            for (int i = 0; i < candidates.size() && missing > 0; i++) {
                Candidate next = candidates.get(i);
                next.holder().giveBack(missing);
                missing -= next.bytes();
            }
        } finally {
            asking.unlock();
        }
    }

    boolean mayGive() {
        for (MemoryHolder holder : holders) {
            if (holder.comingBytes() > 0 || holder.reclaimableBytes() > 0) {
                return true;
            }
        }
        return false;
    }

    private static long weight(MemoryBudget budget, MemoryHolder holder) {
        long age = Math.max(0, budget.everTakenBytes() - holder.lastTaken());
        return 1 + Math.min(MOST_WEIGHT - 1, age / Math.max(1, budget.totalBytes() / RESTING_PART));
    }
}
