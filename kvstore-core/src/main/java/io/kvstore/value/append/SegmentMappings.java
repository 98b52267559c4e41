package io.kvstore.value.append;

import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.TableContext;
import io.kvstore.io.ReadMapping;
import io.kvstore.value.segment.ValueSegment;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decides when growing segments are mapped. While values are read, a segment is mapped each time it grew by enough bytes that
 * reading them by position would be slow, and once more at its end. While nobody reads, a segment is not mapped as it grows,
 * because a mapping that replaces another one interrupts all threads of the process: with 200 writing threads, a hundred
 * replacements a second are noticeable. When somebody reads from a segment that is not mapped, it is mapped as soon as a
 * background thread is free.
 *
 * <p>{@link #map} and {@link #written} are for one thread at a time. All other methods are for any thread.
 */
final class SegmentMappings {

    private final TableContext context;
    private final CacheUse cacheUse;
    private final long unmappedBytes;
    private final BackgroundTask mapping;
    private final Set<Long> wanted = ConcurrentHashMap.newKeySet();

    /**
     * @param unmappedBytes this many bytes of a growing segment may be read by position
     * @param mapWanted maps the segments that {@link #takeWanted} returns; called in the background
     */
    SegmentMappings(TableContext context, CacheUse cacheUse, long unmappedBytes, Runnable mapWanted) {
        this.context = context;
        this.cacheUse = cacheUse;
        this.unmappedBytes = unmappedBytes;
        this.mapping =
                new BackgroundTask(context.background(), context.background().waiter(), mapWanted);
    }

    /** Maps the present content of a segment, if the mapped values of the store leave room for it. */
    void map(ValueSegment segment) {
        segment.noteTried();
        ReadMapping mapping = context.map(segment.path(), segment.info().bytes());
        if (mapping != null) {
            segment.mapped(mapping, context.epochs());
        }
    }

    /** Maps a segment that was written to, if a mapping is due. */
    void written(ValueSegment segment, boolean isLast) throws IOException {
        boolean isRead = !cacheUse.isUnread();
        if (isLast ? isRead || segment.wasTried() : isRead && segment.untriedBytes() > unmappedBytes) {
            map(segment);
        }
    }

    /** Notes that a segment was, or will be, read by position by a thread that does not wait for a mapping. */
    void noteUnmappedRead(ValueSegment segment) {
        if (isWorthwhile(segment) && (wanted.add(segment.info().number()) || !mapping.isRequested())) {
            mapping.requestAgain(); // if no thread could be had, the next read asks again
        }
    }

    /** Whether a segment should be mapped for its readers: it was never tried, or grew enough since the last attempt. */
    boolean isWorthwhile(ValueSegment segment) {
        return !segment.wasTried() || segment.untriedBytes() > unmappedBytes;
    }

    /** Takes the ascending numbers of the segments that were read by position since the last call. */
    Set<Long> takeWanted() {
        Set<Long> taken = new TreeSet<>(wanted);
        wanted.removeAll(taken);
        return taken;
    }
}
