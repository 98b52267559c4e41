package io.kvstore.lsm.memtable;

/**
 * Entries of a memtable that were added one after the other, and how they are found. One writer adds them; readers take no lock
 * to find one.
 */
sealed interface Run permits HashRun, TreeRun {

    /** No entry. */
    int NIL = -1;

    boolean isEmpty();

    /** Whether it should get no more entries. */
    boolean isFull();

    /** The most that {@link #prepare} and so many insertions in a row allocate. */
    long reserveBytes(int insertions);

    /** Before insertions, once there is memory for them. */
    void prepare(int insertions);

    /** The newest version of a key at or below an lsn, or {@link #NIL}. */
    int find(byte[] key, long head, long lsn);

    /** The writer's: finds the place that key and lsn belong to. */
    void moveTo(byte[] key, long head, long lsn);

    /** Whether there is an entry of this key and lsn, to which {@link #moveTo} went. */
    boolean holds(byte[] key, long head, long lsn);

    /** Adds an entry where {@link #moveTo} went for it. */
    void insert(long head, int entry);

    /** All entries in order; who sees a run unsorted may have to wait. */
    Leaves leaves();

    /** What {@link #leaves} may wait for. */
    default void sort() {
        Leaves _ = leaves();
    }

    /** Entries in order, some at a time. */
    interface Leaves {

        /** Copies the leaf that key and lsn belong to. */
        void copyLeaf(byte[] key, long head, long lsn, LeafCopy target);

        /** Copies the first or the last leaf. */
        void copyLeaf(boolean last, LeafCopy target);
    }
}
