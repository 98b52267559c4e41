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
        this.range = range;
        this.viewLsn = viewLsn;
        this.scattered = scattered;
        this.windows = new ValueWindows(range.limit());
    }

    @Override
    public boolean next() throws IOException {
        if (!started) {
            started = true;
            more = range.reversed()
                    ? entries.seek(range.upper(), range.upperInclusive())
                    : entries.seek(range.lower(), range.lowerInclusive());
            return range.reversed() ? nextInReverse() : nextForward();
        }
        if (range.reversed()) {
            return nextInReverse();
        }
        skipKey();
        return nextForward();
    }

    private boolean nextForward() throws IOException {
        while (more && !isBeyond()) {
            if (entries.lsn() > viewLsn) {
                more = entries.advance();
                continue;
            }
            key.set(entries.key());
            if (entries.kind() != EntryKind.TOMBSTONE) {
                return true;
            }
            skipKey();
        }
        more = false;
        return false;
    }

    private void skipKey() throws IOException {
        while (more && entries.key().holds(key)) {
            more = entries.advance();
        }
    }

    private boolean nextInReverse() throws IOException {
        while (more && !isBeyond()) {
            key.set(entries.key());
            boolean present = false;
            while (more && entries.key().holds(key)) {
                if (entries.lsn() <= viewLsn) {
                    present = entries.kind() != EntryKind.TOMBSTONE;
                    keepValue(present && !range.keysOnly());
                }
                more = entries.advance();
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
        int order = entries.key().compare(bound);
        return range.reversed()
                ? order < 0 || (order == 0 && !range.lowerInclusive())
                : order > 0 || (order == 0 && !range.upperInclusive());
    }

    private void keepValue(boolean wanted) {
        boolean apart = wanted && entries.kind() == EntryKind.VALUE_POINTER;
        pointer = apart ? entries.pointer() : null;
        valueLsn = entries.lsn();
        value = wanted && !apart ? entries.value().toArray() : EMPTY;
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
        boolean isApart = range.reversed() ? pointer != null : entries.kind() == EntryKind.VALUE_POINTER;
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
        return entries.kind() == EntryKind.VALUE_POINTER ? read(entries.pointer(), entries.lsn()) : entries.value();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            version.release();
            scattered.accept(near.far());
        }
    }
}
