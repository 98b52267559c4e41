package io.kvstore.lsm;

import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.io.Slice;
import io.kvstore.lsm.sstable.EntryCursor;
import io.kvstore.lsm.sstable.EntryKind;
import io.kvstore.lsm.sstable.KeyBuffer;
import io.kvstore.lsm.sstable.Lookup;
import io.kvstore.value.NearValues;
import io.kvstore.value.ValuePointer;
import io.kvstore.value.ValueWindows;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a reader sees of all versions of all keys: of each key in a range the newest version that is visible, unless that is
 * a tombstone. Forward it comes first among the visible ones, in reverse last; so a reverse walk reads one key ahead.
 *
 * <h2>While nobody uses it</h2>
 *
 * <p>A cursor that {@linkplain #rest rests} holds its {@link Version} only until other files have what that held: then it lets
 * go of it, by itself or because it is told to, and finds its place in the current version when it is used again. What it sees
 * is there, because the lsn of its view is that of an open snapshot.
 *
 * <ol>
 *   <li>{@code state} is {@link #USED} while its thread may be inside, and {@link #LETTING_GO} while another one is. Only who
 *       has set one of these touches the other fields.
 *   <li>Files are closed only when the state is {@link #RESTING} again: nobody waits for that.
 * </ol>
 */
final class LsmCursor implements EngineCursor {

    private static final byte[] EMPTY = {};
    private static final int READ_AHEAD_BYTES = 128 << 10;
    private static final int USED = 0;
    private static final int RESTING = 1;
    private static final int LETTING_GO = 2;

    private final Versions versions;
    private final KeyRange range;
    private final long viewLsn;
    private final boolean isKept;
    private final IntConsumer scattered;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicInteger state = new AtomicInteger(USED);
    private final NearValues near = new NearValues();
    private final ValueWindows windows;
    private final KeyBuffer key = new KeyBuffer();

    /** Null when it was let go. */
    private @Nullable Version version;

    private EntryCursor entries;

    /** Has the entry that the walk is at. */
    private EntryCursor here;

    private boolean started;
    private boolean more;

    /** Whether the place in the version is that of the walk. */
    private boolean isPlaced = true;

    private byte[] value = EMPTY;
    private long valueLsn;
    private @Nullable ValuePointer pointer;

    /**
     * A cursor at no entry.
     *
     * @param versions where it finds what is current
     * @param version of these, retained; released when the cursor is closed, or rests
     * @param view what it sees: nothing above its lsn
     * @param scattered told at the end how many values were not near the one before
     */
    LsmCursor(Versions versions, Version version, KeyRange range, View view, IntConsumer scattered) {
        this.versions = versions;
        this.version = version;
        this.range = range;
        this.viewLsn = view.lsn();
        this.isKept = view.isKept();
        this.scattered = scattered;
        this.windows = new ValueWindows(range.limit());
        this.entries = version.cursor(range.reversed(), READ_AHEAD_BYTES, viewLsn);
        this.here = entries;
    }

    /**
     * What a cursor sees.
     *
     * @param lsn nothing above it
     * @param isKept whether an open snapshot keeps that
     */
    record View(long lsn, boolean isKept) {}

    @Override
    public boolean next() throws IOException {
        use();
        if (!started) {
            started = true;
            settle(
                    range.reversed()
                            ? entries.seek(range.upper(), range.upperInclusive())
                            : entries.seek(range.lower(), range.lowerInclusive()));
            return range.reversed() ? nextInReverse() : nextForward();
        }
        if (range.reversed()) {
            return nextInReverse();
        }
        skipKey();
        return nextForward();
    }

    @Override
    public void rest() {
        if (isKept && state.get() == USED && !closed.get()) {
            state.set(RESTING);
            letGoIfResting(); // what was replaced before is told to nobody any more
        }
    }

    /** Lets go of what other files have, if nobody uses the cursor; for any thread. */
    void letGoIfResting() {
        Version outdated = null;
        if (state.compareAndSet(RESTING, LETTING_GO)) {
            if (version != null && versions.isOutdated(version)) {
                outdated = version;
                version = null;
                isPlaced = false;
                entries = NoEntries.NONE;
                here = NoEntries.NONE;
            }
            state.set(RESTING);
        }
        if (outdated != null) {
            outdated.release();
        }
    }

    /** Has the place in a version; before anything is read. */
    private void use() throws IOException {
        wake();
        if (!isPlaced) {
            place();
        }
    }

    private void wake() {
        while (state.get() != USED && !state.compareAndSet(RESTING, USED)) {
            Thread.onSpinWait();
        }
    }

    private void place() throws IOException {
        if (version == null) {
            version = versions.pin();
            entries = version.cursor(range.reversed(), READ_AHEAD_BYTES, viewLsn);
            here = entries;
        }
        if (started && range.reversed()) {
            readAgain(version);
            if (more) {
                settle(entries.seek(key.toArray(), false));
            }
        } else if (started && more) {
            settle(entries.seek(key.toArray(), true));
            while (more && here.lsn() > viewLsn) {
                advance();
            }
            if (!more || !here.key().holds(key)) {
                throw new IllegalStateException("what an open snapshot sees at " + viewLsn + " is gone");
            }
        }
        isPlaced = true;
    }

    /** The value of a reverse walk's entry may lie elsewhere now. */
    private void readAgain(Version in) throws IOException {
        if (pointer != null) {
            Lookup lookup = new Lookup(key.toArray(), viewLsn);
            in.find(lookup);
            byte[] found = lookup.value();
            if (found == null) {
                throw new IllegalStateException("what an open snapshot sees at " + viewLsn + " is gone");
            }
            value = found;
            pointer = null;
        }
    }

    private void advance() throws IOException {
        settle(entries.advance());
    }

    private void settle(boolean moved) {
        more = moved;
        if (moved) {
            here = entries.source();
        }
    }

    private boolean nextForward() throws IOException {
        while (more && !isBeyond()) {
            if (here.lsn() > viewLsn) {
                advance();
                continue;
            }
            key.set(here.key());
            if (here.kind() != EntryKind.TOMBSTONE) {
                return true;
            }
            skipKey();
        }
        more = false;
        return false;
    }

    private void skipKey() throws IOException {
        while (more && here.key().holds(key)) {
            advance();
        }
    }

    private boolean nextInReverse() throws IOException {
        while (more && !isBeyond()) {
            key.set(here.key());
            boolean present = false;
            while (more && here.key().holds(key)) {
                if (here.lsn() <= viewLsn) {
                    present = here.kind() != EntryKind.TOMBSTONE;
                    keepValue(present && !range.keysOnly());
                }
                advance();
            }
            if (present) {
                return true;
            }
        }
        more = false;
        pointer = null;
        value = EMPTY;
        return false;
    }

    private boolean isBeyond() {
        byte[] bound = range.reversed() ? range.lower() : range.upper();
        if (bound == null) {
            return false;
        }
        int order = here.key().compare(bound);
        return range.reversed()
                ? order < 0 || (order == 0 && !range.lowerInclusive())
                : order > 0 || (order == 0 && !range.upperInclusive());
    }

    private void keepValue(boolean wanted) {
        boolean apart = wanted && here.kind() == EntryKind.VALUE_POINTER;
        pointer = apart ? here.pointer() : null;
        valueLsn = here.lsn();
        value = wanted && !apart ? here.value().toArray() : EMPTY;
    }

    private Slice read(ValuePointer from, long lsn) throws IOException {
        return Objects.requireNonNull(version).read(from, key, lsn, near, windows);
    }

    @Override
    public byte[] key() {
        return key.toArray();
    }

    @Override
    public byte[] value() throws IOException {
        use();
        boolean isApart = range.reversed() ? pointer != null : here.kind() == EntryKind.VALUE_POINTER;
        return isApart ? valueHere().toWholeArray() : valueHere().toArray();
    }

    @Override
    public Slice valueHere() throws IOException {
        if (range.keysOnly()) {
            return Slice.of(EMPTY);
        }
        use();
        if (range.reversed()) {
            return pointer != null ? read(pointer, valueLsn) : Slice.of(value);
        }
        return here.kind() == EntryKind.VALUE_POINTER ? read(here.pointer(), here.lsn()) : here.value();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            versions.remove(this);
            wake();
            if (version != null) {
                version.release();
            }
            scattered.accept(near.far());
        }
    }
}
