package io.kvstore.value;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads whole segments of a {@link ValueStore} while others may take them away: who reads one that goes is done with it, as
 * nothing points to what it had.
 */
final class SegmentWalk {

    private final StoredSegments segments;

    SegmentWalk(StoredSegments segments) {
        this.segments = segments;
    }

    /** How records of a file are read. */
    @FunctionalInterface
    interface Showing {

        void show(ValueSegment file, ValueSegment.Visitor visitor) throws IOException;
    }

    /** How a file is read. */
    @FunctionalInterface
    interface Reading {

        void read(ValueSegment file) throws IOException;
    }

    /** Shows records of a segment as long as it is there. */
    void show(long number, ValueSegment.Visitor visitor, Showing how) throws IOException {
        List<IOException> ofVisitor = new ArrayList<>(1);
        read(
                number,
                file -> how.show(file, (pointer, key, lsn, value) -> {
                    try {
                        visitor.record(pointer, key, lsn, value);
                    } catch (IOException e) {
                        ofVisitor.add(e);
                        throw e;
                    }
                }));
        if (!ofVisitor.isEmpty()) {
            throw ofVisitor.getFirst();
        }
    }

    /** Reads a segment if it is there. */
    void read(long number, Reading how) throws IOException {
        StoredSegment segment = segments.get(number);
        ValueSegment file = segment == null ? null : segment.file();
        try {
            if (file != null) {
                how.read(file);
            }
        } catch (IllegalStateException | IOException e) {
            if (segments.get(number) != null) {
                throw e;
            }
        }
    }
}
