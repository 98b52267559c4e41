package io.kvstore.hash.table;

import io.kvstore.data.KeyOrder;
import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.OverloadedException;
import io.kvstore.hash.file.FirstLosses;
import io.kvstore.hash.file.IndexRemains;
import io.kvstore.hash.file.IndexState;
import io.kvstore.hash.index.Directory;
import io.kvstore.hash.index.EntryWord;
import io.kvstore.hash.index.PageCopy;
import io.kvstore.hash.index.PlaceCheck;
import io.kvstore.hash.index.Room;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.RecordSearch;
import io.kvstore.value.segment.ValueRecord;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentList;
import io.kvstore.value.segment.ValueSegmentUse;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the index of a damaged table, which is only read. Its sources are the whole blocks of the index file and the records in
 * the value segments. Of the records of a key, the one with the greatest lsn is the newest, because a moved record keeps its
 * lsn. Removals are in the index file alone. {@code docs/design/hash-table.md} has the rules.
 */
public final class IndexRebuild {

    /** Keys that are named, one by one, of those whose values may be old or removed. All are counted. */
    private static final int MOST_NAMED = 500;

    private final TableState state;
    private final IndexRemains remains;
    private final Findings losses;
    private final PlaceSet dropped = new PlaceSet();

    /** Places that the scan brought into the index, though whole blocks do not name them. */
    private final PlaceSet doubtful;

    /** The bytes of each segment that the newest commit lists. */
    private final Map<Long, Long> listed = new HashMap<>();

    private final FirstLosses shortSegments;
    private final FirstLosses unreadable;
    private final Look look = new Look();

    /** Whether the entries of the index file count. Without the seed nobody knows of which keys they are, if it lacks any. */
    private boolean isLed;

    private long lsn;
    private long doubts;

    /** Those that {@link #doubtful} has no room for. They are counted, and not named. */
    private long unlistedDoubts;

    private int named;

    /**
     * A rebuild that has not begun.
     *
     * @param losses gets the missing parts, and the keys in doubt
     * @param mostDoubtBytes the most memory for the places of these keys, if the heap has so much for them
     */
    public IndexRebuild(TableState state, IndexRemains remains, Findings losses, long mostDoubtBytes) {
        this.state = state;
        this.doubtful = new PlaceSet(mostDoubtBytes);
        this.remains = remains;
        this.losses = losses;
        this.shortSegments = new FirstLosses(losses);
        this.unreadable = new FirstLosses(losses);
        this.lsn = remains.commit().lsn();
    }

    /** Looks for another record of a key. */
    private final class Look implements PlaceCheck {

        private byte[] key = {};
        private long hash;
        private long place;
        private long otherLsn;

        /** The place of a record that cannot be read and, by its hash, is the key's; or {@link Places#NONE}. */
        private long unreadable;

        long other(byte[] ofKey, long itsHash, long but) {
            key = ofKey;
            hash = itsHash;
            place = but;
            unreadable = Places.NONE;
            return state.directory().find(hash, this);
        }

        @Override
        public boolean isOfKey(long found) {
            if (found == place) {
                return false;
            }
            ValueRecord record = readable(found);
            if (record == null) {
                unreadable = state.directory().isOf(hash, found) ? found : unreadable;
                return false;
            }
            otherLsn = record.lsn();
            return Arrays.equals(record.key(), key);
        }
    }

    /**
     * Fills the index.
     *
     * @param isDamageKnown whether damage was found before; if there is none at all, the index file is older than the table
     * @param checkpointLsn the lsn up to which the catalog says that the files of the table had all operations
     * @return the lsn of the newest operation in the index
     */
    public long run(boolean isDamageKnown, long checkpointLsn) throws IOException {
        if (!remains.isMissing() && remains.commit().lsn() < checkpointLsn) {
            distrustOlder(checkpointLsn);
        }
        boolean isWhole = checkSegments();
        isLed = remains.hasBlocks() && (remains.hasSeed() || remains.isComplete()); // after it may have been distrusted
        if (isLed) {
            isWhole &= load();
        }
        if (isWhole && !isDamageKnown) {
            remains.distrust(true);
        }
        if (!remains.isComplete()) {
            loadDropped();
            for (StoredSegment segment : state.records().values().log().segments()) {
                scan(segment);
            }
            unreadable.sumUp(state.context().directory(), "parts of value segments cannot be read");
            finish();
        }
        state.applied(lsn);
        return lsn;
    }

    /** The segments that {@link #run} had no need to search. */
    public ValueSegmentList unread() {
        return remains.isComplete() ? remains.commit().segments() : ValueSegmentList.EMPTY;
    }

    /** An older index file, or one of which a crash or damage took the end, lacks changes that were durable. */
    private void distrustOlder(long checkpointLsn) {
        if (remains.hasNewestCommit()) {
            losses.report(
                    remains.path(),
                    -1,
                    "ends at lsn " + remains.commit().lsn() + ", but was durable up to " + checkpointLsn
                            + "; keys that were removed since may be back");
        }
        remains.distrust(true);
    }

    /** Whether all segments are there that the newest commit lists, if that is known. Reports the others. */
    private boolean checkSegments() {
        boolean isWhole = true;
        for (ValueSegmentUse use : remains.commit().segments().segments()) {
            listed.put(use.number(), use.info().bytes());
            state.records().expect(use.number());
            StoredSegment segment = state.records().values().log().segment(use.number());
            long found = segment == null ? 0 : segment.end();
            if (remains.hasNewestCommit() && found < use.info().bytes()) {
                isWhole = false;
                String path = state.records().values().log().path(use.number());
                shortSegments.report(
                        path,
                        -1,
                        use.info().bytes() - found,
                        "has " + found + " bytes; it should have " + use.info().bytes());
            }
        }
        shortSegments.sumUp(state.context().directory(), "segments are missing or too short");
        return isWhole;
    }

    /** Loads what is whole of the index file. Returns whether it is the state of the newest commit, if it should be. */
    private boolean load() throws IOException {
        long expected = remains.commit().entries();
        long possible = state.records().values().mostRecords(); // which a commit that is wrong may exceed
        IndexLoader loader = new IndexLoader(state, Math.min(expected, possible));
        loader.load(remains);
        long found = state.directory().entries();
        if (!remains.isComplete() || found == expected) {
            return true;
        }
        losses.report(remains.path(), -1, "leads to " + found + " entries; it should lead to " + expected);
        if (remains.hasSeed()) {
            remains.distrust(false);
        }
        return false;
    }

    private void loadDropped() throws IOException {
        remains.load(new IndexState() {
            @Override
            public void image(int[] hashes, long[] words, int count) {
                // only changes drop places
            }

            @Override
            public void change(int hash, long old, long added) {
                if (old != 0) {
                    dropped.add(EntryWord.place(old));
                }
            }
        });
    }

    private void scan(StoredSegment segment) throws IOException {
        ValueSegment file = segment.file();
        if (file == null) {
            return;
        }
        RecordSearch search = new RecordSearch(
                file.target(), segment.number(), segment.end(), state.context().fileTag());
        search.run(
                (pointer, key, recordLsn, value) -> met(Records.placeOf(pointer), key, recordLsn),
                (from, to, wasSearched) -> lost(segment, from, to, wasSearched ? search : null));
    }

    /** @param search null if the part was not searched to its end */
    private void lost(StoredSegment segment, long from, long to, @Nullable RecordSearch search) {
        boolean isAtEnd = to == segment.end();
        long counted = remains.hasNewestCommit() ? listed.getOrDefault(segment.number(), 0L) : to;
        if (from >= counted || (isAtEnd && search != null && search.isZero(from, to))) {
            return; // nothing that the index file leads to
        }
        long bytes = Math.min(to, counted) - from;
        unreadable.report(
                segment.path(),
                from,
                bytes,
                bytes + " bytes cannot be read"
                        + (search == null
                                ? ", and were not searched, for they are full of what looks like records: "
                                : ": ")
                        + (isAtEnd && !remains.hasNewestCommit() ? "a write that a crash interrupted, or " : "")
                        + "a value that is lost, of a key that may be back with an older one");
    }

    private void met(long place, byte[] key, long recordLsn) {
        Directory index = state.directory();
        long hash = state.hash().of(key);
        boolean isNamed = index.contains(hash, place);
        if (!isNamed && remains.isLater(recordLsn)) {
            return; // the log has the operation
        }
        lsn = Math.max(lsn, recordLsn);
        long other = look.other(key, hash, place);
        boolean hasOther = other != Places.NONE;
        boolean isNewer = hasOther
                ? isNewer(place, recordLsn, other, hash)
                : look.unreadable == Places.NONE || isBehind(place, look.unreadable);
        long old = hasOther ? other : look.unreadable;
        if (isNamed) {
            if (hasOther || (isNewer && old != Places.NONE)) {
                index.remove(hash, isNewer ? old : place);
            }
        } else if (isNewer && old != Places.NONE) {
            index.replace(hash, old, place);
            doubt(place);
        } else if (isNewer && !remains.isDead(hash, recordLsn)) {
            insert(hash, place);
            doubt(place);
        }
    }

    /** Two records with one lsn are a record and its copy, or two changes of one operation, of which the later one counts. */
    private boolean isNewer(long place, long recordLsn, long other, long hash) {
        if (recordLsn != look.otherLsn) {
            return recordLsn > look.otherLsn;
        }
        boolean isCopy = remains.isDead(hash, recordLsn)
                && !doubtful.contains(other)
                && !isLater(place, other)
                && !isEmptied(other); // else a lost block moved it here
        return !isCopy && isBehind(place, other);
    }

    /** Whether a record that a whole block drops is a later copy than one that is named: a lost block may have moved it. */
    private boolean isLater(long place, long other) {
        return dropped.contains(place) && isBehind(place, other);
    }

    /** Whether a record was written after another one, by their places. */
    private static boolean isBehind(long place, long other) {
        long segments = (Places.segmentBits(place) - Places.segmentBits(other)) & (Places.SPAN - 1);
        return segments == 0 ? Places.offset(place) > Places.offset(other) : segments < Places.SPAN / 2;
    }

    private void insert(long hash, long place) {
        if (state.directory().reserve(hash) != Room.RESERVED) {
            throw new OverloadedException(state.context().directory() + ": the index has "
                    + state.directory().entries()
                    + " keys and no memory for more: about 19 bytes a key; give the process more memory");
        }
        state.directory().insert(hash, place);
    }

    private void doubt(long place) {
        if (isLed && !doubtful.tryAdd(place)) {
            unlistedDoubts++; // the heap has no room for their places
        }
    }

    private @Nullable ValueRecord readable(long place) {
        try {
            return state.records().record(place);
        } catch (CorruptionException | IOException e) {
            return null; // the scan of its segment reports it
        }
    }

    /** Takes out the keys whose newest record is dead, and tells of those whose newest record may be. */
    private void finish() {
        forEach((hash, place) -> {
            boolean isDoubtful = doubtful.contains(place);
            if (dropped.contains(place) || (!isDoubtful && unlistedDoubts == 0 && isEmptied(place))) {
                state.directory().remove(hash, place);
            } else if (isDoubtful) {
                doubts++;
            }
        });
        doubts += unlistedDoubts;
        tell(); // before the keys, of which a report may be full
        if (doubts > 0) {
            forEach((hash, place) -> {
                if (doubtful.contains(place) && named < MOST_NAMED) {
                    name(place);
                }
            });
        }
    }

    /** Whether the newest commit has no such place, so that a lost block dropped it. */
    private boolean isEmptied(long place) {
        long segment = state.records().segment(place);
        return remains.hasNewestCommit() && Places.offset(place) >= listed.getOrDefault(segment, 0L);
    }

    @FunctionalInterface
    private interface Entries {
        void entry(long hash, long place);
    }

    private void forEach(Entries visitor) {
        PageCopy page = new PageCopy();
        long prefix = 0;
        while (prefix != PageCopy.END) {
            state.directory().copy(prefix, page);
            for (int i = 0; i < page.count(); i++) {
                visitor.entry(page.hash(i), page.place(i));
            }
            prefix = page.next();
        }
    }

    private void name(long place) {
        ValueRecord record = readable(place);
        if (record != null) {
            named++;
            losses.report(
                    state.records().path(place),
                    state.records().offsetOf(place),
                    "key " + KeyOrder.display(record.key())
                            + " may have an older value here, or may have been removed: the index file does not say");
        }
    }

    private void tell() {
        long entries = state.directory().entries();
        if (!isLed) {
            losses.report(
                    state.context().directory(),
                    -1,
                    "without a whole index file the table is made of all records of its value segments: of " + entries
                            + " keys, those that were removed may be back");
            return;
        }
        String keys = entries + " keys, " + remains.commit().entries() + " at its newest whole commit";
        if (doubts > 0) {
            losses.report(
                    remains.path(),
                    -1,
                    "with parts of the index file lost, the table has " + keys + "; " + doubts
                            + " of them may have an older value, "
                            + (remains.hasNewestCommit() ? "" : "or a newer one than was acknowledged, ")
                            + "or may have been removed");
        }
        if (remains.lostChanges() > 0) {
            losses.report(
                    remains.path(),
                    -1,
                    "with " + remains.lostChanges() + " changes lost at most, the table has " + keys
                            + "; as many may have been removed, or replaced by values that are lost");
        }
    }
}
