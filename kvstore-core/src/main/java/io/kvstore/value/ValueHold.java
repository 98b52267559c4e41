package io.kvstore.value;

import io.kvstore.engine.HeldFile;
import io.kvstore.engine.TableContext;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.RecordCheck;
import io.kvstore.value.segment.ValueSegmentList;
import io.kvstore.value.segment.ValueSegmentUse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Leases of the segments that a durable list names, so that their files stay. The bytes that the list knows do not change: a
 * segment only grows behind them.
 */
public final class ValueHold implements AutoCloseable {

    private final TableContext context;
    private final ValueSegmentList list;
    private final List<StoredSegment> segments;
    private final Consumer<ValueHold> whenClosed;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param segments of the list, each with a lease for this hold */
    ValueHold(
            TableContext context, ValueSegmentList list, List<StoredSegment> segments, Consumer<ValueHold> whenClosed) {
        this.context = context;
        this.list = list;
        this.segments = segments;
        this.whenClosed = whenClosed;
    }

    public List<HeldFile> files() {
        List<HeldFile> files = new ArrayList<>();
        for (int i = 0; i < segments.size(); i++) {
            ValueSegmentUse use = list.segments().get(i);
            files.add(file(context, segments.get(i), use.info().bytes()));
        }
        return files;
    }

    /** A segment of which somebody has a lease, up to an offset at which a record ends, and up to which it is durable. */
    public static HeldFile file(TableContext context, StoredSegment segment, long bytes) {
        return HeldFile.of(
                context.storage(),
                segment.path(),
                bytes,
                segment.isComplete(bytes),
                () -> new RecordCheck(segment.path(), context.fileTag(), segment.number()));
    }

    /** Bytes of the segments into which nothing of the newest state points. */
    public long pinnedBytes() {
        return segments.stream()
                .filter(StoredSegment::isEmptied)
                .mapToLong(StoredSegment::end)
                .sum();
    }

    List<StoredSegment> segments() {
        return segments;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            segments.forEach(StoredSegment::release);
            whenClosed.accept(this);
        }
    }
}
