package io.kvstore.value.append;

import io.kvstore.value.segment.ValueSegment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The segments of a {@code ValueStore} by number. A lookup takes no lock. */
public final class StoredSegments {

    private static final Index NONE = new Index(1, new StoredSegment[0]);

    private volatile Index index = NONE;

    private record Index(long first, @Nullable StoredSegment[] segments) {}

    /** The segment with a number, or null if it does not exist or was removed. */
    public @Nullable StoredSegment get(long number) {
        Index now = index;
        long at = number - now.first;
        return at >= 0 && at < now.segments.length ? now.segments[(int) at] : null;
    }

    synchronized void add(StoredSegment segment) {
        List<StoredSegment> all = all();
        all.add(segment);
        set(all);
    }

    synchronized void remove(long number) {
        List<StoredSegment> all = all();
        all.removeIf(segment -> segment.number() == number);
        set(all);
    }

    /** Closes all files, and then throws the first failure. */
    synchronized void close() throws IOException {
        Index all = index;
        index = NONE;
        Throwable first = null;
        for (StoredSegment segment : all.segments) {
            ValueSegment file = segment == null ? null : segment.file();
            try {
                if (file != null) {
                    file.close();
                }
            } catch (Throwable e) {
                first = first == null ? e : first;
            }
        }
        switch (first) {
            case null -> {
                // all files are closed
            }
            case IOException e -> throw e;
            case Throwable e -> throw new IOException("not all files of values could be closed", e);
        }
    }

    private void set(List<StoredSegment> all) {
        if (all.isEmpty()) {
            index = NONE;
            return;
        }
        long first = all.getFirst().number();
        StoredSegment[] segments =
                new StoredSegment[Math.toIntExact(all.getLast().number() - first + 1)];
        all.forEach(segment -> segments[(int) (segment.number() - first)] = segment);
        index = new Index(first, segments);
    }

    /** All segments in ascending order of their numbers. */
    public List<StoredSegment> all() {
        List<StoredSegment> all = new ArrayList<>();
        for (StoredSegment segment : index.segments) {
            if (segment != null) {
                all.add(segment);
            }
        }
        return all;
    }
}
