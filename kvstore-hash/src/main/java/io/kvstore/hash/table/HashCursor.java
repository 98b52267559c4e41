package io.kvstore.hash.table;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.hash.index.PageCopy;
import io.kvstore.value.segment.ValueRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A walk over the entries of a view in the order of the table: by the first 32 bits of the hash, then by the key. It copies the
 * places of one page of the index at a time, with those that were replaced. Then it reads the records, without a lock. If a
 * record has gone, because it was moved, it copies the page again.
 */
public final class HashCursor implements EngineCursor {

    private static final Comparator<Found> BY_KEY = Comparator.comparing(Found::key, KeyOrder.COMPARATOR);

    private final TableState state;
    private final PointReader reader;
    private final long lsn;
    private final boolean keysOnly;
    private final byte @Nullable [] after;
    private final long afterPrefix;
    private final PageCopy page = new PageCopy();
    private final ReadAhead ahead;

    /** Prefixes in the upper half, so that they can be sorted; the index of the place in the lower half. */
    private long[] order = {};

    private long[] places = {};
    private int count;
    private int at;
    private long nextPrefix;

    /** The last place whose record had gone. */
    private long gonePlace = Places.NONE;

    /** Entries that begin with the same 32 bits, in the order of their keys. */
    private List<Found> found = List.of();

    private int foundAt;
    private BooleanSupplier closed = () -> false;

    /** @param value null if it is read once more when it is asked for */
    private record Found(byte[] key, long place, byte @Nullable [] value) {}

    /** @param lsn of an open view, or of the newest state if nothing is written meanwhile */
    public HashCursor(TableState state, PointReader reader, KeyRange range, long lsn) {
        this.state = state;
        this.reader = reader;
        this.ahead = new ReadAhead(state.context().clock(), state.files());
        this.lsn = lsn;
        this.keysOnly = range.keysOnly();
        this.after = range.after();
        this.afterPrefix = after == null ? -1 : prefix(state.hash().of(after));
        this.nextPrefix = after == null ? 0 : afterPrefix;
    }

    private static long prefix(long hash) {
        return hash >>> Integer.SIZE;
    }

    @Override
    public void stopWhen(BooleanSupplier isClosed) {
        closed = isClosed;
    }

    @Override
    public boolean next() throws IOException {
        foundAt++;
        while (foundAt >= found.size()) {
            if (at == count && nextPrefix == PageCopy.END) {
                return false;
            }
            if (closed.getAsBoolean()) {
                throw new StoreClosedException("the cursor was closed");
            }
            if (at == count) {
                copy(nextPrefix);
            } else {
                ahead.before(at, count, this::touch);
                readGroup();
            }
            foundAt = 0; // only a walk that goes on behind a damaged record begins before the first one
        }
        return true;
    }

    /** Copies the places of the page that has a prefix, from the prefix on. */
    private void copy(long from) throws IOException {
        found = List.of();
        state.settled(() -> {
            state.directory().copy(from, page);
            count = 0;
            at = 0;
            for (int i = 0; i < page.count(); i++) {
                add(from, page.hash(i), page.place(i));
            }
            addOld(from);
            nextPrefix = page.next();
            return null;
        });
        Arrays.sort(order, 0, count);
        ahead.restart();
    }

    /** Copies a page again because the record at a place has gone: it was moved, and its entry leads elsewhere now. */
    private void copyAgain(long prefix, long place) throws IOException {
        if (place == gonePlace) {
            throw new CorruptionException(
                    state.records().path(place), state.records().offsetOf(place), "an entry leads to what has gone");
        }
        gonePlace = place;
        copy(prefix);
    }

    /** Reads the first bytes of a record, so that the system's cache has them. */
    private void touch(int index) throws IOException {
        long place = places[(int) order[index]];
        if (!state.records().tryTouch(place)) {
            var _ = state.records().head(place);
        }
    }

    private void add(long from, long hash, long place) {
        if (prefix(hash) < from) {
            return;
        }
        if (count == order.length) {
            order = Arrays.copyOf(order, Math.max(page.count(), 2 * count + 1));
            places = Arrays.copyOf(places, order.length);
        }
        order[count] = (prefix(hash) + Integer.MIN_VALUE) << Integer.SIZE | count;
        places[count++] = place;
    }

    private void addOld(long from) {
        for (long first = from << Integer.SIZE, last = (page.next() - 1) << Integer.SIZE; ; ) {
            for (History.Old old = state.history().first(first); old != null; old = old.older()) {
                if (old.replacedBy() > lsn && prefix(old.hash()) < page.next()) {
                    add(from, old.hash(), old.place());
                }
            }
            long next = (first & -History.listLength()) + History.listLength();
            if (next == 0 || Long.compareUnsigned(next, last) > 0) {
                return;
            }
            first = next;
        }
    }

    private long prefixAt(int index) {
        return (order[index] >> Integer.SIZE) - Integer.MIN_VALUE;
    }

    /** Reads the records of the next entries that begin alike. After a damaged one the walk goes on behind it. */
    private void readGroup() throws IOException {
        long prefix = prefixAt(at);
        int end = at + 1;
        while (end < count && prefixAt(end) == prefix) {
            end++;
        }
        boolean isAlone = end == at + 1;
        List<Found> group = new ArrayList<>(end - at);
        List<CorruptionException> damages = new ArrayList<>(0);
        for (int i = at; i < end; i++) {
            try {
                long place = places[(int) order[i]];
                Found entry = keysOnly ? keyAt(prefix, place) : null;
                if (entry == null) {
                    ValueRecord record = state.records().record(place);
                    if (record == null) {
                        copyAgain(prefix, place);
                        return;
                    }
                    if (!state.hash().mayBegin(prefix, record.key())) {
                        throw state.records().ofOtherKey(place);
                    }
                    byte[] value = isAlone && !keysOnly ? record.value() : null;
                    entry = isShown(place, record.lsn()) ? new Found(record.key(), place, value) : null;
                }
                if (entry != null && isBehind(prefix, entry.key)) {
                    group.add(entry);
                }
            } catch (CorruptionException e) {
                damages.add(e);
            }
        }
        group.sort(BY_KEY);
        at = end;
        found = group;
        foundAt = -1;
        if (!damages.isEmpty()) {
            throw damages.getFirst();
        }
    }

    private boolean isShown(long place, long itsLsn) {
        if (itsLsn <= lsn) {
            return true;
        }
        state.requireBegun(place, itsLsn);
        return false;
    }

    /**
     * An entry whose value is not read. Null if the head of the record, which is not checked, says that the view does not show
     * it, or has a key whose hash begins otherwise: then the record is to be read as a whole, because it may be damaged.
     */
    private @Nullable Found keyAt(long prefix, long place) throws IOException {
        ValueRecord.Head head = state.records().head(place);
        if (head == null || head.lsn() > lsn) {
            return null;
        }
        byte[] key = head.key();
        return prefix(state.hash().of(key)) == prefix ? new Found(key, place, null) : null;
    }

    private boolean isBehind(long prefix, byte[] key) {
        return after == null || prefix > afterPrefix || KeyOrder.compare(key, after) > 0;
    }

    @Override
    public byte[] key() {
        return found.get(foundAt).key.clone();
    }

    @Override
    public byte[] value() throws IOException {
        Found entry = found.get(foundAt);
        if (entry.value != null) {
            return entry.value.clone();
        }
        ValueRecord record = state.records().record(entry.place);
        byte[] value = record == null ? reader.get(entry.key, lsn, null).value() : record.value();
        if (value == null) {
            throw new IllegalStateException("a view has lost an entry");
        }
        return value;
    }

    @Override
    public void rest() {
        // places are looked at again if their records have gone
    }

    @Override
    public void close() {
        found = List.of();
        count = 0;
        at = 0;
        nextPrefix = PageCopy.END;
    }
}
