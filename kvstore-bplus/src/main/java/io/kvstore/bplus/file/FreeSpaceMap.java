package io.kvstore.bplus.file;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The units of 4 KiB of the page file that are taken, with one bit for each unit. The lowest free place is given first, so that
 * the end of the file becomes free and can be cut off. Safe for use by several threads.
 *
 * <p>Invariant: a unit that is held is not given out. If it is freed meanwhile it is left, and stays taken until no hold has it
 * any more. So {@link #end} and {@link #takenUnits} tell what the table has, and {@link #fileEnd} where the file may end.
 */
final class FreeSpaceMap {

    private static final long NONE = -1L;

    private long[] taken = new long[16];
    private long takenUnits;
    private int firstFree;
    private final List<BitSet> holds = new ArrayList<>();

    /** The units that were freed while they were held. */
    private final BitSet left = new BitSet();

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
            if (word >= taken.length || (taken[word] & bit) == 0 || isLeft(unit)) {
                throw new IllegalStateException("place " + unit + " is given back twice");
            }
            if (isHeld(unit)) {
                left.set((int) unit);
            } else {
                taken[word] &= ~bit;
                firstFree = Math.min(firstFree, word);
            }
        }
        takenUnits -= units;
    }

    private boolean isHeld(long unit) {
        for (int i = 0; i < holds.size(); i++) {
            if (unit < holds.get(i).length() && holds.get(i).get((int) unit)) {
                return true;
            }
        }
        return false;
    }

    private boolean isLeft(long unit) {
        return unit < left.length() && left.get((int) unit);
    }

    /** Holds units that are taken, and are not given out before {@link #release}. The caller does not change the set. */
    synchronized void hold(BitSet units) {
        holds.add(units);
    }

    synchronized void release(BitSet units) {
        holds.remove(units); // or an equal one
        for (int unit = left.nextSetBit(0); unit >= 0; unit = left.nextSetBit(unit + 1)) {
            if (!isHeld(unit)) {
                left.clear(unit);
                taken[unit / Long.SIZE] &= ~(1L << unit);
                firstFree = Math.min(firstFree, unit / Long.SIZE);
            }
        }
    }

    /** How many units are taken only because a hold has them. */
    synchronized long leftUnits() {
        return left.cardinality();
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

    /** The unit behind the last one that the table has. */
    public synchronized long end() {
        long end = fileEnd();
        while (end > 0 && isLeft(end - 1)) {
            end = previousTaken(end - 1);
        }
        return end;
    }

    /** The unit behind the last one that is taken, by the table or for a hold. */
    synchronized long fileEnd() {
        return previousTaken((long) Long.SIZE * taken.length);
    }

    /** The unit behind the last one below {@code limit} that is taken. */
    private long previousTaken(long limit) {
        for (long unit = limit; unit > 0; unit--) {
            int word = (int) ((unit - 1) / Long.SIZE);
            if (taken[word] == 0) {
                unit = (long) word * Long.SIZE + 1;
            } else if ((taken[word] & 1L << (unit - 1)) != 0) {
                return unit;
            }
        }
        return 0;
    }
}
