package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.data.KeyRange;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A walk over waiting changes in the order of keys. It shows the newest visible change of each key in a range. A change is
 * visible if it is not after the lsn of the view.
 */
final class WaitingCursor {

    private final PriorityQueue<Place> places = new PriorityQueue<>();
    private final List<SortedChanges> runs;
    private final KeyRange range;
    private final int step;
    private final long lsn;
    private @Nullable Place here;
    private byte @Nullable [] key;

    /**
     * @param runs each in the order of keys; of two runs that have changes of one operation, the first has the later changes
     * @param lsn changes after it are not visible
     */
    WaitingCursor(List<SortedChanges> runs, KeyRange range, long lsn) {
        this.runs = runs;
        this.range = range;
        this.step = range.reversed() ? -1 : 1;
        this.lsn = lsn;
        if (range.reversed()) {
            place(range.upper(), !range.upperInclusive());
        } else {
            place(range.lower(), range.lowerInclusive());
        }
    }

    /** Lets the next key be the first one that is not below a bound; in reverse, the first one below it. */
    void skipTo(byte[] bound) {
        here = null;
        places.clear();
        place(bound, true);
    }

    /**
     * @param bound where the walk begins, or null for the first key of all
     * @param isBelow whether the bound parts the keys below it from the others, or else those up to it
     */
    private void place(byte @Nullable [] bound, boolean isBelow) {
        for (int i = 0; i < runs.size(); i++) {
            SortedChanges run = runs.get(i);
            int all = range.reversed() ? run.size() : 0;
            int before = bound == null ? all : run.countBelow(bound, !isBelow);
            add(new Place(run, i, range.reversed() ? before - 1 : before));
        }
    }

    /** The position in one run: at the newest visible change of some key. */
    private final class Place implements Comparable<Place> {

        private final SortedChanges run;
        private final int index;
        private int next;
        private int address;
        private long newest;

        Place(SortedChanges run, int index, int next) {
            this.run = run;
            this.index = index;
            this.next = next;
        }

        /** Goes on to the next key that has a visible change. */
        boolean advance() {
            while (next >= 0 && next < run.size()) {
                int end = run.endOfKey(next, step);
                int found = run.newestUpTo(Math.min(next, end + 1), Math.max(end, next + 1), lsn);
                next = end;
                if (found >= 0) {
                    address = run.address(found);
                    newest = run.lsn(found);
                    return true;
                }
            }
            return false;
        }

        int compareKeys(Place other) {
            return run.changes().compareKeys(address, other.run.changes(), other.address);
        }

        /** Orders by key. Of one key the newest change comes first. */
        @Override
        public int compareTo(Place other) {
            int order = step * compareKeys(other);
            order = order != 0 ? order : Long.compare(other.newest, newest);
            return order != 0 ? order : Integer.compare(index, other.index);
        }
    }

    private void add(Place place) {
        if (place.advance()) {
            places.add(place);
        }
    }

    /** Goes on to the next key; false if there is none. */
    boolean next() {
        Place last = here;
        if (last != null) {
            add(last);
        }
        here = places.poll();
        key = here == null ? null : here.run.changes().keyAt(here.address);
        if (here == null || key == null || (range.reversed() ? range.isBelow(key) : range.isAbove(key))) {
            here = null;
            places.clear();
            return false;
        }
        for (Place older = places.peek(); older != null && older.compareKeys(here) == 0; older = places.peek()) {
            add(places.remove());
        }
        return true;
    }

    private Place here() {
        if (here == null) {
            throw new IllegalStateException("the cursor is at no change");
        }
        return here;
    }

    /** The key at the position, or null if there is none. The caller does not change the array. */
    byte @Nullable [] key() {
        return here == null ? null : key;
    }

    boolean isRemoval() {
        return here().run.changes().isRemoval(here().address);
    }

    ChangeArena.Found found() {
        return here().run.changes().found(here().address);
    }
}
