package io.kvstore;

import io.kvstore.bytes.Slice;
import io.kvstore.data.EntryVisitor;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.error.StoreClosedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The cursor over a table file. The key of the present entry is in memory; a step and a value enter the file. */
final class FileCursor implements Cursor {

    private static final int MOST_VISITED = 128;
    private static final Slice NO_VALUE = Slice.of(new byte[0]);

    private final TableFile file;
    private final EngineCursor entries;
    private final boolean keysOnly;
    private long left;
    private boolean isAtEntry;
    private byte @Nullable [] key;
    private byte @Nullable [] value;
    private volatile boolean closed;

    FileCursor(TableFile file, EngineCursor entries, KeyRange range) {
        this.file = file;
        this.entries = entries;
        this.keysOnly = range.keysOnly();
        this.left = range.limit();
    }

    @Override
    public boolean next() {
        return file.call(this::step);
    }

    private boolean step() throws IOException {
        requireOpen();
        isAtEntry = false;
        key = null;
        value = null;
        if (left > 0 && entries.next()) {
            left--;
            isAtEntry = true;
        }
        return isAtEntry;
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreClosedException("the cursor was closed");
        }
    }

    private void requireEntry() {
        requireOpen();
        if (!isAtEntry) {
            throw new IllegalStateException("the cursor is at no entry");
        }
    }

    @Override
    public byte[] key() {
        requireEntry();
        byte[] known = key;
        if (known == null) {
            known = entries.key();
            key = known;
        }
        return known;
    }

    @Override
    public byte[] value() {
        requireEntry();
        byte[] known = value;
        if (known == null) {
            known = file.call(() -> valueHere().toArray());
            value = known;
        }
        return known;
    }

    private Slice valueHere() throws IOException {
        return keysOnly ? NO_VALUE : entries.valueHere();
    }

    @Override
    public void visit(EntryVisitor visitor) {
        boolean isMore = true;
        while (isMore) {
            isMore = file.call(() -> visitSome(visitor));
        }
        isAtEntry = false;
    }

    /** Passes a few entries on, so that a file that is closed meanwhile is not kept for long. */
    private boolean visitSome(EntryVisitor visitor) throws IOException {
        for (int i = 0; i < MOST_VISITED; i++) {
            if (!step()) {
                return false;
            }
            Slice here = valueHere();
            // only the slice, as the array around it has other records, too
            ByteBuffer buffer =
                    ByteBuffer.wrap(here.array(), here.offset(), here.length()).slice();
            if (!visitor.visit(entries.key(), buffer)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            entries.close();
        }
    }
}
