package io.kvstore.wal;

import io.kvstore.data.TableMutations;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.OverloadedException;
import io.kvstore.io.Storage;
import io.kvstore.wal.format.FrameScanner;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.segment.LogConfig;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The segments of the log that there were at one moment, and all later ones, kept until this is closed. Meanwhile the log grows
 * by what is written. When it is at its limit the hold is broken, so that no writer waits for it, and no copy can be made of it
 * any more. So a hold is open for a short time only, after a checkpoint.
 */
public final class LogHold implements AutoCloseable {

    /** In place of an lsn: no record of the table is wanted. */
    public static final long NONE = Long.MAX_VALUE;

    /** Where a store has its log. */
    public static final String DIRECTORY = "wal";

    private final LogConfig config;
    private final LogSpace space;
    private final long oldest;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean broken;

    LogHold(LogConfig config, LogSpace space, long oldest) {
        this.config = config;
        this.space = space;
        this.oldest = oldest;
    }

    /**
     * The records of a copy.
     *
     * @param held gives, by the id of a table, the lsn up to which it has everything elsewhere, or {@link #NONE}
     * @param above no table has everything up to a smaller lsn only
     * @param upTo the last lsn, up to which the log is durable
     */
    public record Wanted(IntToLongFunction held, long above, long upTo) {

        boolean has(long lsn, int tableId) {
            return lsn <= upTo && lsn > held.applyAsLong(tableId);
        }
    }

    long oldest() {
        return oldest;
    }

    void markBroken() {
        broken = true;
    }

    /** Whether writers needed the space while this was open. */
    public boolean isBroken() {
        return broken;
    }

    private OverloadedException brokenBy(@Nullable Throwable cause) {
        OverloadedException e = new OverloadedException(
                "the log reached its limit while it was held to be copied, and was freed for the writers; try again"
                        + " when less is written, or open the store with more checkpointLogBytes");
        if (cause != null) {
            e.addSuppressed(cause);
        }
        return e;
    }

    /** The id of a segment that holds a copy: newer than every segment with a record of the copy. */
    public long copyId() {
        List<LogSpace.Part> parts = parts();
        return parts.isEmpty() ? oldest : parts.getLast().segmentId();
    }

    private List<LogSpace.Part> parts() {
        try {
            return space.durableFrom(oldest);
        } catch (IllegalStateException e) {
            throw broken ? brokenBy(e) : e;
        }
    }

    /**
     * Writes a log of one segment with the records that are wanted, and nothing of a later lsn. The file and its name are
     * durable on return. It states that all of it was durable.
     *
     * @param directory exists in the target
     * @param id of the segment
     * @param catalogRevision the log states that this revision of the catalog was durable
     * @throws OverloadedException if the hold was broken
     */
    public void copy(Storage target, String directory, long id, long catalogRevision, Wanted wanted)
            throws IOException {
        try {
            write(target, directory, id, catalogRevision, wanted);
        } catch (IOException | RuntimeException e) {
            if (broken) {
                throw brokenBy(e);
            }
            throw e;
        }
    }

    private void write(Storage target, String directory, long id, long catalogRevision, Wanted wanted)
            throws IOException {
        long[] bytes = new long[1];
        visit(wanted, (lsn, operation) -> bytes[0] += LogRecord.of(operation).frameBytes());
        LogConfig copied = config.copiedTo(target, directory, catalogRevision);
        LogFormat.SegmentHeader head = new LogFormat.SegmentHeader(id, config.storeId(), 0, 0, wanted.above() + 1, 0);
        try (SegmentBuilder builder = new SegmentBuilder(copied, head, bytes[0], 0)) {
            visit(wanted, (lsn, operation) -> builder.append(lsn, LogRecord.of(operation)));
            builder.reached(wanted.upTo());
            if (broken) {
                throw brokenBy(null); // some segments may have been gone, or used again, when they were to be read
            }
            builder.finish();
        }
    }

    private void visit(Wanted wanted, LogReplay receiver) throws IOException {
        for (LogSpace.Part part : parts()) {
            if (!visit(part, wanted, receiver)) {
                return;
            }
        }
    }

    /** Visits the records of a part. False if a later lsn was met, so that none is left. */
    private boolean visit(LogSpace.Part part, Wanted wanted, LogReplay receiver) throws IOException {
        try (FrameScanner scanner = new FrameScanner(
                config.storage().openReadOnly(part.path()),
                part.segmentId(),
                part.span().from(),
                part.span().to())) {
            while (scanner.next()) {
                long lsn = scanner.frame().lsn;
                if (lsn > wanted.upTo()) {
                    return false;
                }
                boolean isWanted = scanner.isRecord()
                        && (scanner.frame().kind == LogFormat.BATCH || wanted.has(lsn, scanner.frame().tableId));
                if (isWanted) {
                    List<TableMutations> operation = scanner.operation("").stream()
                            .filter(table -> wanted.has(lsn, table.tableId()))
                            .toList();
                    if (!operation.isEmpty()) {
                        receiver.apply(lsn, operation);
                    }
                }
            }
            if (scanner.position() != part.span().to()) {
                throw new CorruptionException(part.path(), scanner.position(), "a record of the log is damaged");
            }
            return true;
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            space.release(this);
        }
    }
}
