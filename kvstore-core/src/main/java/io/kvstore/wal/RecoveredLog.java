package io.kvstore.wal;

import io.kvstore.wal.segment.ActiveSegment;
import io.kvstore.wal.segment.LogSegment;
import java.util.List;

/**
 * The log as recovery hands it over. Everything in it is durable.
 *
 * @param segments the segments that hold records, oldest first, the current one last
 * @param position the offset of the next frame in the current segment
 */
record RecoveredLog(
        List<ActiveSegment> segments, LogSegment current, long position, long lastLsn, long nextSegmentId) {}
