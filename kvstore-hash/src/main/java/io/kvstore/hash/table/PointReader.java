package io.kvstore.hash.table;

import io.kvstore.error.CorruptionException;
import io.kvstore.hash.index.PlaceCheck;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.Probe;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValueRecord;
import java.io.IOException;
import java.util.Arrays;
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

    private final TableState state;

    public PointReader(TableState state) {
        this.state = state;
    }

    /** Looks at the records to which an index leads, for one that a view shows. */
    private final class Look implements PlaceCheck {

        private final byte[] key;
        private final long lsn;
        private final @Nullable LentValue lent;
        private @Nullable StoredValue found;
        private @Nullable Exception failure;

        /** Whether the key has a record that the view does not see. */
        private boolean isNewer;

        Look(byte[] key, long lsn, @Nullable LentValue lent) {
            this.key = key;
            this.lsn = lsn;
            this.lent = lent;
        }

        /** Whether it is the key's record. Then it is {@link #found}, or the view does not see it. */
        @Override
        public boolean isOfKey(long place) {
            StoredValue read = state.records().tryRead(place, key, lent);
            if (read == null && mayBeThere(place)) {
                read = readFile(place);
            }
            if (read == null) {
                return false;
            }
            if (read.lsn() <= lsn) {
                found = read;
            } else {
                isNewer = true;
                if (lent != null) {
                    lent.close();
                }
            }
            return true;
        }

        private boolean mayBeThere(long place) {
            return state.records().tryProbe(place, key, new Probe()) != Probe.Answer.OTHER_KEY;
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

        void requireSound() throws IOException {
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
        long hash = state.hash().of(key);
        state.records().values().log().noteRead();
        while (true) {
            long applied = state.appliedLsn();
            long lsn = Math.min(viewLsn, applied);
            Look look = new Look(key, lsn, lent);
            boolean isCertain = look(hash, look);
            StoredValue found = look.found;
            if (found != null) {
                return found;
            }
            // a key that was there at the moment of lsn was replaced by what is newer, or removed
            long removed = state.removals().last(hash);
            boolean isPast = look.isNewer || removed > lsn;
            if (isCertain && (viewLsn <= applied || !isPast || applied == state.appliedLsn())) {
                look.requireSound();
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
