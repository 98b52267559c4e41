package io.kvstore.bplus.lock;

import java.util.EnumMap;
import java.util.Map;

/**
 * The locks of one table. A thread that has one takes only locks of higher ranks, so no two threads wait for each other. Below
 * all of them is the table's write lock, which is the store's.
 *
 * <p>With the system property {@code kvstore.checkLockOrder}, each {@link RankedLock} looks before it is taken whether the
 * thread has a lock of a higher rank, and refuses. The tests of the engine run so. Where the lock of a rank is a monitor, the
 * look sees that a thread has it, but nothing looks when it is entered. Without the property nothing is looked at.
 */
public final class TreeLocks {

    private static final boolean CHECKED = Boolean.getBoolean("kvstore.checkLockOrder");

    /** The ranks, in the order in which locks are taken. The first three and the last are held over I/O. */
    public enum Rank {
        /** Work that takes long: relocation, clustering, the fill of the index. One at a time. */
        LONG_WORK,

        /** A checkpoint, from the captured state to the durable superblock. */
        CHECKPOINTING,

        /** A merge of the change buffer into the tree, layer by layer. Gets and scans never take it. */
        MERGING,

        /** Pages are changed or taken away, by merges, relocations and evictions. Held for memory operations only. */
        WRITING,

        /** The states of the tree that are kept: the monitor of {@code TreeVersions}. */
        VERSIONS,

        /** Values are added, counted and indexed. A writer has it from its reservation until it has applied. */
        PUTTING,

        /** The pages in memory: the monitor of {@code PageBuffer}. */
        BUFFER,

        /** The ids and places of pages: the monitor of {@code PageIds}. */
        IDS,

        /** The free places of the file: the monitor of {@code FreeSpaceMap}. Held while the end of the file is cut off. */
        PLACES
    }

    private final RankedLock longWork = new RankedLock(this, Rank.LONG_WORK);
    private final RankedLock checkpointing = new RankedLock(this, Rank.CHECKPOINTING);
    private final RankedLock merging = new RankedLock(this, Rank.MERGING);
    private final RankedLock writing = new RankedLock(this, Rank.WRITING);
    private final RankedLock putting = new RankedLock(this, Rank.PUTTING);
    private final RankedLock[] locks = {longWork, checkpointing, merging, writing, putting};

    /** The objects whose monitors are the locks of the other ranks, by rank. */
    private final Map<Rank, Object> monitors = new EnumMap<>(Rank.class);

    /** Tells which object's monitor is the lock of a rank. Called before other threads know the table. */
    public void setMonitor(Rank rank, Object of) {
        monitors.put(rank, of);
    }

    public RankedLock longWork() {
        return longWork;
    }

    public RankedLock checkpointing() {
        return checkpointing;
    }

    public RankedLock merging() {
        return merging;
    }

    public RankedLock writing() {
        return writing;
    }

    public RankedLock putting() {
        return putting;
    }

    /** Called before a thread waits for a lock. In tests it throws if the thread has a lock of a higher rank. */
    void checkOrder(RankedLock wanted) {
        if (CHECKED && !wanted.isHeldByCurrentThread()) {
            checkOrder(wanted.rank());
        }
    }

    private void checkOrder(Rank wanted) {
        for (RankedLock lock : locks) {
            if (lock.rank().compareTo(wanted) > 0 && lock.isHeldByCurrentThread()) {
                throw outOfOrder(wanted, lock.rank());
            }
        }
        for (Map.Entry<Rank, Object> monitor : monitors.entrySet()) {
            if (monitor.getKey().compareTo(wanted) > 0 && Thread.holdsLock(monitor.getValue())) {
                throw outOfOrder(wanted, monitor.getKey());
            }
        }
    }

    private static IllegalStateException outOfOrder(Rank wanted, Rank held) {
        return new IllegalStateException("the lock " + wanted + " is asked for by a thread that has " + held);
    }
}
