package io.kvstore.lsm.version;

import io.kvstore.io.Storage;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentInfo;
import java.io.IOException;

/** A value segment that versions share. */
public final class ValueFile extends SharedFile {

    private final ValueSegment segment;
    private final Origin origin;

    /**
     * Values of an ordered file are read scattered where many of them are dead, or where the file is one of many. To write
     * such a file anew may not help, so scans have to wait for its values this number of times.
     */
    private static final int PATIENCE_IN_ORDER = 8;

    /** Incremented by all readers without a lock. A hint: some increments are lost. */
    private long scattered;

    /** How the file was written. */
    public enum Origin {
        /** The file was there when the table was opened. */
        FOUND,
        /** A memtable wrote it, in the order of arrival. */
        BORROWED,
        /** A flush or a compaction wrote it, in the order of keys. */
        MADE
    }

    ValueFile(ValueSegment segment, Storage storage, Origin origin) {
        super(storage);
        this.segment = segment;
        this.origin = origin;
    }

    /** Whether the values are known to be in the order of their keys. */
    public boolean isInOrder() {
        return origin == Origin.MADE;
    }

    /** Notes that a cursor had to wait for a value that was not near the previous one. */
    void noteScattered() {
        scattered++;
    }

    /** About how many values cursors read that were not near the previous one. */
    public long scattered() {
        return scattered;
    }

    public void forgetScattered() {
        scattered = 0;
    }

    /** Whether cursors have waited once for each value, or several times if the values are already in order. */
    public boolean isScattered() {
        return scattered > (isInOrder() ? PATIENCE_IN_ORDER : 1L) * info().records();
    }

    /** A borrowed file is closed but not deleted: a memtable needs it until a manifest names it. */
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
