package io.kvstore.bplus.lock;

import java.util.concurrent.locks.ReentrantLock;

/** A reentrant lock with a rank among the locks of its table: see {@link TreeLocks}. */
public final class RankedLock {

    private final TreeLocks among;
    private final TreeLocks.Rank rank;
    private final ReentrantLock lock = new ReentrantLock();
    private final Held held = lock::unlock;

    @FunctionalInterface
    public interface Held extends AutoCloseable {
        @Override
        void close();
    }

    RankedLock(TreeLocks among, TreeLocks.Rank rank) {
        this.among = among;
        this.rank = rank;
    }

    TreeLocks.Rank rank() {
        return rank;
    }

    public void lock() {
        among.checkOrder(this);
        lock.lock();
    }

    /** As {@link #lock}, for the length of a try statement. */
    public Held hold() {
        lock();
        return held;
    }

    /** Takes the lock if no other thread has it. A thread that does not wait may ask in any order. */
    public boolean tryLock() {
        return lock.tryLock();
    }

    public void unlock() {
        lock.unlock();
    }

    public boolean isLocked() {
        return lock.isLocked();
    }

    public boolean isHeldByCurrentThread() {
        return lock.isHeldByCurrentThread();
    }
}
