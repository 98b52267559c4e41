package io.kvstore.lsm;

import io.kvstore.io.Storage;
import io.kvstore.value.ValueSegment;
import io.kvstore.value.ValueSegmentInfo;
import java.io.IOException;

/** A value segment that versions share. */
final class ValueFile extends SharedFile {

    private final ValueSegment segment;
    private final boolean borrowed;

    ValueFile(ValueSegment segment, Storage storage, boolean borrowed) {
        super(storage);
        this.segment = segment;
        this.borrowed = borrowed;
    }

    /** A borrowed file is not deleted: a memtable wrote it and needs it until a manifest names it. */
    @Override
    void abandon() {
        if (borrowed) {
            discard();
        } else {
            super.abandon();
        }
    }

    ValueSegment segment() {
        return segment;
    }

    ValueSegmentInfo info() {
        return segment.info();
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
