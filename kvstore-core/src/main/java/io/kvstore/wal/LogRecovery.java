package io.kvstore.wal;

import io.kvstore.data.TableMutations;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.wal.SegmentChain.Link;
import io.kvstore.wal.format.FrameHeader;
import io.kvstore.wal.format.FrameScanner;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.format.WatermarkPayload;
import io.kvstore.wal.segment.ActiveSegment;
import io.kvstore.wal.segment.Gaps;
import io.kvstore.wal.segment.LogConfig;
import io.kvstore.wal.segment.LogSegment;
import io.kvstore.wal.segment.SegmentPool;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Reads the log that a crash left, decides where it ends, makes it durable up to there and hands out its operations. The log
 * ends at the cut, the first place without a valid frame. {@code docs/recovery.md} says how the bytes behind the cut are
 * judged, and which damage refuses the log.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Nothing is written before the whole log was read and judged.
 *   <li>Nothing is appended behind a cut. The records above the last watermark are copied into a new segment. Its head names
 *       its predecessor and the offset at which the predecessor ends. The new segment gets its name only when it is whole and
 *       synced. Bytes behind a recorded end are dead for ever.
 *   <li>Recovery may be killed at any point. Until the new segment has its name, the old files hold the whole log. Afterwards
 *       the new segment and its predecessors do.
 * </ol>
 */
public final class LogRecovery {

    private static final String REMEDY =
            ". Restore a backup of the store to a new directory ('kvstore backup restore'), or take what is whole of it"
                    + " ('kvstore salvage'); nothing was changed";

    private final LogConfig config;
    private final SegmentChain chain;
    private final IntConsumer check;
    private final Held held;
    private final Gaps gaps = new Gaps();
    private Place cut;
    private Place stated;

    /** For each link that was read, the tables that have records there. */
    private final List<ActiveSegment> notes = new ArrayList<>();

    private final List<ActiveSegment> segments = new ArrayList<>();
    private final IntConsumer tableVisitor = this::visitTable;
    private long visitedLsn;
    private long lastLsn;
    private long statedLsn;
    private long greatestLsn;
    private long tornBytes;
    private long records;
    private long catalog;

    /** The farthest place that a frame behind damage states as durable. */
    private Place farthestStated = new Place(0, 0);

    /** A place in the chain: a link, and the offset in it. */
    private record Place(int link, long offset) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            return link != other.link ? Integer.compare(link, other.link) : Long.compare(offset, other.offset);
        }
    }

    private LogRecovery(LogConfig config, SegmentChain chain, Held held, IntConsumer check) {
        this.config = config;
        this.chain = chain;
        this.held = held;
        this.check = check;
        this.stated = new Place(0, LogFormat.SEGMENT_HEADER_BYTES);
        LogFormat.SegmentHeader oldest = chain.links().getFirst().header();
        this.statedLsn = oldest == null ? 0 : oldest.firstLsn() - 1;
        this.cut = stated;
    }

    /** Creates the log of a new store: one segment, durable when this returns its id. The directory exists and is empty. */
    public static long create(LogConfig config) throws IOException {
        long id = 1;
        LogFormat.SegmentHeader header = new LogFormat.SegmentHeader(id, config.storeId(), 0, 0, 1, 0);
        try (SegmentBuilder builder =
                new SegmentBuilder(config, header, 0, Math.min(SegmentPool.FIRST_BYTES, config.segmentBytes()))) {
            builder.finish();
        }
        return id;
    }

    /**
     * Reads and judges the log. Writes nothing.
     *
     * @param firstNeeded the oldest segment that the catalog needs
     * @param newestKnown the newest segment that the catalog knows; newer segments may exist
     * @param check sees the table id of every change, and throws if there can be no such table
     * @throws CorruptionException if acknowledged records that a table needs are missing or damaged
     */
    public static LogRecovery scan(LogConfig config, long firstNeeded, long newestKnown, Held held, IntConsumer check)
            throws IOException {
        SegmentChain chain = SegmentChain.find(config, firstNeeded, newestKnown);
        LogRecovery recovery = new LogRecovery(config, chain, held, check);
        recovery.scanChain();
        return recovery;
    }

    public long lastLsn() {
        return lastLsn;
    }

    /** The log knows every operation up to this lsn: it has the record, or had the record and released it. */
    public long knownLsn() {
        LogFormat.SegmentHeader newest = chain.links().get(cut.link()).header();
        return Math.max(Math.max(lastLsn, statedLsn), newest == null ? 0 : newest.firstLsn() - 1);
    }

    /** Bytes from the cut to the end of the last frame behind it, whole or torn. They were never acknowledged as durable. */
    public long tornBytes() {
        return tornBytes;
    }

    public long records() {
        return records;
    }

    /** Descriptions of the damaged places of the log that no table needs. */
    public List<String> damages() {
        return gaps.descriptions();
    }

    /** The newest revision of the catalog that a mark of the log notes; 0 if none does. */
    public long catalogRevision() {
        return catalog;
    }

    private void scanChain() throws IOException {
        for (int link = 0; link < chain.links().size(); link++) {
            if (!scanLink(link)) {
                return;
            }
        }
    }

    /** Reads one link to its end. False if the log ends in this link. */
    private boolean scanLink(int index) throws IOException {
        Link link = chain.links().get(index);
        boolean last = index == chain.links().size() - 1;
        notes.add(new ActiveSegment(link.id(), link.path(), config.storage().size(link.path())));
        try (FrameScanner scanner = scanner(link, LogFormat.SEGMENT_HEADER_BYTES, link.end())) {
            while (true) {
                while (scanner.next()) {
                    readFrame(index, link, scanner);
                }
                cut = new Place(index, scanner.position());
                if (!last && scanner.position() == link.end()) {
                    return true;
                }
                if (!wasDurableBehindCut()) {
                    judgeDoubtful(link);
                    return false;
                }
                long next = passOver(index, link, scanner);
                if (!last && next == link.end()) {
                    return true;
                }
                scanner.moveTo(next);
            }
        }
    }

    private void readFrame(int index, Link link, FrameScanner scanner) {
        FrameHeader frame = scanner.frame();
        greatestLsn = Math.max(greatestLsn, frame.lsn);
        WatermarkPayload watermark = scanner.watermark();
        if (watermark != null) {
            catalog = Math.max(catalog, watermark.catalog());
            Place place = placeOf(watermark, index);
            if (place.compareTo(stated) > 0) {
                stated = place;
                statedLsn = watermark.lsn();
            }
            return;
        }
        if (frame.kind == LogFormat.SUCCESSOR) {
            checkSuccessor(index, link, scanner);
            return;
        }
        if (frame.lsn <= lastLsn) {
            throw damaged(link, scanner.position(), "lsn " + frame.lsn + " follows " + lastLsn);
        }
        checkTables(link, scanner);
        lastLsn = frame.lsn;
        records++;
    }

    /** Checks that the successor of the chain's last segment exists: its file was durable before it was named, used or not. */
    private void checkSuccessor(int index, Link link, FrameScanner scanner) {
        long id = scanner.successor();
        if (index == chain.links().size() - 1 && !chain.whole().contains(id)) {
            throw new CorruptionException(
                    SegmentPool.pathOf(config, id),
                    -1,
                    "the segment is missing or was cut short, but " + link.path() + " names it as the next one"
                            + REMEDY);
        }
    }

    private void checkTables(Link link, FrameScanner scanner) {
        try {
            visitedLsn = scanner.frame().lsn;
            LogRecord.visitTables(scanner.frame(), scanner.payload(), scanner.payloadAt(), tableVisitor);
        } catch (IllegalArgumentException | BufferUnderflowException e) {
            throw damaged(link, scanner.position(), "a record cannot be read: " + e.getMessage());
        }
    }

    private void visitTable(int table) {
        check.accept(table);
        notes.getLast().note(table, visitedLsn);
    }

    /** Whether a frame behind the cut states that a place behind the cut was durable. Also counts the torn bytes there. */
    private boolean wasDurableBehindCut() throws IOException {
        if (farthestStated.compareTo(cut) > 0) {
            return true;
        }
        tornBytes = 0;
        for (int index = cut.link(); index < chain.links().size(); index++) {
            Link link = chain.links().get(index);
            long from = index == cut.link() ? cut.offset() : LogFormat.SEGMENT_HEADER_BYTES;
            try (FrameScanner behind = scanner(link, from, link.end())) {
                while (behind.next() || behind.seek()) {
                    WatermarkPayload watermark = behind.watermark();
                    if (watermark != null && placeOf(watermark, index).compareTo(farthestStated) > 0) {
                        farthestStated = placeOf(watermark, index);
                    }
                }
                tornBytes += behind.lastEnd() - from;
            }
        }
        return farthestStated.compareTo(cut) > 0;
    }

    /**
     * Passes over damage that no table needs. Returns the offset of the next frame, or the end of the link.
     *
     * @param scanner is at the place where it found no frame
     */
    private long passOver(int index, Link link, FrameScanner scanner) throws IOException {
        FrameHeader frame = scanner.frame();
        long next;
        if (scanner.hasHeader()) {
            if (!isHeld(frame)) {
                throw damaged(link, cut.offset(), "a record that was durable is damaged");
            }
            next = cut.offset() + LogFormat.frameBytes(frame.length);
            lastLsn = Math.max(lastLsn, frame.lsn);
        } else {
            next = passOverUnknown(index, link);
        }
        greatestLsn = Math.max(greatestLsn, lastLsn);
        gaps.add(index, link.path(), new Gaps.Span(cut.offset(), next));
        return next;
    }

    /** Whether no table needs a damaged frame. A single change names its table, a batch does not. A mark holds no operation. */
    private boolean isHeld(FrameHeader damaged) {
        return switch (damaged.kind) {
            case LogFormat.WATERMARK, LogFormat.SEAL, LogFormat.SUCCESSOR -> true;
            case LogFormat.PUT, LogFormat.REMOVE ->
                damaged.lsn <= held.byTable().applyAsLong(damaged.tableId);
            default -> damaged.lsn <= held.byAll();
        };
    }

    private long passOverUnknown(int index, Link link) throws IOException {
        for (int later = index; later < chain.links().size(); later++) {
            Link next = chain.links().get(later);
            long from = later == index ? cut.offset() : LogFormat.SEGMENT_HEADER_BYTES;
            try (FrameScanner behind = scanner(next, from, next.end())) {
                if (behind.next() || behind.seek()) {
                    long missing = behind.isRecord() ? behind.frame().lsn - 1 : behind.frame().lsn;
                    if (missing > Math.max(lastLsn, held.byAll())) {
                        throw damaged(link, cut.offset(), "a record that was durable is damaged");
                    }
                    lastLsn = Math.max(lastLsn, missing);
                    return later == index ? behind.position() : link.end();
                }
            }
        }
        throw damaged(link, cut.offset(), "a record that was durable is damaged");
    }

    private void judgeDoubtful(Link link) throws IOException {
        for (Link doubtful : chain.doubtful()) {
            try (FrameScanner behind = scanner(doubtful, LogFormat.SEGMENT_HEADER_BYTES, Long.MAX_VALUE)) {
                if (behind.next() || behind.seek()) {
                    refuseIfStated(doubtful, behind, link);
                }
                tornBytes += behind.lastEnd() - LogFormat.SEGMENT_HEADER_BYTES;
            }
        }
    }

    private void refuseIfStated(Link doubtful, FrameScanner behind, Link link) throws IOException {
        int last = chain.links().size() - 1;
        do {
            WatermarkPayload watermark = behind.watermark();
            if (watermark != null
                    && (watermark.segmentId() > chain.links().get(last).id()
                            || placeOf(watermark, last).compareTo(cut) > 0)) {
                throw damaged(
                        doubtful,
                        0,
                        "the head is damaged but records in the segment were durable, after " + link.path());
            }
        } while (behind.next() || behind.seek());
    }

    private Place placeOf(WatermarkPayload watermark, int statedIn) {
        for (int link = statedIn; link >= 0; link--) {
            if (chain.links().get(link).id() == watermark.segmentId()) {
                return new Place(link, watermark.offset());
            }
        }
        return new Place(0, LogFormat.SEGMENT_HEADER_BYTES);
    }

    private FrameScanner scanner(Link link, long from, long end) throws IOException {
        StorageFile file = config.storage().openReadOnly(link.path());
        return new FrameScanner(file, link.id(), from, end);
    }

    private static CorruptionException damaged(Link link, long offset, String what) {
        return new CorruptionException(link.path(), offset, what + REMEDY);
    }

    /** Hands out the operations of the log that are needed, and perhaps others, oldest first. */
    public void replay(LogReplay replay) throws IOException {
        for (int index = 0; index <= cut.link(); index++) {
            if (index >= stated.link() || notes.get(index).holder(replay::heldLsn) != -1) {
                replay(index, LogFormat.SEGMENT_HEADER_BYTES, (link, scanner) -> apply(replay, link, scanner));
            }
        }
    }

    private void apply(LogReplay replay, int link, FrameScanner scanner) throws IOException {
        FrameHeader frame = scanner.frame();
        boolean isNoted = link == stated.link() && frame.lsn <= statedLsn && link < segments.size();
        boolean isSingle = frame.kind == LogFormat.PUT || frame.kind == LogFormat.REMOVE;
        if (!isSingle || frame.lsn > replay.heldLsn(frame.tableId)) {
            List<TableMutations> operation = scanner.operation(REMEDY);
            if (isNoted) {
                note(segments.get(link), frame.lsn, operation);
            }
            replay.apply(frame.lsn, operation);
        } else if (isNoted) {
            segments.get(link).note(frame.tableId, frame.lsn);
        }
    }

    @FunctionalInterface
    private interface Visitor {
        void visit(int link, FrameScanner scanner) throws IOException;
    }

    /** Visits the records of a link from an offset to its end, or to the cut. */
    private void replay(int index, long from, Visitor visitor) throws IOException {
        Link link = chain.links().get(index);
        long end = index == cut.link() ? cut.offset() : link.end();
        for (Gaps.Span span : gaps.around(index, from, end)) {
            try (FrameScanner scanner = scanner(link, span.from(), span.to())) {
                while (scanner.next()) {
                    if (scanner.isRecord()) {
                        visitor.visit(index, scanner);
                    }
                }
                if (scanner.position() != span.to()) {
                    throw damaged(link, scanner.position(), "a record reads differently than a moment ago");
                }
            }
        }
    }

    private static void note(ActiveSegment segment, long lsn, List<TableMutations> operation) {
        for (TableMutations table : operation) {
            segment.note(table.tableId(), lsn);
        }
    }

    /**
     * Makes the log durable in a new segment and opens the log for appending. Call {@link #replay} next, then
     * {@link #deleteDead}. On a full disk the new segment takes the room of segments that were prepared and never used, or is
     * as short as its records allow.
     *
     * @param floorLsn the greatest lsn known from elsewhere; new records get greater lsns
     * @throws NoSpaceException if the disk has no room even for a segment as short as that
     */
    public WriteAheadLog open(long floorLsn) throws IOException {
        long id = chain.ids().last() + 1;
        for (int index = 0; index <= stated.link(); index++) {
            Link link = chain.links().get(index);
            ActiveSegment segment = notes.get(index);
            if (index == stated.link()) { // some of its records move
                segment = new ActiveSegment(link.id(), link.path(), segment.bytes());
            }
            long end = index == stated.link() ? stated.offset() : link.end();
            segment.fill(gaps.around(index, LogFormat.SEGMENT_HEADER_BYTES, end));
            segments.add(segment);
        }
        Link predecessor = chain.links().get(stated.link());
        LogFormat.SegmentHeader header =
                new LogFormat.SegmentHeader(id, config.storeId(), predecessor.id(), stated.offset(), statedLsn + 1, 0);
        Tail tail = writeTail(header);
        StorageFile file = config.storage().open(tail.segment.path());
        LogSegment current = SegmentPool.open(config, id, file, tail.segment.bytes());
        List<ActiveSegment> all = new ArrayList<>(segments);
        all.add(tail.segment);
        return new WriteAheadLog(
                config, new RecoveredLog(all, current, tail.end, Math.max(greatestLsn, floorLsn), id + 1));
    }

    /** The segment that recovery wrote, and the offset of the next record in it. */
    private record Tail(ActiveSegment segment, long end) {}

    private Tail writeTail(LogFormat.SegmentHeader header) throws IOException {
        long usual = Math.min(SegmentPool.FIRST_BYTES, config.segmentBytes());
        try {
            return writeTail(header, usual);
        } catch (NoSpaceException _) {
            Notices.warning(
                    LogRecovery.class, config.directory(), "the disk is full: the log goes on in less room", null);
        }
        deleteUnused();
        long left = config.storage().freeBytes() / 2; // leaves some room for other files, first of all the catalog
        return writeTail(header, Math.min(usual, left));
    }

    private Tail writeTail(LogFormat.SegmentHeader header, long leastBytes) throws IOException {
        try (SegmentBuilder builder = new SegmentBuilder(config, header, tailBytes(), leastBytes)) {
            ActiveSegment segment =
                    new ActiveSegment(header.id(), SegmentPool.pathOf(config, header.id()), builder.capacity());
            for (int index = stated.link(); index <= cut.link(); index++) {
                long from = index == stated.link() ? stated.offset() : LogFormat.SEGMENT_HEADER_BYTES;
                replay(index, from, (link, scanner) -> {
                    List<TableMutations> operation = scanner.operation(REMEDY);
                    builder.append(scanner.frame().lsn, LogRecord.of(operation));
                    note(segment, scanner.frame().lsn, operation);
                });
            }
            return new Tail(segment, builder.finish());
        }
    }

    /** Deletes the files beside the chain, except doubtful ones, which may hold records of the log. */
    private void deleteUnused() throws IOException {
        List<String> doubtful = chain.doubtful().stream().map(Link::path).toList();
        for (String path : chain.beside()) {
            if (!doubtful.contains(path)) {
                config.storage().delete(path);
            }
        }
        config.storage().syncDirectory(config.directory());
    }

    private long tailBytes() {
        long bytes = 0;
        for (int index = stated.link(); index <= cut.link(); index++) {
            long begin = index == stated.link() ? stated.offset() : LogFormat.SEGMENT_HEADER_BYTES;
            Link link = chain.links().get(index);
            bytes += (index == cut.link() ? cut.offset() : link.end()) - begin;
        }
        return bytes;
    }

    /** Deletes files that are prepared and unused, or dead behind a recorded end. */
    public void deleteDead() throws IOException {
        Storage storage = config.storage();
        for (String path : chain.beside()) {
            storage.delete(path);
        }
        for (Link dead : chain.links().subList(stated.link() + 1, chain.links().size())) {
            storage.delete(dead.path());
        }
        storage.syncDirectory(config.directory());
    }
}
