package io.kvstore.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Asks those who have memory of a budget to give some back: the largest first, and who has not taken any for long before who is
 * busy, unless that one has many times as much.
 *
 * <p>Lock: {@code asking} is held by one who asks; others do not wait for it, because what it asks for is for all. A holder
 * that has left is not asked any more once {@link #remove} returned.
 */
final class MemoryHolders {

    /** So much of the whole is asked for at a time, so that nobody has to ask for each few bytes. */
    private static final int WORTHWHILE_PART = 64;

    /** Who has not taken anything while others took this part of the whole is resting. */
    private static final int RESTING_PART = 8;

    /** What rests counts so many times at most. */
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

    /** Has about so many bytes given back, and some more; what is on its way is not asked for again. */
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

    private static long weight(MemoryBudget budget, MemoryHolder holder) {
        long age = Math.max(0, budget.everTakenBytes() - holder.lastTaken());
        return 1 + Math.min(MOST_WEIGHT - 1, age / Math.max(1, budget.totalBytes() / RESTING_PART));
    }
}
