package io.kvstore.value.append;

import io.kvstore.value.segment.ValueSegment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads whole segments of a {@code ValueLog} while other threads may remove them. Errors are ignored for a segment that was
 * removed while it was read: nothing points to its values any more.
 */
public final class SegmentWalk {

    private final StoredSegments segments;

    public SegmentWalk(StoredSegments segments) {
        this.segments = segments;
    }

    @FunctionalInterface
    public interface Showing {

        void show(ValueSegment file, ValueSegment.Visitor visitor) throws IOException;
    }

    @FunctionalInterface
    public interface Reading {

        void read(ValueSegment file) throws IOException;
    }

    /** Shows records of a segment. Stops without an error if it is removed; an error of the visitor is always thrown. */
    public void show(long number, ValueSegment.Visitor visitor, Showing how) throws IOException {
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

    /** Reads a segment. Does nothing if it does not exist, and stops without an error if it is removed. */
    public void read(long number, Reading how) throws IOException {
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
