package io.kvstore.hash.table;

import io.kvstore.error.OverloadedException;

/** Places of records, on the heap: 16 to 32 bytes each. For one thread. */
final class PlaceSet {

    private static final int LEAST = 1 << 10;

    /** One set takes no more than this part of the heap. */
    private static final int HEAP_PART = 4;

    private final long mostBytes;
    private long[] slots = new long[LEAST];
    private int count;

    PlaceSet() {
        this(Long.MAX_VALUE);
    }

    /** @param mostBytes takes no more, however large the heap is */
    PlaceSet(long mostBytes) {
        this.mostBytes = Math.min(mostBytes, Runtime.getRuntime().maxMemory() / HEAP_PART);
    }

    /** @throws OverloadedException if there are more than the heap should have */
    void add(long place) {
        if (!tryAdd(place)) {
            throw new OverloadedException("what a damaged index file says of " + count + " records takes "
                    + 2L * slots.length * Long.BYTES + " bytes of heap, and " + mostBytes
                    + " are the most; give a larger heap, with -Xmx");
        }
    }

    /** Returns false if there are more than the heap should have. */
    boolean tryAdd(long place) {
        if (2 * (count + 1) > slots.length && !grow()) {
            return false;
        }
        int at = slotOf(place);
        if (slots[at] == Places.NONE) {
            slots[at] = place;
            count++;
        }
        return true;
    }

    boolean contains(long place) {
        return slots[slotOf(place)] == place;
    }

    private int slotOf(long place) {
        int mask = slots.length - 1;
        int at = (int) ((place * 0x9E3779B97F4A7C15L) >>> Integer.SIZE) & mask;
        while (slots[at] != Places.NONE && slots[at] != place) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private boolean grow() {
        long bytes = 2L * slots.length * Long.BYTES;
        if (bytes > mostBytes || slots.length > Integer.MAX_VALUE / 4) {
            return false;
        }
        long[] before = slots;
        slots = new long[2 * before.length];
        for (long place : before) {
            if (place != Places.NONE) {
                slots[slotOf(place)] = place;
            }
        }
        return true;
    }
}
