package io.kvstore.value.append;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Segments whose last lease was given back, and whose files are still there. A segment is added once. Nothing here takes
 * memory, so that no segment is forgotten where there is none. Any thread may add; one thread at a time takes.
 */
final class UnleasedSegments {

    /** The segment that was added last; {@link StoredSegment#unleasedBefore} has the one before it. */
    private final AtomicReference<@Nullable StoredSegment> last = new AtomicReference<>();

    boolean isEmpty() {
        return last.get() == null;
    }

    void add(StoredSegment segment) {
        StoredSegment before = last.get();
        segment.unleasedBefore = before;
        while (!last.compareAndSet(before, segment)) {
            before = last.get();
            segment.unleasedBefore = before;
        }
    }

    /** Takes all segments, one after the other. When the action throws something, its segment stays, and so do the others. */
    void takeAll(Consumer<StoredSegment> action) {
        StoredSegment next = last.getAndSet(null);
        try {
            while (next != null) {
                StoredSegment taken = next;
                StoredSegment before = taken.unleasedBefore;
                action.accept(taken);
                next = before;
            }
        } finally {
            while (next != null) {
                StoredSegment left = next;
                next = left.unleasedBefore;
                add(left);
            }
        }
    }
}
