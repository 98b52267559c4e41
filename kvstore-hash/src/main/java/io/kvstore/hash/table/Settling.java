package io.kvstore.hash.table;

import io.kvstore.engine.TableEngine;
import io.kvstore.hash.index.HomeLines;
import io.kvstore.hash.index.PlaceCheck;
import io.kvstore.value.segment.Probe;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Brings changes into the index: finds the entry of each key, whose record may be another key's with the same bits of the hash,
 * and replaces, adds or removes it. All changes are looked up before the first one is made. So nothing is half done if a record
 * has to be read from a file, or memory is short. Used with the lock of the table.
 */
final class Settling {

    private static final int NOT_EARLIER = -1;
    private static final long NOT_KEPT = -1;

    private final TableState state;
    private final Resolved resolved;

    /** For each pending change, the change of the same key before it, or {@link #NOT_EARLIER}. */
    private final int[] earlier = new int[PendingChanges.MOST];

    private final long[] hashes = new long[PendingChanges.MOST];

    /** First an entry with the bits of the hash, which may be another key's, and then that of the key. */
    private final long[] places = new long[PendingChanges.MOST];

    private final HomeLines homeLines = new HomeLines(PendingChanges.MOST);
    private final long[] touched = new long[PendingChanges.MOST];
    private final int[] lengths = new int[PendingChanges.MOST];
    private final long[] lsns = new long[PendingChanges.MOST];

    /** The number of the pending changes, as a whole. */
    private long batch;

    private final AtomicReference<@Nullable Bringing> bringing = new AtomicReference<>();

    /** The last reads of records that are done. */
    private volatile @Nullable Bringing brought;

    /**
     * Reads of the records that pending changes replace.
     *
     * @param batch their number
     * @param count how many there were
     */
    private record Bringing(long batch, int count, TableEngine.Load load) {

        /** Whether it is for all of the pending changes, but for a few that came later. */
        boolean isFor(long presentBatch, int presentCount) {
            return batch == presentBatch && presentCount - count <= PendingChanges.USUAL;
        }
    }

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
        TableEngine.Load load = touch(pending, count);
        if (load != null) {
            return load;
        }
        boolean isFound = false;
        for (int i = 0; i < count; i++) {
            isFound |= resolve(pending, i);
        }
        if (isFound) {
            state.records().values().log().noteRead(); // its old values are looked at: its new ones will be, too
        }
        load = state.looks().takeMissing();
        if (load != null) {
            return load;
        }
        state.looks().noteSettled(count, areBrought(count));
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
            batch++;
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
            change(at, change, places[at], lengths[at], keptLsn);
        } else {
            change(at, change, before.place(), before.valueLength(), keptLsn);
        }
    }

    /**
     * Reads the lines of all changes, and then the heads of the records to which they lead, so that they come from memory at
     * the same time. Where the records are on the disk, they are read into memory first: returns these reads.
     */
    private TableEngine.@Nullable Load touch(PendingChanges pending, int count) {
        for (int i = 0; i < count; i++) {
            hashes[i] = pending.get(i).hash();
        }
        long sum = state.directory().read(hashes, count, homeLines);
        int found = 0;
        for (int i = 0; i < count; i++) {
            places[i] = state.directory().findFitting(homeLines, i);
            if (places[i] != Places.NONE) {
                touched[found++] = places[i];
            }
        }
        if (found > 0 && state.looks().areOfDisk() && !areBrought(count)) {
            return bring(Arrays.copyOf(touched, found), count);
        }
        if (found > 0) {
            long start = state.context().clock().nanoTime();
            sum += state.records().touch(touched, found);
            state.looks().noteTouched(state.context().clock().nanoTime() - start);
        }
        if (sum == Long.MIN_VALUE) { // the reads above are kept because their result is used here
            throw new IllegalStateException("a sum of bytes that cannot be");
        }
        return null;
    }

    private boolean areBrought(int count) {
        Bringing last = brought;
        return last != null && last.isFor(batch, count);
    }

    /** Writers that come meanwhile share the work. If a record cannot be read, the next writer tries again. */
    private TableEngine.Load bring(long[] found, int count) {
        Bringing present = bringing.get();
        if (present == null || !present.isFor(batch, count)) {
            present = new Bringing(batch, count, state.looks().bring(found));
            bringing.set(present);
        }
        Bringing shared = present;
        return () -> {
            boolean isDone = false;
            try {
                shared.load.run();
                brought = shared;
                isDone = true;
            } finally {
                if (!isDone) {
                    bringing.compareAndSet(shared, null);
                }
            }
        };
    }

    /** Returns whether the key has an entry. */
    private boolean resolve(PendingChanges pending, int at) {
        int same = at - 1;
        while (same >= 0 && !(hashes[same] == hashes[at] && pending.get(same).isOfKey(pending.get(at)))) {
            same--;
        }
        earlier[at] = same;
        if (same != NOT_EARLIER || places[at] == Places.NONE) {
            return false;
        }
        places[at] = find(hashes[at], pending.get(at).key());
        lengths[at] = found().valueLength();
        lsns[at] = found().lsn();
        return places[at] != Places.NONE;
    }

    /** @param keptLsn the lsn of the old record if a view may show it, else {@link #NOT_KEPT} */
    private void change(int at, PendingChange change, long old, int oldLength, long keptLsn) {
        if (old == Places.NONE) {
            if (!change.isRemoval()) {
                state.changes().add(change.hash(), Places.NONE, change.place());
                state.directory().insert(homeLines, at, change.place());
            }
            return;
        }
        if (keptLsn != NOT_KEPT) {
            keep(change.hash(), old, keptLsn, change.lsn());
        }
        replace(change.hash(), old, change.place());
        state.records().release(old, change.key().length, oldLength);
        if (change.hasRoom()) {
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
