package io.kvstore.hash.table;

import io.kvstore.error.OverloadedException;
import io.kvstore.hash.file.IndexCommit;
import io.kvstore.hash.file.IndexFile;
import io.kvstore.hash.file.IndexRemains;
import io.kvstore.hash.file.IndexState;
import io.kvstore.hash.index.BulkChanges;
import io.kvstore.hash.index.ImageFill;
import io.kvstore.hash.index.Room;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;

/** Fills the index of a table that is opened from its index file. */
public final class IndexLoader implements IndexState {

    private final TableState state;
    private final long expected;
    private final ImageFill images;
    private final BulkChanges changes;

    /** @param expected the number of entries that the file says */
    public IndexLoader(TableState state, long expected) {
        this.state = state;
        this.expected = expected;
        this.images = new ImageFill(state.directory(), expected);
        this.changes = new BulkChanges(state.directory());
    }

    /** Checks the newest commit of a file before any memory is taken by its numbers. */
    public static void requirePossible(IndexFile file) {
        IndexCommit commit = file.committed();
        ValueSegmentList list = commit.segments();
        if (commit.entries() > list.mostRecords()) {
            throw file.corrupt("a commit has " + commit.entries() + " entries, and segments with room for "
                    + list.mostRecords() + " records");
        }
        if (!list.segments().isEmpty()
                && list.nextNumber() - list.segments().getFirst().number() > Places.SPAN) {
            throw file.corrupt("a commit has segments from "
                    + list.segments().getFirst().number() + " on, and the next one is " + list.nextNumber());
        }
    }

    public void load(IndexFile file) throws IOException {
        file.load(this);
        applyChanges();
        long found = state.directory().entries();
        if (found != expected) {
            throw file.corrupt("the index file leads to " + found + " entries; it should lead to " + expected);
        }
        countRecords();
    }

    /** Loads the whole blocks of a damaged file, for a table that is only read. */
    void load(IndexRemains remains) throws IOException {
        remains.load(this);
        applyChanges();
    }

    /** Tells how many records of each segment are alive. */
    private void countRecords() {
        Records records = state.records();
        long first = records.first();
        int[] counts = new int[(int) Math.min(Places.SPAN, records.values().nextNumber() - first + 1)];
        state.directory().forEachPage((places, count) -> count(places, count, counts));
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                records.count(Places.of(first + i, 0), counts[i]);
            }
        }
    }

    private void count(long[] places, int count, int[] counts) {
        Records records = state.records();
        long first = records.first();
        for (int i = 0; i < count; i++) {
            int segment = (int) (Places.segment(places[i], first) - first);
            if (segment >= counts.length) {
                records.count(places[i], 1); // which says that the segment is missing
            } else {
                counts[segment]++;
            }
        }
    }

    @Override
    public void image(int[] firstBits, long[] words, int count) {
        require(images.fill(firstBits, words, count));
    }

    @Override
    public void change(int hash, long old, long added) {
        if (!changes.tryMakeRoom()) {
            applyChanges();
        }
        changes.add(hash, old, added);
    }

    private void applyChanges() {
        require(changes.apply(expected));
    }

    private void require(Room room) {
        if (room != Room.RESERVED) {
            throw new OverloadedException(state.context().directory() + ": the index has "
                    + state.directory().entries() + " of " + expected
                    + " keys and no memory for more: about 19 bytes a key; raise memoryBytes");
        }
    }
}
