package io.kvstore.value;

import static java.util.Objects.requireNonNull;

import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.NotOpenedException;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentFormat;
import io.kvstore.value.segment.ValueSegmentInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
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
                StoredSegment segment = log.openUnchecked(new ValueSegmentInfo(number, bytes, 1));
                checkHeader(context, segment, losses);
                return segment;
            }
            losses.report(path, -1, "is too short for a value segment");
        } catch (IOException e) {
            NotOpenedException.requireOfDisk(e);
            losses.report(path, -1, "cannot be opened: " + e);
        }
        return null;
    }

    private static void checkHeader(TableContext context, StoredSegment segment, Findings losses) throws IOException {
        ValueSegment file = requireNonNull(segment.file());
        try {
            byte[] header = new byte[ValueSegmentFormat.HEADER_BYTES];
            file.target().readFully(ByteBuffer.wrap(header), 0);
            ValueSegmentFormat.checkHeader(header, file.path(), context.fileTag(), segment.number());
        } catch (CorruptionException e) {
            losses.report(e);
        } catch (IOException e) {
            NotOpenedException.requireOfDisk(e);
            losses.report(file.path(), 0, "cannot be read: " + e);
        }
    }
}
