package io.kvstore.lsm.version;

import io.kvstore.bytes.Slice;
import io.kvstore.data.EmptySpans;
import io.kvstore.data.KeyRange;
import io.kvstore.data.KeySpan;
import io.kvstore.engine.EngineCursor;
import io.kvstore.error.StoreClosedException;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.lsm.entry.Lookup;
import io.kvstore.lsm.entry.MergingCursor;
import io.kvstore.value.policy.NearValues;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueWindows;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the keys that one view sees. For each key of a range it shows the newest visible version, unless that is a
 * tombstone. In a forward walk this version is the first visible one of its key. In a reverse walk it is the last, so the walk
 * reads one key ahead. Where nothing can be seen of many keys in a row, the cursor reports that to {@link EmptySpans}, and it
 * skips spans that are known.
 *
 * <h2>While nobody uses it</h2>
 *
 * <p>A cursor that {@linkplain #rest rests} holds its {@link Version} only until the files of that version are replaced. Then
 * it releases the version: when it begins to rest, or later when it is told to. When it is used again it finds its place in the
 * current version. The entries that it sees are still there, because the lsn of its view is that of an open snapshot.
 *
 * <ol>
 *   <li>{@code state} is {@link #USED} while the cursor's thread may be inside, and {@link #LETTING_GO} while another thread
 *       is. Only the thread that has set one of these values touches the other fields.
 *   <li>Files are closed only when the state is {@link #RESTING} again, so that no thread waits for the close.
 * </ol>
 */
public final class LsmCursor implements EngineCursor {

    private static final byte[] EMPTY = {};
    private static final int READ_AHEAD_BYTES = 128 << 10;

    /** With this number of versions of a key, a search finds the right one sooner than a walk. */
    private static final int MANY_VERSIONS = 64;

    /** The cursor asks the known gaps once in this number of keys that it passes. */
    private static final int GAP_CHECK = 16;

    private static final int STOP_CHECK = 1 << 10;
    private static final int USED = 0;
    private static final int RESTING = 1;
    private static final int LETTING_GO = 2;

    private final Shared shared;
    private final KeyRange range;
    private final long viewLsn;
    private final boolean isKept;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicInteger state = new AtomicInteger(USED);
    private final NearValues near = new NearValues();
    private final ValueWindows windows;
    private final KeyBuffer key = new KeyBuffer();

    /** Null after it was let go. */
    private @Nullable Version version;

    private EntryCursor entries;

    /** The source that has the entry at which the walk is. */
    private EntryCursor here;

    private boolean started;
    private boolean more;

    /** Whether the place in the version is that of the walk. */
    private boolean isPlaced = true;

    /** The first key passed since the last entry, and the last one. Nothing can be seen of either. */
    private final KeyBuffer firstPassed = new KeyBuffer();

    private final KeyBuffer lastPassed = new KeyBuffer();

    private int passed;

    /** Whether nothing was shown yet. */
    private boolean isAtBegin = true;

    private boolean isBehindGap;
    private boolean skippedOne;
    private BooleanSupplier isStopped = () -> false;
    private byte[] value = EMPTY;
    private long valueLsn;
    private @Nullable ValuePointer pointer;

    /** @param version the current version, retained; released when the cursor is closed, or when it rests */
    public LsmCursor(Shared shared, Version version, KeyRange range, View view) {
        this.shared = shared;
        this.version = version;
        this.range = range;
        this.viewLsn = view.lsn();
        this.isKept = view.isKept();
        this.windows = new ValueWindows(range.limit());
        this.entries = version.cursor(range.reversed(), READ_AHEAD_BYTES, viewLsn);
        this.here = entries;
    }

    /**
     * The objects that the cursors of a table share.
     *
     * @param scattered is told at the end how many values were not near the previous one
     */
    public record Shared(VersionHistory versions, EmptySpans gaps, IntConsumer scattered) {}

    /**
     * The view of a cursor.
     *
     * @param lsn nothing above it is visible
     * @param isKept whether an open snapshot keeps this view
     */
    public record View(long lsn, boolean isKept) {}

    @Override
    public boolean next() throws IOException {
        use();
        if (!started) {
            started = true;
            KeyRange rest = shared.gaps().behindGap(range, viewLsn);
            skippedOne = !rest.equals(range);
            settle(
                    range.reversed()
                            ? entries.seek(rest.upper(), rest.upperInclusive())
                            : entries.seek(rest.lower(), rest.lowerInclusive()));
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
        Version held = version;
        if (isKept && state.get() == USED && !closed.get()) {
            state.set(RESTING);
            if (held != null && shared.versions().isOutdated(held)) {
                letGoIfResting(); // the replacement came before the cursor rested, and nobody tells it again
            }
        }
    }

    /** Releases the version if its files were replaced and the cursor rests. May be called by any thread. */
    void letGoIfResting() {
        Version outdated = null;
        if (state.compareAndSet(RESTING, LETTING_GO)) {
            if (version != null && shared.versions().isOutdated(version)) {
                outdated = version;
                version = null;
                isPlaced = false;
                entries = MergingCursor.NONE;
                here = MergingCursor.NONE;
            }
            state.set(RESTING);
        }
        if (outdated != null) {
            outdated.release();
        }
    }

    /** Makes sure that the cursor has its place in a version. Called before anything is read. */
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
        Version current = version == null ? pin() : version;
        if (started && range.reversed()) {
            readAgain(current);
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

    private Version pin() {
        Version pinned = shared.versions().pin();
        try {
            entries = pinned.cursor(range.reversed(), READ_AHEAD_BYTES, viewLsn);
            here = entries;
            version = pinned;
        } catch (Throwable e) {
            pinned.release();
            throw e;
        }
        return pinned;
    }

    /** Reads the value of a reverse walk's entry again, because it may lie elsewhere in this version. */
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
            boolean isVisible = here.lsn() <= viewLsn;
            key.set(here.key());
            if (isVisible && here.kind() != EntryKind.TOMBSTONE) {
                return seen(true);
            }
            KeySpan gap = pass();
            if (gap != null) {
                settle(gap.to() != null && entries.seek(gap.to(), true));
            } else if (isVisible) {
                skipKey();
            } else {
                advance();
            }
        }
        more = false;
        return seen(false);
    }

    /** Tells others of the keys passed before an entry, or else before the end of the range. */
    private boolean seen(boolean isEntry) {
        if (EmptySpans.isWorthwhile(passed, skippedOne)) {
            byte[] first = firstPassed.toArray();
            KeySpan empty = KeySpan.passed(range, isAtBegin ? null : first, isEntry ? key.toArray() : null);
            shared.gaps().learn(empty, first, lastPassed.toArray(), viewLsn, passed);
        }
        passed = 0;
        skippedOne = false;
        isAtBegin = false;
        return isEntry;
    }

    /** Notes that nothing can be seen of a key. Returns the known gap around the key, or null. */
    private @Nullable KeySpan pass() {
        if (passed == 0) {
            firstPassed.set(key);
        } else if (passed % STOP_CHECK == 0 && isStopped.getAsBoolean()) {
            throw new StoreClosedException("the cursor was closed while it walked over what was removed");
        }
        lastPassed.set(key);
        boolean asks =
                (passed % GAP_CHECK == 0 || isBehindGap) && !shared.gaps().isNone();
        KeySpan gap = asks ? shared.gaps().around(key.toArray(), viewLsn) : null;
        isBehindGap = gap != null;
        skippedOne |= isBehindGap;
        passed++;
        return gap;
    }

    private void skipKey() throws IOException {
        int versionsPassed = 0;
        while (more && here.key().holds(key)) {
            if (++versionsPassed == MANY_VERSIONS) {
                settle(entries.seek(key.toArray(), false));
            } else {
                advance();
            }
        }
    }

    private boolean nextInReverse() throws IOException {
        while (more && !isBeyond()) {
            key.set(here.key());
            if (readInReverse()) {
                return seen(true);
            }
            KeySpan gap = pass();
            if (gap != null) {
                settle(more && gap.from() != null && entries.seek(gap.from(), false));
            }
        }
        more = false;
        pointer = null;
        value = EMPTY;
        return seen(false);
    }

    /** Goes past all versions of a key and keeps the visible one. Returns whether there is a visible value. */
    private boolean readInReverse() throws IOException {
        boolean present = false;
        int versionsPassed = 0;
        while (more && here.key().holds(key)) {
            if (++versionsPassed == MANY_VERSIONS) {
                Lookup lookup = new Lookup(key.toArray(), viewLsn);
                Objects.requireNonNull(version).find(lookup);
                byte[] found = lookup.value();
                value = found == null ? EMPTY : found;
                pointer = null;
                settle(entries.seek(key.toArray(), false));
                return found != null;
            }
            if (here.lsn() <= viewLsn) {
                present = here.kind() != EntryKind.TOMBSTONE;
                keepValue(present && !range.keysOnly());
            }
            advance();
        }
        return present;
    }

    @Override
    public void stopWhen(BooleanSupplier isClosed) {
        isStopped = isClosed;
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
            shared.versions().remove(this);
            wake();
            if (version != null) {
                version.release();
            }
            shared.scattered().accept(near.far());
        }
    }
}
