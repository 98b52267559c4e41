package io.kvstore.lsm.memtable;

/** A copy of one leaf's entries, in order, and its bounds. */
final class LeafCopy {

    /** The slots of a tree's leaf, and one more. */
    static final int MAX_ENTRIES = 65;

    private final long[] heads = new long[MAX_ENTRIES];
    private final int[] slots = new int[MAX_ENTRIES];
    private int size;
    private int lower = Run.NIL;
    private int upper = Run.NIL;

    void clear() {
        size = 0;
        lower = Run.NIL;
        upper = Run.NIL;
    }

    void begin(long head, int entry) {
        heads[0] = head;
        slots[0] = entry;
        size = 1;
    }

    /** Adds an entry that comes after all others. */
    void append(long head, int entry) {
        heads[size] = head;
        slots[size] = entry;
        size++;
    }

    /** Sets the first entry of the leaf as the lower bound. Called only if there is an entry before it. */
    void setLower(int entry) {
        lower = entry;
    }

    /** Sets the first entry of the next leaf as the upper bound. */
    void setUpper(int entry) {
        upper = entry;
    }

    /** Inserts an entry in order. Returns its index. */
    int insert(EntryArena entries, long head, int entry) {
        int end = size;
        while (end > 0 && Long.compareUnsigned(head, heads[end - 1]) < 0) {
            end--;
        }
        int at = amongAlike(entries, head, entry, end);
        System.arraycopy(heads, at, heads, at + 1, size - at);
        System.arraycopy(slots, at, slots, at + 1, size - at);
        heads[at] = head;
        slots[at] = entry;
        size++;
        return at;
    }

    /**
     * The place of an entry among those before {@code end} whose keys begin like its own. To compare it with one of them reads
     * both keys, so there are few comparisons, and only one if entries come in their order.
     */
    private int amongAlike(EntryArena entries, long head, int entry, int end) {
        if (end == 0 || heads[end - 1] != head || entries.compareAlike(entry, slots[end - 1]) > 0) {
            return end;
        }
        int high = end - 1;
        int low = high;
        while (low > 0 && heads[low - 1] == head) {
            low--;
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (entries.compareAlike(entry, slots[middle]) < 0) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** The index of the first entry at or after key and lsn. */
    int ceiling(EntryArena entries, byte[] key, long head, long lsn) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = heads[middle] != head
                    ? Long.compareUnsigned(heads[middle], head)
                    : entries.compare(slots[middle], key, lsn);
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    long head(int index) {
        return heads[index];
    }

    int entry(int index) {
        return slots[index];
    }

    int size() {
        return size;
    }

    /** The first entry of the leaf, or {@link Run#NIL} if there is no entry before it. */
    int lower() {
        return lower;
    }

    /** The first entry of the next leaf, or {@link Run#NIL} if there is none. */
    int upper() {
        return upper;
    }
}
