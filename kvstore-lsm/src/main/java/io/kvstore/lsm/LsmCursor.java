package io.kvstore.lsm;

import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.io.Slice;
import io.kvstore.lsm.sstable.EntryCursor;
import io.kvstore.lsm.sstable.EntryKind;
import io.kvstore.lsm.sstable.KeyBuffer;
import io.kvstore.value.NearValues;
import io.kvstore.value.ValuePointer;
import io.kvstore.value.ValueWindows;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a reader sees of all versions of all keys: of each key in a range the newest version that is visible, unless that is
 * a tombstone. Forward it comes first among the visible ones, in reverse last; so a reverse walk reads one key ahead.
 */
final class LsmCursor implements EngineCursor {

    private static final byte[] EMPTY = {};

    private final Version version;
    private final EntryCursor entries;
    private final KeyRange range;
    private final long viewLsn;
    private final IntConsumer scattered;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final NearValues near = new NearValues();
    private final ValueWindows windows;
    private final KeyBuffer key = new KeyBuffer();

    /** Has the entry that the walk is at. */
    private EntryCursor here;

    private boolean started;
    private boolean more;
    private byte[] value = EMPTY;
    private long valueLsn;
    private @Nullable ValuePointer pointer;

    /**
     * A cursor at no entry.
     *
     * @param version retained; released when the cursor is closed
     * @param scattered told at the end how many values were not near the one before
     */
    LsmCursor(Version version, EntryCursor entries, KeyRange range, long viewLsn, IntConsumer scattered) {
        this.version = version;
        this.entries = entries;
        this.here = entries;
        this.range = range;
        this.viewLsn = viewLsn;
        this.scattered = scattered;
        this.windows = new ValueWindows(range.limit());
    }

    @Override
    public boolean next() throws IOException {
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
        return version.read(from, key, lsn, near, windows);
    }

    @Override
    public byte[] key() {
        return key.toArray();
    }

    @Override
    public byte[] value() throws IOException {
        boolean isApart = range.reversed() ? pointer != null : here.kind() == EntryKind.VALUE_POINTER;
        return isApart ? valueHere().toWholeArray() : valueHere().toArray();
    }

    @Override
    public Slice valueHere() throws IOException {
        if (range.keysOnly()) {
            return Slice.of(EMPTY);
        }
        if (range.reversed()) {
            return pointer != null ? read(pointer, valueLsn) : Slice.of(value);
        }
        return here.kind() == EntryKind.VALUE_POINTER ? read(here.pointer(), here.lsn()) : here.value();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            version.release();
            scattered.accept(near.far());
        }
    }
}
