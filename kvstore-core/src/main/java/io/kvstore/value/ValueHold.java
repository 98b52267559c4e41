package io.kvstore.value;

import io.kvstore.engine.FileHold;
import io.kvstore.engine.FileLease;
import io.kvstore.engine.HeldFile;
import io.kvstore.engine.TableContext;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.RecordCheck;
import io.kvstore.value.segment.ValueSegmentUse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Leases of the segments that a durable list names, so that their files stay. The bytes that the list knows do not change: a
 * segment only grows behind them.
 */
public final class ValueHold {

    private final List<Held> held = new ArrayList<>();

    private record Held(StoredSegment segment, HeldFile file) {}

    /**
     * Describes the segments to be held. {@link #retain} holds them.
     *
     * @param segments of the list, in its order
     * @param whenReturned is told of each segment that was let go
     */
    ValueHold(
            TableContext context,
            List<ValueSegmentUse> list,
            List<StoredSegment> segments,
            BiConsumer<ValueHold, StoredSegment> whenReturned) {
        for (int i = 0; i < segments.size(); i++) {
            StoredSegment segment = segments.get(i);
            held.add(new Held(segment, file(context, segment, list.get(i).info().bytes(), () -> {
                segment.release();
                whenReturned.accept(this, segment);
            })));
        }
    }

    /** A segment up to an offset at which a record ends, and up to which it is durable. The caller takes a lease next. */
    public static HeldFile file(TableContext context, StoredSegment segment, long bytes) {
        return file(context, segment, bytes, segment::release);
    }

    private static HeldFile file(TableContext context, StoredSegment segment, long bytes, Runnable giveBack) {
        HeldFile plain = HeldFile.of(
                context.storage(),
                segment.path(),
                bytes,
                segment.isComplete(bytes),
                () -> new RecordCheck(segment.path(), context.fileTag(), segment.number()));
        return plain.with(new FileLease(() -> segment.isEmptied() ? segment.end() : 0, giveBack));
    }

    /** Takes the leases. Takes no memory. */
    void retain() {
        for (int i = 0; i < held.size(); i++) {
            held.get(i).segment.retain();
        }
    }

    /** These segments and the file that points into them, as one hold, or throws and lets that file go. */
    public FileHold with(long lsn, HeldFile index) {
        try {
            return FileHold.of(
                    lsn,
                    Stream.concat(held.stream().map(Held::file), Stream.of(index))
                            .toList());
        } catch (Throwable e) {
            index.lease().giveBack();
            throw e;
        }
    }

    /** The segments that were not let go yet. */
    List<StoredSegment> segments() {
        return held.stream()
                .filter(one -> !one.file.lease().isReturned())
                .map(Held::segment)
                .toList();
    }

    /** Whether all segments were let go. */
    boolean isReturned() {
        for (int i = 0; i < held.size(); i++) {
            if (!held.get(i).file.lease().isReturned()) {
                return false;
            }
        }
        return true;
    }

    /** Lets all segments go that are left. */
    public void giveBack() {
        held.forEach(one -> one.file.lease().giveBack());
    }
}
