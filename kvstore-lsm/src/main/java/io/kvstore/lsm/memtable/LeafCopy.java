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
        int at = isLast(entries, head, entry) ? size : firstBehind(entries, head, entry);
        System.arraycopy(heads, at, heads, at + 1, size - at);
        System.arraycopy(slots, at, slots, at + 1, size - at);
        heads[at] = head;
        slots[at] = entry;
        size++;
        return at;
    }

    /** Entries often come in their order, and then one comparison is enough. */
    private boolean isLast(EntryArena entries, long head, int entry) {
        return size == 0 || !isBefore(entries, head, entry, size - 1);
    }

    /** A comparison of keys that begin alike reads both of them, so there are few. */
    private int firstBehind(EntryArena entries, long head, int entry) {
        int low = 0;
        int high = size - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (isBefore(entries, head, entry, middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private boolean isBefore(EntryArena entries, long head, int entry, int index) {
        return head != heads[index]
                ? Long.compareUnsigned(head, heads[index]) < 0
                : entries.compareAlike(entry, slots[index]) < 0;
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
