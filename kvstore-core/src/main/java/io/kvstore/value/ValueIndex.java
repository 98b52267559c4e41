package io.kvstore.value;

import io.kvstore.engine.HintCounter;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.StoredValue;
import org.jspecify.annotations.Nullable;

/**
 * Answers gets from the {@link HashIndex} of a table and the records to which it leads. The table's writer tells the
 * {@link #places} of its changes, and {@link IndexFiller} makes and fills them.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A value that is found belongs to the key, because its record has the key. It was the newest one at some moment of the
 *       call.
 *   <li>The answer that a key is absent rests on every operation up to the lsn of the answer. Only an index that was told of
 *       every key gives it.
 * </ol>
 */
public final class ValueIndex {

    private final HashIndex places;
    private final ValueLog log;

    /** Counts gets that had to search for a key that could be known. */
    final HintCounter searches = new HintCounter();

    public ValueIndex(HashIndex places, ValueLog log) {
        this.places = places;
        this.log = log;
    }

    public HashIndex places() {
        return places;
    }

    /**
     * Looks up the newest value of a key. Never fails and makes no system call.
     *
     * @param lsn a later value does not count
     * @return null if the table has to be searched; without a value if the key is absent, whatever {@code lsn} is
     */
    public @Nullable StoredValue find(byte[] key, long lsn) {
        return find(key, lsn, null);
    }

    /** As {@link #find(byte[], long)}. Lends the value if it can; then the answer has {@link LentValue#ELSEWHERE}. */
    public @Nullable StoredValue find(byte[] key, long lsn, @Nullable LentValue lent) {
        if (places.isEmpty()) {
            return null; // without a hash of the key
        }
        long entry = places.find(places.keyHash().of(key));
        if (entry == HashIndex.UNKNOWN) {
            return null;
        }
        if (entry == HashIndex.ABSENT) {
            return new StoredValue(null, places.lsn());
        }
        log.noteRead();
        StoredValue found = log.tryRead(HashIndex.segmentOf(entry), HashIndex.offsetOf(entry), key, lent);
        if (found == null || found.lsn() <= lsn) {
            return found;
        }
        if (lent != null) {
            lent.close();
        }
        return null;
    }

    /** Called when a get had to search for a key that could be known here. */
    public void noteSearch() {
        searches.increment();
    }
}
