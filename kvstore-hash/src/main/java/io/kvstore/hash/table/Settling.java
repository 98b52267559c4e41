package io.kvstore.hash.table;

import io.kvstore.engine.TableEngine;
import io.kvstore.hash.index.PlaceCheck;
import io.kvstore.value.segment.Probe;
import org.jspecify.annotations.Nullable;

/**
 * Brings changes into the index: finds the entry of each key, whose record may be another key's with the same bits of the hash,
 * and replaces, adds or removes it. All changes are looked up before the first one is made. So nothing is half done if a record
 * has to be read from a file, or memory is short. Used with the lock of the table.
 */
final class Settling {

    private static final int NOT_EARLIER = -1;
    private static final long NOT_KEPT = -1;
    private static final PlaceCheck ANY = place -> true;

    private final TableState state;
    private final Resolved resolved;

    /** For each pending change, the change of the same key before it, or {@link #NOT_EARLIER}. */
    private final int[] earlier = new int[PendingChanges.MOST];

    private final long[] places = new long[PendingChanges.MOST];
    private final int[] lengths = new int[PendingChanges.MOST];
    private final long[] lsns = new long[PendingChanges.MOST];

    /** Looks for the entry of a key. */
    private static final class Resolved implements PlaceCheck {

        private final Looks looks;
        private final Probe probe = new Probe();
        private byte[] key = {};

        Resolved(Looks looks) {
            this.looks = looks;
        }

        @Override
        public boolean isOfKey(long place) {
            return looks.isOfKey(place, key, probe);
        }
    }

    Settling(TableState state) {
        this.state = state;
        this.resolved = new Resolved(state.looks());
    }

    /** The place of a key's entry, or {@link Places#NONE}; then {@link Looks} may miss a record. */
    long find(long hash, byte[] key) {
        resolved.key = key;
        return state.directory().find(hash, resolved);
    }

    /** What is known of the record that was found last. */
    Probe found() {
        return resolved.probe;
    }

    /** Brings all pending changes into the index. Returns what has to be read before, or null when it is done. */
    TableEngine.@Nullable Load settle() {
        state.requireWhole();
        PendingChanges pending = state.pending();
        int count = pending.count();
        if (count == 0) {
            return null;
        }
        touch(pending, count);
        for (int i = 0; i < count; i++) {
            resolve(pending, i);
        }
        TableEngine.Load load = state.looks().takeMissing();
        if (load != null) {
            return load;
        }
        state.changes().prepare(count);
        state.history().prepare(count, state.records().numbersUsed());
        state.viewCounts().prepare(count);
        Views views = state.views();
        boolean isDone = false;
        try {
            for (int i = 0; i < count; i++) {
                settle(pending, i, views);
            }
            pending.clear();
            isDone = true;
        } finally {
            if (!isDone) {
                state.tear("changes came into the index only in part");
            }
        }
        forgetOld(views);
        return null;
    }

    private void settle(PendingChanges pending, int at, Views views) {
        PendingChange change = pending.get(at);
        PendingChange before = earlier[at] == NOT_EARLIER ? null : pending.get(earlier[at]);
        long oldLsn = before == null ? lsns[at] : before.lsn();
        if (state.viewCounts().isNeeded(views, change.lsn())) {
            state.viewCounts().note(change.lsn(), state.directory().entries());
        }
        long keptLsn = views.maySeeFirst(oldLsn, change.lsn()) ? oldLsn : NOT_KEPT;
        if (before == null) {
            change(change, places[at], lengths[at], keptLsn);
        } else {
            change(change, before.place(), before.valueLength(), keptLsn);
        }
    }

    /**
     * Reads the lines of all changes, and then the heads of the records to which they lead, so that they come from memory at
     * the same time.
     */
    private void touch(PendingChanges pending, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += state.directory().touch(pending.get(i).hash());
        }
        int found = 0;
        for (int i = 0; i < count; i++) {
            long place = state.directory().find(pending.get(i).hash(), ANY);
            if (place != Places.NONE) {
                places[found++] = place;
            }
        }
        if (found > 0) {
            state.records()
                    .values()
                    .log()
                    .noteRead(); // the table's old values are looked at: its new ones will be, too
            sum += state.records().touch(places, found);
        }
        if (sum == Long.MIN_VALUE) { // the reads above are kept because their result is used here
            throw new IllegalStateException("a sum of bytes that cannot be");
        }
    }

    private void resolve(PendingChanges pending, int at) {
        PendingChange change = pending.get(at);
        int same = at - 1;
        while (same >= 0 && !pending.get(same).isOf(change.hash(), change.key())) {
            same--;
        }
        earlier[at] = same;
        if (same == NOT_EARLIER) {
            places[at] = find(change.hash(), change.key());
            lengths[at] = found().valueLength();
            lsns[at] = found().lsn();
        }
    }

    /** @param keptLsn the lsn of the old record if a view may show it, else {@link #NOT_KEPT} */
    private void change(PendingChange change, long old, int oldLength, long keptLsn) {
        if (change.isRemoval() && old == Places.NONE) {
            return;
        }
        if (old != Places.NONE && keptLsn != NOT_KEPT) {
            keep(change.hash(), old, keptLsn, change.lsn());
        }
        replace(change.hash(), old, change.place());
        if (old != Places.NONE) {
            state.records().release(old, change.key().length, oldLength);
        }
        if (change.hasRoom() && old != Places.NONE) {
            state.directory().cancel(change.hash());
        }
    }

    /** Called before an entry changes: a reader that does not find the old place in the index looks into the history. */
    void keep(long hash, long old, long oldLsn, long replacedBy) {
        state.history().add(hash, old, oldLsn, replacedBy);
    }

    /**
     * Changes an entry. The memory for that was prepared.
     *
     * @param old the present place, or {@link Places#NONE}
     * @param next the new place, or {@link Places#NONE}
     */
    void replace(long hash, long old, long next) {
        state.changes().add(hash, old, next);
        if (old == Places.NONE) {
            state.directory().insert(hash, next);
            return;
        }
        boolean wasThere = next == Places.NONE
                ? state.directory().remove(hash, old)
                : state.directory().replace(hash, old, next);
        if (!wasThere) {
            throw new IllegalStateException("an entry was found and is gone");
        }
    }

    /** Forgets some of what no view needs. */
    void forgetOld(Views views) {
        state.history().forgetSome(views);
        state.viewCounts().forget(views);
    }
}
