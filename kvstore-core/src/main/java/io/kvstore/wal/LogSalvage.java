package io.kvstore.wal;

import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import io.kvstore.wal.format.FrameScanner;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogFormat.HeaderState;
import io.kvstore.wal.format.LogFormat.SegmentHeader;
import io.kvstore.wal.format.StoreId;
import io.kvstore.wal.format.WatermarkPayload;
import io.kvstore.wal.segment.LogConfig;
import io.kvstore.wal.segment.SegmentPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads what can be read of a log that {@link LogRecovery} refuses. Writes nothing.
 *
 * <p>Every segment file that is not dead counts, also one whose head is damaged: the checksum of a frame rests on the id of the
 * segment and the place of the frame, so bytes of another use of the file are no frames. A segment is dead if the head of a
 * younger one names an older one as its predecessor. Behind damage the next frame is searched for. Each operation that is
 * handed out was logged as it is; operations may be missing between two of them, and there may be some at the end that were
 * never acknowledged.
 */
public final class LogSalvage {

    /** Gets what is missing. */
    @FunctionalInterface
    public interface Losses {
        void report(String file, long offset, String message);
    }

    private final LogConfig config;
    private final Losses losses;
    private final TreeMap<Long, HeaderState> heads = new TreeMap<>();

    /** Where segments end, by their ids, as far as the heads of their successors tell. */
    private final Map<Long, Long> ends = new HashMap<>();

    private long lastLsn;

    /** The greatest lsn that a mark states as durable. */
    private long statedLsn;

    /** No segment that is left has this lsn or a smaller one, as their heads say. */
    private long releasedLsn;

    /** The segment that the last full one names as the next. */
    private long successor;

    private LogSalvage(LogConfig config, Losses losses) {
        this.config = config;
        this.losses = losses;
    }

    /** The id of the store whose log is in a directory: that of most heads; null if no head can be read. */
    public static @Nullable StoreId storeId(LogConfig config) throws IOException {
        LogSalvage salvage = new LogSalvage(config, (file, offset, message) -> {});
        salvage.readHeads(0);
        Map<StoreId, Integer> counts = new HashMap<>();
        StoreId found = null;
        for (HeaderState head : salvage.heads.values()) {
            if (head instanceof HeaderState.Valid(SegmentHeader header)) {
                int count = counts.merge(header.storeId(), 1, Integer::sum);
                found = found == null || count > counts.getOrDefault(found, 0) ? header.storeId() : found;
            }
        }
        return found;
    }

    /**
     * Hands out every operation that can be read, oldest first.
     *
     * @param firstNeeded the oldest segment that tables need; 0 if that is not known
     */
    public static void replay(LogConfig config, long firstNeeded, Losses losses, LogReplay replay) throws IOException {
        LogSalvage salvage = new LogSalvage(config, losses);
        salvage.readHeads(firstNeeded);
        salvage.leaveOutOthers();
        for (long id : salvage.heads.keySet()) {
            salvage.read(id, replay);
        }
        salvage.reportEnd();
    }

    /** Reports that the log says more of itself than could be read. */
    private void reportEnd() {
        long known = Math.max(lastLsn, releasedLsn);
        if (statedLsn > known) {
            losses.report(
                    config.directory(),
                    -1,
                    "the log says that lsn " + statedLsn + " was durable, and what can be read ends at " + known);
        }
        if (successor > 0 && !heads.containsKey(successor)) {
            losses.report(
                    SegmentPool.pathOf(config, successor), -1, "the segment is missing, with all operations in it");
        }
    }

    private void readHeads(long firstNeeded) throws IOException {
        for (String name : config.storage().list(config.directory())) {
            long id = LogConfig.SEGMENT_NAME.numberIn(name);
            if (id >= firstNeeded && id >= 0) {
                byte[] head = new byte[LogFormat.SEGMENT_HEADER_BYTES];
                try (StorageFile file = config.storage().openReadOnly(SegmentPool.pathOf(config, id))) {
                    if (file.size() >= head.length) {
                        file.readFully(ByteBuffer.wrap(head), 0);
                        heads.put(id, LogFormat.readHeader(head, id));
                    }
                }
            }
        }
    }

    /** Leaves out files of another store and of newer releases, and the dead ones; reports what is missing between others. */
    private void leaveOutOthers() {
        Set<Long> dead = new HashSet<>();
        for (Map.Entry<Long, HeaderState> entry : heads.entrySet()) {
            long id = entry.getKey();
            String path = SegmentPool.pathOf(config, id);
            switch (entry.getValue()) {
                case HeaderState.Valid(SegmentHeader header) -> {
                    if (!header.storeId().equals(config.storeId())) {
                        losses.report(path, 0, "the segment belongs to another store, and is passed over");
                        dead.add(id);
                    } else {
                        note(header, dead);
                    }
                }
                case HeaderState.Damaged() ->
                    losses.report(path, 0, "the head of the segment is damaged; its records are read all the same");
                case HeaderState.Newer(int version) -> {
                    losses.report(path, 0, "the segment has log format " + version + ", and is passed over");
                    dead.add(id);
                }
                case HeaderState.Unused(), HeaderState.TooShort() -> {
                    // a head of zeros may be damage, and then there are frames behind it
                }
            }
        }
        heads.keySet().removeAll(dead);
    }

    private void note(SegmentHeader header, Set<Long> dead) {
        long before = header.predecessorId();
        if (before >= header.id()) {
            losses.report(
                    SegmentPool.pathOf(config, header.id()),
                    0,
                    "the head of the segment contradicts itself; its records are read all the same");
            return;
        }
        releasedLsn = Math.max(releasedLsn, header.firstLsn() - 1);
        ends.put(before, header.predecessorEnd());
        dead.addAll(heads.subMap(before, false, header.id(), false).keySet());
        if (before > 0 && !heads.containsKey(before) && before > heads.firstKey()) {
            losses.report(SegmentPool.pathOf(config, before), -1, "the segment is missing, with all operations in it");
        }
    }

    private void read(long id, LogReplay replay) throws IOException {
        String path = SegmentPool.pathOf(config, id);
        long end = ends.getOrDefault(id, Long.MAX_VALUE);
        StorageFile file = config.storage().openReadOnly(path);
        try (FrameScanner scanner = new FrameScanner(file, id, LogFormat.SEGMENT_HEADER_BYTES, end)) {
            while (true) {
                while (scanner.next()) {
                    hand(path, scanner, replay);
                }
                long at = scanner.position();
                long before = lastLsn;
                if (!next(scanner)) {
                    if (end != Long.MAX_VALUE && at < end) {
                        losses.report(
                                path,
                                at,
                                "no record can be read up to the segment's end at " + end
                                        + "; the last one before has lsn " + before);
                    }
                    return;
                }
                losses.report(
                        path,
                        at,
                        "records are damaged up to offset " + scanner.position() + ", between lsn " + before
                                + " and lsn " + scanner.frame().lsn);
                hand(path, scanner, replay);
            }
        }
    }

    /** Searches for the next frame, behind the payload of a damaged one whose head is whole: that may have anything in it. */
    private static boolean next(FrameScanner scanner) throws IOException {
        if (scanner.hasHeader()) {
            scanner.moveTo(scanner.position() + LogFormat.frameBytes(scanner.frame().length));
            if (scanner.next()) {
                return true;
            }
        }
        return scanner.seek();
    }

    private void hand(String path, FrameScanner scanner, LogReplay replay) throws IOException {
        if (!scanner.isRecord()) {
            WatermarkPayload mark = scanner.watermark();
            statedLsn = Math.max(statedLsn, mark == null ? 0 : mark.lsn());
            successor = Math.max(successor, scanner.successor());
            return;
        }
        long lsn = scanner.frame().lsn;
        if (lsn <= lastLsn) {
            losses.report(path, scanner.position(), "lsn " + lsn + " follows " + lastLsn + ", and is passed over");
            return;
        }
        lastLsn = lsn;
        try {
            replay.apply(lsn, scanner.operation(""));
        } catch (CorruptionException e) {
            if (!e.file().equals(path)) {
                throw e;
            }
            losses.report(path, scanner.position(), "the record of lsn " + lsn + " cannot be read");
        }
    }
}
