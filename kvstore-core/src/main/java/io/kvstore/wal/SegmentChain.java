package io.kvstore.wal;

import io.kvstore.error.CorruptionException;
import io.kvstore.error.StorageException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.wal.format.FrameScanner;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogFormat.HeaderState;
import io.kvstore.wal.format.LogFormat.SegmentHeader;
import io.kvstore.wal.segment.LogConfig;
import io.kvstore.wal.segment.SegmentPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The segment files that make up the log. The chain consists of the newest segment with a valid head and its predecessors, back
 * to the first segment that the catalog needs. Files beside the chain are prepared and unused, or dead behind a cut.
 *
 * @param links the chain, oldest first
 * @param doubtful files newer than the chain: their head, or the head of a segment that they follow, is not valid
 * @param beside files that are not in the chain
 * @param whole the ids of the files that are at least as long as a head, as every prepared segment is
 */
record SegmentChain(
        List<Link> links, List<Link> doubtful, List<String> beside, NavigableSet<Long> ids, NavigableSet<Long> whole) {

    /** A segment of the chain, and the offset at which its part of the log ends. */
    record Link(long id, String path, @Nullable SegmentHeader header, long end) {}

    static SegmentChain find(LogConfig config, long firstNeeded, long newestKnown) throws IOException {
        Storage storage = config.storage();
        TreeMap<Long, HeaderState> heads = new TreeMap<>();
        List<String> beside = new ArrayList<>();
        for (String name : storage.list(config.directory())) {
            long id = LogConfig.SEGMENT_NAME.numberIn(name);
            if (id >= 0) {
                heads.put(id, readHead(config, id));
            } else if (name.endsWith(".wal.tmp")) {
                beside.add(config.directory() + "/" + name);
            }
        }
        refuseNewer(config, heads);
        refuseForeign(config, heads);
        List<Link> links = walk(config, heads, firstNeeded, newestKnown);
        Set<Long> linked = new HashSet<>();
        links.forEach(link -> linked.add(link.id()));
        List<Link> doubtful = new ArrayList<>();
        for (var head : heads.entrySet()) {
            long id = head.getKey();
            String path = SegmentPool.pathOf(config, id);
            if (!linked.contains(id)) {
                beside.add(path);
                if (id > links.getLast().id() && !(head.getValue() instanceof HeaderState.Unused)) {
                    doubtful.add(new Link(id, path, null, Long.MAX_VALUE));
                }
            }
        }
        NavigableSet<Long> whole = new TreeSet<>(heads.keySet());
        whole.removeIf(id -> heads.get(id) instanceof HeaderState.TooShort);
        return new SegmentChain(links, doubtful, beside, heads.navigableKeySet(), whole);
    }

    private static void refuseNewer(LogConfig config, TreeMap<Long, HeaderState> heads) {
        heads.forEach((id, state) -> {
            if (state instanceof HeaderState.Newer(int version)) {
                throw new StorageException(
                        SegmentPool.pathOf(config, id) + " has log format " + version + ", and this release reads "
                                + LogFormat.VERSION + "; open the store with the release that wrote it or a newer one",
                        null);
            }
        });
    }

    /**
     * The newest chain whose heads are all valid. A segment that was never synced can lose its head although its successor,
     * which was not synced either, keeps its own. Then both segments are doubtful, and their frames decide.
     */
    private static List<Link> walk(
            LogConfig config, TreeMap<Long, HeaderState> heads, long firstNeeded, long newestKnown) {
        long least = Math.max(firstNeeded, newestKnown);
        long broken = least;
        Long newest = newestValid(heads, Long.MAX_VALUE);
        while (newest != null && newest >= least) {
            List<Link> links = new ArrayList<>();
            long gap = follow(config, heads, newest, firstNeeded, links);
            if (gap < 0) {
                return links;
            }
            if (!heads.containsKey(gap) || gap == firstNeeded) {
                throw missing(config, heads, gap);
            }
            broken = gap;
            newest = newestValid(heads, gap);
        }
        throw missing(config, heads, broken);
    }

    private static @Nullable Long newestValid(TreeMap<Long, HeaderState> heads, long below) {
        for (var head : heads.headMap(below, false).descendingMap().entrySet()) {
            if (head.getValue() instanceof HeaderState.Valid) {
                return head.getKey();
            }
        }
        return null;
    }

    /** Collects a segment and its predecessors down to the first needed. Returns -1, or the id at which the chain is broken. */
    private static long follow(
            LogConfig config, TreeMap<Long, HeaderState> heads, long newest, long firstNeeded, List<Link> links) {
        long end = Long.MAX_VALUE;
        for (long id = newest; ; ) {
            if (!(heads.get(id) instanceof HeaderState.Valid(SegmentHeader header))) {
                return id;
            }
            links.addFirst(new Link(id, SegmentPool.pathOf(config, id), header, end));
            if (id == firstNeeded) {
                return -1;
            }
            end = header.predecessorEnd();
            if (header.predecessorId() >= id || end < 0) {
                throw new CorruptionException(
                        SegmentPool.pathOf(config, id),
                        0,
                        "the head of the segment says that " + header.predecessorId() + " came before it, up to " + end
                                + "; put back this store's own log files");
            }
            id = header.predecessorId();
            if (id < firstNeeded) {
                return firstNeeded;
            }
        }
    }

    private static void refuseForeign(LogConfig config, TreeMap<Long, HeaderState> heads) {
        heads.forEach((id, state) -> {
            if (state instanceof HeaderState.Valid(SegmentHeader header)
                    && !header.storeId().equals(config.storeId())) {
                throw new CorruptionException(
                        SegmentPool.pathOf(config, id),
                        0,
                        "the segment belongs to another store; put back this store's own log files");
            }
        });
    }

    private static CorruptionException missing(LogConfig config, TreeMap<Long, HeaderState> heads, long id) {
        String path = SegmentPool.pathOf(config, id);
        HeaderState state = heads.get(id);
        return new CorruptionException(
                path,
                state == null ? -1 : 0,
                (state == null ? "the segment is missing" : "the head of the segment is damaged")
                        + "; records in it were acknowledged. Restore a backup of the store to a new directory"
                        + " ('kvstore backup restore'), or take what is whole of it ('kvstore salvage')");
    }

    private static HeaderState readHead(LogConfig config, long id) throws IOException {
        byte[] head = new byte[LogFormat.SEGMENT_HEADER_BYTES];
        long size;
        String path = SegmentPool.pathOf(config, id);
        try (StorageFile file = config.storage().openReadOnly(path)) {
            if (file.size() < head.length) {
                return new HeaderState.TooShort();
            }
            file.readFully(ByteBuffer.wrap(head), 0);
            size = file.size();
        }
        HeaderState state = LogFormat.readHeader(head, id);
        if (state instanceof HeaderState.Valid(SegmentHeader header) && size < header.capacity()) {
            throw new CorruptionException(
                    path,
                    size,
                    "the segment was cut short: it had " + header.capacity() + " bytes. Restore it from a copy");
        }
        return state instanceof HeaderState.Unused && holdsFrame(config, id) ? new HeaderState.Damaged() : state;
    }

    /** Whether a segment with a zeroed head was used: then its first frame is still a frame of its own. */
    private static boolean holdsFrame(LogConfig config, long id) throws IOException {
        StorageFile file = config.storage().openReadOnly(SegmentPool.pathOf(config, id));
        try (FrameScanner scanner = new FrameScanner(file, id, LogFormat.SEGMENT_HEADER_BYTES, Long.MAX_VALUE)) {
            return scanner.next();
        }
    }
}
