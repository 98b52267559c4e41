package io.kvstore.hash.index;

import java.util.Arrays;

/**
 * The hashes of inserts that were promised room and have not come yet. There are as many as a batch has changes, and mostly
 * less than twenty. So growth knows how many of them each page has to have room for.
 *
 * <p>They are in their order as unsigned numbers, and are kept with the first bit turned. A promise that was used is marked. It
 * is forgotten when all were used.
 */
final class Promises {

    private static final int LEAST_ROOM = 32;

    private long[] turned = new long[LEAST_ROOM];
    private boolean[] used = new boolean[LEAST_ROOM];
    private int count;
    private int open;

    /** Adds a promise. Fails before any change if there is no memory for it. */
    void add(long hash) {
        makeRoom(1, count == turned.length);
        long added = turn(hash);
        int at = firstNotBelow(added);
        System.arraycopy(turned, at, turned, at + 1, count - at);
        System.arraycopy(used, at, used, at + 1, count - at);
        turned[at] = added;
        used[at] = false;
        count++;
        open++;
    }

    /** Adds many promises. Fails before any change if there is no memory for them. */
    void add(long[] hashes, int added) {
        makeRoom(added, true);
        for (int i = 0; i < added; i++) {
            turned[count + i] = turn(hashes[i]);
        }
        count += added;
        open += added;
        Arrays.sort(turned, 0, count);
    }

    /** Makes the arrays as long as they have to be. */
    private void makeRoom(int added, boolean leaveOutUsed) {
        if (leaveOutUsed) {
            int kept = 0;
            for (int i = 0; i < count; i++) {
                if (!used[i]) {
                    turned[kept++] = turned[i];
                }
            }
            Arrays.fill(used, false);
            count = kept;
        }
        if (count + added > turned.length) {
            int room = Math.max(count + added, 2 * turned.length);
            long[] more = Arrays.copyOf(turned, room);
            used = Arrays.copyOf(used, room);
            turned = more;
        }
    }

    /** Marks a promise as used. Returns false if there is none for this hash. */
    boolean use(long hash) {
        int at = openAt(hash);
        if (at < 0) {
            return false;
        }
        used[at] = true;
        open--;
        if (open == 0) {
            count = 0;
            if (turned.length > LEAST_ROOM) {
                shrink();
            }
        }
        return true;
    }

    private void shrink() {
        try {
            long[] few = new long[LEAST_ROOM];
            used = new boolean[LEAST_ROOM];
            turned = few;
        } catch (OutOfMemoryError e) {
            Arrays.fill(used, false); // the arrays stay as long as they are
        }
    }

    boolean has(long hash) {
        return openAt(hash) >= 0;
    }

    private int openAt(long hash) {
        long wanted = turn(hash);
        for (int at = firstNotBelow(wanted); at < count && turned[at] == wanted; at++) {
            if (!used[at]) {
                return at;
            }
        }
        return -1;
    }

    /** How many promises lie between two hashes, both included. */
    int countIn(long first, long last) {
        int result = 0;
        long end = turn(last);
        for (int at = firstNotBelow(turn(first)); at < count && turned[at] <= end; at++) {
            result += used[at] ? 0 : 1;
        }
        return result;
    }

    /** The first promised hash in a range of hashes. There must be one. */
    long firstIn(long first) {
        return turn(turned[firstOpen(firstNotBelow(turn(first)), 1)]);
    }

    /** The last promised hash up to the given one. There must be one. */
    long lastIn(long last) {
        int behind = last == -1 ? count : firstNotBelow(turn(last + 1));
        return turn(turned[firstOpen(behind - 1, -1)]);
    }

    private int firstOpen(int from, int step) {
        int at = from;
        while (used[at]) {
            at += step;
        }
        return at;
    }

    int open() {
        return open;
    }

    private int firstNotBelow(long wanted) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (turned[middle] < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static long turn(long hash) {
        return hash ^ Long.MIN_VALUE;
    }
}
