package io.kvstore.bplus.file;

import java.util.Arrays;

/**
 * The units of 4 KiB of the page file that are taken, with one bit for each unit. The lowest free place is given first, so that
 * the end of the file becomes free and can be cut off. Safe for use by several threads.
 */
final class FreeSpaceMap {

    private static final long NONE = -1L;

    private long[] taken = new long[16];
    private long takenUnits;
    private int firstFree;

    /** Takes this many units in a row, at the lowest place that has them. Returns the first of these units. */
    public synchronized long allocate(int units) {
        int word = firstFree;
        while (word < taken.length && taken[word] == NONE) {
            word++;
        }
        firstFree = word;
        long place = Long.SIZE * (long) word;
        while (true) {
            place = nextFree(place);
            long end = nextTaken(place, place + units);
            if (end == place + units) {
                mark(place, units);
                return place;
            }
            place = end;
        }
    }

    /** Takes places that a table refers to while it is opened. Returns false if one of them is taken already. */
    public synchronized boolean take(long place, int units) {
        if (nextTaken(place, place + units) != place + units) {
            return false;
        }
        mark(place, units);
        return true;
    }

    public synchronized void free(long place, int units) {
        for (long unit = place; unit < place + units; unit++) {
            int word = Math.toIntExact(unit / Long.SIZE);
            long bit = 1L << unit;
            if (word >= taken.length || (taken[word] & bit) == 0) {
                throw new IllegalStateException("place " + unit + " is given back twice");
            }
            taken[word] &= ~bit;
            firstFree = Math.min(firstFree, word);
        }
        takenUnits -= units;
    }

    private void mark(long place, int units) {
        int last = Math.toIntExact((place + units - 1) / Long.SIZE);
        if (last >= taken.length) {
            taken = Arrays.copyOf(taken, Math.max(last + 1, 2 * taken.length));
        }
        for (long unit = place; unit < place + units; unit++) {
            taken[(int) (unit / Long.SIZE)] |= 1L << unit;
        }
        takenUnits += units;
    }

    /** The first free unit from {@code from} on. */
    private long nextFree(long from) {
        long word = from / Long.SIZE;
        if (word >= taken.length) {
            return from;
        }
        long free = ~taken[(int) word] & (NONE << from);
        while (free == 0) {
            word++;
            if (word >= taken.length) {
                return word * Long.SIZE;
            }
            free = ~taken[(int) word];
        }
        return word * Long.SIZE + Long.numberOfTrailingZeros(free);
    }

    /** The first taken unit from {@code from} on, or {@code limit} if all before it are free. */
    private long nextTaken(long from, long limit) {
        for (long unit = from; unit < limit && unit / Long.SIZE < taken.length; unit++) {
            if ((taken[(int) (unit / Long.SIZE)] & 1L << unit) != 0) {
                return unit;
            }
        }
        return limit;
    }

    public synchronized long takenUnits() {
        return takenUnits;
    }

    /** The unit behind the last one that is taken. */
    public synchronized long end() {
        for (int word = taken.length - 1; word >= 0; word--) {
            if (taken[word] != 0) {
                return (word + 1L) * Long.SIZE - Long.numberOfLeadingZeros(taken[word]);
            }
        }
        return 0;
    }
}
