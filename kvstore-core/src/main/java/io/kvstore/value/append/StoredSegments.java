package io.kvstore.value.append;

import io.kvstore.error.Closing;
import io.kvstore.value.segment.ValueSegment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a {@code ValueLog} by number. A lookup takes no lock. It begins at the low bits of the number, in a table of
 * two to four times as many slots as segments. Neighbouring numbers have neighbouring slots, so few collide, although some
 * numbers are left out.
 */
public final class StoredSegments {

    private static final Index NONE = Index.of(List.of());

    private volatile Index index = NONE;

    /**
     * An immutable table of segments.
     *
     * @param ordered in ascending order of their numbers
     * @param slots each segment is at its number modulo the number of slots, or in the first free slot behind
     */
    private record Index(
            List<StoredSegment> ordered, @Nullable StoredSegment[] slots) {

        static Index of(List<StoredSegment> ordered) {
            @Nullable StoredSegment[] slots = new StoredSegment[Integer.highestOneBit(ordered.size() + 1) * 4];
            for (StoredSegment segment : ordered) {
                int at = (int) segment.number() & (slots.length - 1);
                while (slots[at] != null) {
                    at = (at + 1) & (slots.length - 1);
                }
                slots[at] = segment;
            }
            return new Index(ordered, slots);
        }
    }

    public @Nullable StoredSegment get(long number) {
        @Nullable StoredSegment[] slots = index.slots;
        int at = (int) number & (slots.length - 1);
        StoredSegment found = slots[at];
        while (found != null && found.number() != number) {
            at = (at + 1) & (slots.length - 1);
            found = slots[at];
        }
        return found;
    }

    synchronized void add(StoredSegment segment) {
        List<StoredSegment> all = new ArrayList<>(all());
        all.add(segment);
        all.sort(Comparator.comparingLong(StoredSegment::number));
        index = Index.of(List.copyOf(all));
    }

    /** Removes a segment. Returns false if it is not there, or another one has its number. */
    synchronized boolean remove(StoredSegment segment) {
        List<StoredSegment> all = new ArrayList<>(all());
        boolean removed = all.removeIf(one -> one == segment);
        index = Index.of(List.copyOf(all));
        return removed;
    }

    /** Closes all files, and then throws the first failure. */
    synchronized void close() throws IOException {
        List<StoredSegment> all = all();
        index = NONE;
        try (Closing closing = new Closing("not all files of values could be closed")) {
            for (StoredSegment segment : all) {
                ValueSegment file = segment.file();
                if (file != null) {
                    closing.attempt(file);
                }
            }
        }
    }

    public List<StoredSegment> all() {
        return index.ordered;
    }
}
