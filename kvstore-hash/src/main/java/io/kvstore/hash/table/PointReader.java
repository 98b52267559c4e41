package io.kvstore.hash.table;

import io.kvstore.error.CorruptionException;
import io.kvstore.hash.index.PlaceCheck;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.Probe;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValueRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gets of one key. A reader takes no lock and writes nothing. It looks at the changes that are pending, then into the index,
 * and then at the places that were replaced. A change passes from the first to the second, and a place from the second to the
 * third, and each is in both for a moment. So a reader that goes in this order misses none.
 *
 * <p>A reader of the newest state shows operations that are applied as a whole, up to the lsn that it has read first. A later
 * operation may have replaced the record that it looks for, and no view may have kept it. Then the reader begins again.
 */
public final class PointReader {

    private static final byte[] NOT_READ = {};

    private final TableState state;

    public PointReader(TableState state) {
        this.state = state;
    }

    /** Looks at the records to which an index leads, for one that a view shows. */
    private final class Look implements PlaceCheck {

        private final byte[] key;
        private final long lsn;
        private final @Nullable LentValue lent;
        private final boolean isKeyOnly;
        private @Nullable StoredValue found;
        private @Nullable Exception failure;

        /** Places of records of other keys, if what they say is true: the bits of the hash that the index has are the key's. */
        private final List<Long> others = new ArrayList<>(0);

        /** Whether the key has a record that the view does not see. */
        private boolean isNewer;

        Look(byte[] key, long lsn, @Nullable LentValue lent, boolean isKeyOnly) {
            this.key = key;
            this.lsn = lsn;
            this.lent = lent;
            this.isKeyOnly = isKeyOnly;
        }

        /** Whether it is the key's record. Then it is {@link #found}, or the view does not see it. */
        @Override
        public boolean isOfKey(long place) {
            if (isKeyOnly && isShown(place)) {
                return true;
            }
            StoredValue read = state.records().tryRead(place, key, lent);
            if (read == null) {
                if (state.records().tryProbe(place, key, new Probe()) == Probe.Answer.OTHER_KEY) {
                    others.add(place);
                } else {
                    read = readFile(place);
                }
            }
            if (read == null) {
                return false;
            }
            if (read.lsn() <= lsn) {
                found = read;
            } else {
                isNewer = true;
                noteIfTooNew(place, read.lsn());
                if (lent != null) {
                    lent.close();
                }
            }
            return true;
        }

        /**
         * Whether the head of a record, which is not checked, says that it is the key's and that the view shows it. A record
         * that says anything else is read as a whole: a damage may be the reason.
         */
        private boolean isShown(long place) {
            Probe probe = new Probe();
            Probe.Answer answer = state.records().tryProbe(place, key, probe);
            if (answer == Probe.Answer.UNKNOWN) {
                answer = probeFile(place, probe);
            }
            if (answer == Probe.Answer.SAME_KEY && probe.lsn() <= lsn) {
                found = new StoredValue(NOT_READ, probe.lsn());
                return true;
            }
            return false;
        }

        private Probe.Answer probeFile(long place, Probe into) {
            try {
                ValueRecord.Head head = state.records().head(place);
                if (head != null && Arrays.equals(head.key(), key)) {
                    into.found(head.valueLength(), head.lsn());
                    return Probe.Answer.SAME_KEY;
                }
            } catch (IOException | CorruptionException e) {
                failure = e;
            }
            return Probe.Answer.UNKNOWN;
        }

        private @Nullable StoredValue readFile(long place) {
            try {
                ValueRecord record = state.records().record(place);
                return record != null && Arrays.equals(record.key(), key)
                        ? new StoredValue(record.value(), record.lsn())
                        : null;
            } catch (IOException | CorruptionException e) {
                failure = e; // the record of the key may come yet
                return null;
            }
        }

        private void noteIfTooNew(long place, long itsLsn) {
            try {
                state.requireBegun(place, itsLsn);
            } catch (CorruptionException e) {
                failure = e; // an older record of the key may come yet, for a view
            }
        }

        /** Called when the key seems to have no value. A damaged record of another key may be this one's. */
        void requireSound(long hash) throws IOException {
            for (long place : others) {
                ValueRecord record = state.records().record(place);
                if (record != null && !state.hash().mayEnd(hash, record.key())) {
                    throw state.records().ofOtherKey(place);
                }
            }
            if (failure instanceof IOException e) {
                throw e;
            }
            if (failure instanceof CorruptionException e) {
                throw e;
            }
        }
    }

    /**
     * The value of a key in a view.
     *
     * @param viewLsn of an open view, or {@link Long#MAX_VALUE} for the newest state
     * @param lent takes the value if it can; then the answer has {@link LentValue#ELSEWHERE}
     */
    public StoredValue get(byte[] key, long viewLsn, @Nullable LentValue lent) throws IOException {
        return find(key, viewLsn, lent, false);
    }

    /** As {@link #get}, but the value is not read, and is empty if there is one. So it may be damaged. */
    public StoredValue find(byte[] key, long viewLsn) throws IOException {
        return find(key, viewLsn, null, true);
    }

    private StoredValue find(byte[] key, long viewLsn, @Nullable LentValue lent, boolean isKeyOnly) throws IOException {
        long hash = state.hash().of(key);
        state.records().values().log().noteRead();
        while (true) {
            long applied = state.appliedLsn();
            long lsn = Math.min(viewLsn, applied);
            Look look = new Look(key, lsn, lent, isKeyOnly);
            boolean isCertain = look(hash, look);
            StoredValue found = look.found;
            if (found != null) {
                return found;
            }
            // a key that was there at the moment of lsn was replaced by what is newer, or removed
            long removed = state.removals().last(hash);
            boolean isPast = look.isNewer || removed > lsn;
            if (isCertain && (viewLsn <= applied || !isPast || applied == state.appliedLsn())) {
                look.requireSound(hash);
                return new StoredValue(null, Math.min(lsn, removed));
            }
            Thread.onSpinWait();
        }
    }

    /** Returns false if a record was found and has gone meanwhile. */
    private boolean look(long hash, Look look) {
        PendingChange pending = state.pending().find(hash, look.key, look.lsn);
        if (pending != null) {
            return pending.isRemoval() || look.isOfKey(pending.place()) || look.failure != null;
        }
        state.directory().find(hash, look);
        boolean isPast = look.isNewer || state.removals().last(hash) > look.lsn;
        History.Old old = look.found == null && isPast ? state.history().first(hash) : null;
        while (old != null && look.found == null) {
            if (old.hash() == hash && old.replacedBy() > look.lsn) {
                look.isOfKey(old.place());
            }
            old = old.older();
        }
        return true;
    }
}
