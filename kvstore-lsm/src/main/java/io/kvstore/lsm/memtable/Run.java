package io.kvstore.lsm.memtable;

/**
 * Entries of a memtable that were added one after the other, and the structure by which they are found. One writer adds
 * them. Readers take no lock to find one.
 */
sealed interface Run permits HashRun, TreeRun {

    /** Returned if there is no entry. */
    int NIL = -1;

    boolean isEmpty();

    /** Whether the run should get no more entries. */
    boolean isFull();

    /** The most that {@link #prepare} and the given number of insertions in a row allocate. */
    long reserveBytes(int insertions);

    /** Prepares for insertions, once there is memory for them. */
    void prepare(int insertions);

    /** Returns the newest version of a key at or below an lsn, or {@link #NIL}. */
    int find(byte[] key, long head, long lsn);

    /** Finds the place to which a key and an lsn belong. Called by the writer only. */
    void moveTo(byte[] key, long head, long lsn);

    /** Whether there is an entry of this key and lsn. {@link #moveTo} was called for both. */
    boolean holds(byte[] key, long head, long lsn);

    /** Adds an entry at the place that {@link #moveTo} found for it. */
    void insert(long head, int entry);

    /** All entries in order. If the run is unsorted, the caller may have to wait for the sort. */
    Leaves leaves();

    /** Does the work for which {@link #leaves} may have to wait. */
    default void sort() {
        Leaves _ = leaves();
    }

    /** Entries in order, in groups of a leaf each. */
    interface Leaves {

        /** Copies the leaf to which a key and an lsn belong. */
        void copyLeaf(byte[] key, long head, long lsn, LeafCopy target);

        /** Copies the first or the last leaf. */
        void copyLeaf(boolean last, LeafCopy target);
    }
}
