package io.kvstore.hash.index;

import io.kvstore.data.Search;
import java.util.Arrays;

/**
 * The hashes of inserts that were promised room and have not come yet. There are as many as a batch has changes, and mostly
 * less than twenty, or 128 where old records come from the disk. So growth knows how many of them each page has to have room
 * for.
 *
 * <p>A promise that was used is marked, and forgotten when all were used. Promises are used in the order in which they were
 * made, but for those that are given up, so the first one that is open is mostly the one that is looked for. Otherwise few
 * promises are looked through, and many are sorted first. They are kept with the first bit turned, so that their order is that
 * of unsigned numbers.
 */
final class Promises {

    /** So many promises are looked through faster than they are sorted. */
    private static final int FEW = 32;

    private long[] turned = new long[FEW];
    private boolean[] used = new boolean[FEW];
    private int count;
    private int open;

    /** All promises before this one are used. */
    private int firstOpen;

    private boolean isSorted;

    /** Adds a promise. Fails before any change if there is no memory for it. */
    void add(long hash) {
        if (count == turned.length) {
            makeRoom(1);
        }
        int at = count;
        if (isSorted) {
            at = firstAbove(turn(hash)); // of equal hashes the used ones come first
            System.arraycopy(turned, at, turned, at + 1, count - at);
            System.arraycopy(used, at, used, at + 1, count - at);
            firstOpen = Math.min(firstOpen, at);
        }
        turned[at] = turn(hash);
        used[at] = false;
        count++;
        open++;
    }

    /** Adds many promises. Fails before any change if there is no memory for them. */
    void add(long[] hashes, int added) {
        makeRoom(added);
        boolean isMany = count + added > FEW;
        long[] all = isMany ? turned.clone() : turned;
        for (int i = 0; i < added; i++) {
            all[count + i] = turn(hashes[i]);
            used[count + i] = false;
        }
        if (isMany) {
            Arrays.sort(all, 0, count + added); // may take memory, so not in place
        }
        isSorted = isMany || (added == 0 && isSorted);
        turned = all;
        count += added;
        open += added;
    }

    /** Makes the arrays as long as they have to be. */
    private void makeRoom(int added) {
        forgetUsed();
        if (count + added > turned.length) {
            int room = Math.max(count + added, 2 * turned.length);
            long[] more = Arrays.copyOf(turned, room);
            used = Arrays.copyOf(used, room);
            turned = more;
        }
    }

    private void forgetUsed() {
        int kept = 0;
        for (int i = firstOpen; i < count; i++) {
            if (!used[i]) {
                turned[kept++] = turned[i];
            }
        }
        Arrays.fill(used, 0, count, false);
        count = kept;
        firstOpen = 0;
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
            forgetAll();
        } else if (at == firstOpen) {
            firstOpen = nextOpen(at, 1);
        }
        return true;
    }

    /** Forgets all promises, used or not. */
    void forgetAll() {
        count = 0;
        open = 0;
        firstOpen = 0;
        isSorted = false;
        if (turned.length > FEW) {
            shrink();
        }
    }

    private void shrink() {
        try {
            long[] few = new long[FEW];
            used = new boolean[FEW];
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
        if (firstOpen < count && turned[firstOpen] == wanted) {
            return firstOpen;
        }
        if (isSorted || count > FEW) {
            int at = firstOpenNotBelow(wanted);
            return at < count && turned[at] == wanted ? at : -1;
        }
        for (int at = 0; at < count; at++) {
            if (turned[at] == wanted && !used[at]) {
                return at;
            }
        }
        return -1;
    }

    /** How many promises lie between two hashes, both included. */
    int countIn(long first, long last) {
        int result = 0;
        long begin = turn(first);
        long end = turn(last);
        for (int at = firstNotBelow(begin); at < count && (turned[at] <= end || !isSorted); at++) {
            result += !used[at] && turned[at] >= begin && turned[at] <= end ? 1 : 0;
        }
        return result;
    }

    /** The first promised hash in a range of hashes. There must be one. */
    long firstIn(long first) {
        sort();
        return turn(turned[nextOpen(firstNotBelow(turn(first)), 1)]);
    }

    /** The last promised hash up to the given one. There must be one. */
    long lastIn(long last) {
        sort();
        int behind = last == -1 ? count : firstNotBelow(turn(last + 1));
        return turn(turned[nextOpen(behind - 1, -1)]);
    }

    /** The first promise from one on that is open. There must be one. */
    private int nextOpen(int from, int step) {
        int at = from;
        while (used[at]) {
            at += step;
        }
        return at;
    }

    int open() {
        return open;
    }

    /**
     * Takes no memory, while {@link Arrays#sort} may: changes that come into the index must not fail halfway. There are hardly
     * more promises that were added one by one than changes that may be pending.
     */
    private void sort() {
        if (!isSorted) {
            forgetUsed();
            for (int i = 1; i < count; i++) {
                long moved = turned[i];
                int at = i;
                for (; at > 0 && turned[at - 1] > moved; at--) {
                    turned[at] = turned[at - 1];
                }
                turned[at] = moved;
            }
            isSorted = true;
        }
    }

    /** Where to begin to look for a hash: the first promise that is not below it, or 0 if promises are not sorted. */
    private int firstNotBelow(long wanted) {
        if (!isSorted && count <= FEW) {
            return 0;
        }
        sort();
        return search(wanted, false);
    }

    private int firstAbove(long wanted) {
        return Search.firstNot(0, count, at -> turned[at] <= wanted);
    }

    /** The first promise that is not below a hash, without those of this hash that were used. */
    private int firstOpenNotBelow(long wanted) {
        sort();
        return search(wanted, true);
    }

    /** Takes no memory, as {@link #sort} does not. */
    private int search(long wanted, boolean isBehindUsed) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            boolean isBelow = turned[middle] < wanted || (isBehindUsed && turned[middle] == wanted && used[middle]);
            low = isBelow ? middle + 1 : low;
            high = isBelow ? high : middle;
        }
        return low;
    }

    private static long turn(long hash) {
        return hash ^ Long.MIN_VALUE;
    }
}
