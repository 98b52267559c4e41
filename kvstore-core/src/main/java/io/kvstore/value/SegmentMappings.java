package io.kvstore.value;

import io.kvstore.engine.TableContext;
import io.kvstore.io.ReadMapping;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * When segments that grow are mapped: while values are read, each time when so much came that reading it by position would
 * matter, and at the end of the segment. Not while nobody reads: a mapping that takes the place of another one interrupts all
 * threads of the process, and 200 that write notice a hundred of these in a second. What is read by position then is mapped
 * soon.
 *
 * <p>{@link #map} and {@link #written} are for one thread at a time, all else is for any.
 */
final class SegmentMappings {

    private final TableContext context;
    private final CacheUse cacheUse;
    private final long unmappedBytes;
    private final Runnable mapWanted;
    private final Set<Long> wanted = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /**
     * None yet.
     *
     * @param unmappedBytes so much of a segment that grows may be read by position
     * @param mapWanted has what {@link #takeWanted} says mapped; called in the background
     */
    SegmentMappings(TableContext context, CacheUse cacheUse, long unmappedBytes, Runnable mapWanted) {
        this.context = context;
        this.cacheUse = cacheUse;
        this.unmappedBytes = unmappedBytes;
        this.mapWanted = mapWanted;
    }

    /** Maps what there is of a segment, if the values that are mapped leave room for it. */
    void map(ValueSegment segment) throws IOException {
        segment.noteTried();
        ReadMapping mapping = context.map(segment.path(), segment.info().bytes());
        if (mapping != null) {
            segment.mapped(mapping);
        }
    }

    /** Maps a segment that was written if that is due. */
    void written(ValueSegment segment, boolean isLast) throws IOException {
        boolean isRead = !cacheUse.isUnread();
        if (isLast ? isRead || segment.wasTried() : isRead && segment.untriedBytes() > unmappedBytes) {
            map(segment);
        }
    }

    /** Something was read by position, by who does not wait for a mapping. */
    void noteUnmappedRead(ValueSegment segment) {
        boolean isWorthwhile = !segment.wasTried() || segment.untriedBytes() > unmappedBytes;
        if (isWorthwhile && wanted.add(segment.info().number())) {
            context.background().executeOnce(scheduled, mapWanted);
        }
    }

    /** The numbers of segments that were read by position since this was called last. */
    Set<Long> takeWanted() {
        scheduled.set(false);
        Set<Long> taken = Set.copyOf(wanted);
        wanted.removeAll(taken);
        return taken;
    }
}
