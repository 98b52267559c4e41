package io.kvstore.lsm;

import io.kvstore.io.Storage;
import io.kvstore.value.ValueSegment;
import io.kvstore.value.ValueSegmentInfo;
import java.io.IOException;

/** A value segment that versions share. */
final class ValueFile extends SharedFile {

    private final ValueSegment segment;

    ValueFile(ValueSegment segment, Storage storage) {
        super(storage);
        this.segment = segment;
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
