package io.kvstore.value;

import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.io.NotOpenedException;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.ValueSegmentFormat;
import io.kvstore.value.segment.ValueSegmentInfo;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Opens value segments of a damaged table, each by itself. */
public final class DamagedSegments {

    private DamagedSegments() {}

    /**
     * Opens a segment to be read only, with all bytes that its file has. The caller gets the first lease.
     *
     * @param losses gets a damaged header, which costs nothing: each record says where it belongs
     * @return null, and reported, if the file cannot be opened or is too short for a header
     */
    public static @Nullable StoredSegment open(TableContext context, ValueLog log, long number, Findings losses)
            throws IOException {
        String path = log.path(number);
        try {
            long bytes = context.storage().size(path);
            if (bytes >= ValueSegmentFormat.HEADER_BYTES) {
                return log.openDamaged(new ValueSegmentInfo(number, bytes, 1), losses);
            }
            losses.report(path, -1, "is too short for a value segment");
        } catch (IOException e) {
            NotOpenedException.requireOfDisk(e);
            losses.report(path, -1, "cannot be opened: " + e);
        }
        return null;
    }
}
