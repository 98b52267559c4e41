package io.kvstore.lsm.version;

import io.kvstore.io.Storage;
import io.kvstore.value.ValueSegment;
import io.kvstore.value.ValueSegmentInfo;
import java.io.IOException;

/** A value segment that versions share. */
public final class ValueFile extends SharedFile {

    private final ValueSegment segment;
    private final Origin origin;

    /** A file in order is scattered where much of it is dead, or it is one of many: to write it anew may not help. */
    private static final int PATIENCE_IN_ORDER = 8;

    /** Changed by all readers without a lock: a hint, some of them are lost. */
    private long scattered;

    /** Who wrote the file. */
    public enum Origin {
        /** It was there when the table was opened. */
        FOUND,
        /** A memtable, in the order of arrival. */
        BORROWED,
        /** A flush or a compaction, in the order of keys. */
        MADE
    }

    ValueFile(ValueSegment segment, Storage storage, Origin origin) {
        super(storage);
        this.segment = segment;
        this.origin = origin;
    }

    /** Whether its values are known to be in the order of their keys. */
    public boolean isInOrder() {
        return origin == Origin.MADE;
    }

    /** A cursor had to wait for a value that was not near the one before. */
    void noteScattered() {
        scattered++;
    }

    /** How many values cursors read that were not near the one before; roughly. */
    public long scattered() {
        return scattered;
    }

    public void forgetScattered() {
        scattered = 0;
    }

    /** Whether cursors have waited once for each value; several times if all are in order already. */
    public boolean isScattered() {
        return scattered > (isInOrder() ? PATIENCE_IN_ORDER : 1L) * info().records();
    }

    /** A borrowed file is not deleted: a memtable needs it until a manifest names it. */
    @Override
    public void abandon() {
        if (origin == Origin.BORROWED) {
            discardIfNew();
        } else {
            super.abandon();
        }
    }

    public ValueSegment segment() {
        return segment;
    }

    public ValueSegmentInfo info() {
        return segment.info();
    }

    @Override
    long bytes() {
        return info().bytes();
    }

    @Override
    String path() {
        return segment.path();
    }

    @Override
    void close() throws IOException {
        segment.close();
    }
}
