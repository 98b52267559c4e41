package io.kvstore.value;

import io.kvstore.engine.TableContext;
import io.kvstore.io.ReadMapping;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * When segments that grow are mapped: while values are read, each time when so much came that reading it by position would
 * matter, and at the end of the segment. Not while nobody reads: a mapping that takes the place of another one interrupts all
 * threads of the process, and 200 that write notice a hundred of these in a second. A segment of which somebody reads then is
 * mapped when a thread of the background is free for it.
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
    void map(ValueSegment segment) {
        segment.noteTried();
        ReadMapping mapping = context.map(segment.path(), segment.info().bytes());
        if (mapping != null) {
            segment.mapped(mapping, context.epochs());
        }
    }

    /** Maps a segment that was written if that is due. */
    void written(ValueSegment segment, boolean isLast) throws IOException {
        boolean isRead = !cacheUse.isUnread();
        if (isLast ? isRead || segment.wasTried() : isRead && segment.untriedBytes() > unmappedBytes) {
            map(segment);
        }
    }

    /** Something was read by position, or is going to be, by who does not wait for a mapping. */
    void noteUnmappedRead(ValueSegment segment) {
        if (isWorthwhile(segment) && (wanted.add(segment.info().number()) || !scheduled.get())) {
            context.background().executeOnce(scheduled, mapWanted); // without a thread, the next one asks again
        }
    }

    /** Whether so much of it came since it was to be mapped last that it should be mapped for who reads it. */
    boolean isWorthwhile(ValueSegment segment) {
        return !segment.wasTried() || segment.untriedBytes() > unmappedBytes;
    }

    /** The numbers of segments that were read by position since this was called last, upwards. */
    Set<Long> takeWanted() {
        scheduled.set(false);
        Set<Long> taken = new TreeSet<>(wanted);
        wanted.removeAll(taken);
        return taken;
    }
}
