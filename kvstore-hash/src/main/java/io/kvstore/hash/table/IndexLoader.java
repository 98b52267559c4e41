package io.kvstore.hash.table;

import io.kvstore.error.CorruptionException;
import io.kvstore.error.OverloadedException;
import io.kvstore.hash.file.IndexFile;
import io.kvstore.hash.file.IndexState;
import io.kvstore.hash.index.EntryWord;
import io.kvstore.hash.index.PageCopy;
import io.kvstore.hash.index.Room;
import java.io.IOException;

/** Fills the index of a table that is opened from its index file. */
public final class IndexLoader implements IndexState {

    private final TableState state;
    private final long expected;
    private long[] hashes = {};
    private long[] places = {};

    /** @param expected the number of entries that the file says */
    public IndexLoader(TableState state, long expected) {
        this.state = state;
        this.expected = expected;
    }

    public void load(IndexFile file) throws IOException {
        file.load(this);
        long found = state.directory().entries();
        if (found != expected) {
            throw new CorruptionException(
                    state.context().directory(),
                    -1,
                    "the index file leads to " + found + " entries; it should lead to " + expected);
        }
        countRecords();
    }

    private void countRecords() {
        PageCopy page = new PageCopy();
        for (long prefix = 0; prefix != PageCopy.END; prefix = page.next()) {
            state.directory().copy(prefix, page);
            for (int i = 0; i < page.count(); i++) {
                state.records().count(page.place(i));
            }
        }
    }

    @Override
    public void image(int[] firstBits, long[] words, int count) {
        if (hashes.length < count) {
            hashes = new long[count];
            places = new long[count];
        }
        for (int i = 0; i < count; i++) {
            hashes[i] = EntryWord.hash(firstBits[i], words[i]);
            places[i] = EntryWord.place(words[i]);
        }
        require(state.directory().fill(hashes, places, count));
    }

    @Override
    public void change(int hash, long old, long added) {
        if (old != 0) {
            state.directory().remove(EntryWord.hash(hash, old), EntryWord.place(old));
        }
        if (added != 0 && !state.directory().contains(EntryWord.hash(hash, added), EntryWord.place(added))) {
            insert(EntryWord.hash(hash, added), EntryWord.place(added));
        }
    }

    private void insert(long hash, long place) {
        require(state.directory().reserve(hash));
        state.directory().insert(hash, place);
    }

    private void require(Room room) {
        if (room != Room.RESERVED) {
            throw new OverloadedException(state.context().directory() + ": the index has "
                    + state.directory().entries() + " of " + expected
                    + " keys and no memory for more: about 19 bytes a key; raise memoryBytes");
        }
    }
}
