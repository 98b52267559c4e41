package io.kvstore.lsm.version;

import io.kvstore.bytes.Slice;
import io.kvstore.error.CorruptionException;
import io.kvstore.lsm.entry.Lookup;
import io.kvstore.lsm.sstable.ValueReferences;
import io.kvstore.value.ValueLog;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueRecords;
import io.kvstore.value.segment.ValueSegmentInfo;
import io.kvstore.value.segment.ValueSegmentUse;
import io.kvstore.value.segment.ValueWindows;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The value segments into which SSTables of one version point, and the live bytes of each, which are those that the SSTables
 * point to. Immutable.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Every pointer of every SSTable of the version leads into one of these segments.
 *   <li>A record has one pointer. So the live bytes of a segment are exactly the sum over the SSTables. A segment without
 *       live bytes is in no version.
 * </ol>
 */
public final class LiveSegments {

    private final ValueLog log;
    private final StoredSegment[] segments;
    private final long[] numbers;
    private final long[] liveBytes;

    private LiveSegments(ValueLog log, StoredSegment[] segments, long[] liveBytes) {
        this.log = log;
        this.segments = segments;
        this.numbers = Arrays.stream(segments).mapToLong(StoredSegment::number).toArray();
        this.liveBytes = liveBytes;
    }

    /** The segments of a table that is opened. Throws if SSTables point to bytes that no segment has. */
    static LiveSegments of(ValueLog log, Collection<StoredSegment> segments, Collection<TableFile> tables) {
        return new LiveSegments(log, new StoredSegment[0], new long[0]).with(segments, tables, List.of());
    }

    /** The segments that are left of a damaged table. A value of a segment that is missing is damage when it is read. */
    static LiveSegments ofDamaged(ValueLog log, Collection<StoredSegment> segments) {
        StoredSegment[] kept = segments.stream()
                .sorted(Comparator.comparingLong(StoredSegment::number))
                .toArray(StoredSegment[]::new);
        return new LiveSegments(log, kept, new long[kept.length]);
    }

    /** These segments after a change of files, without those that no SSTable points into any more. */
    LiveSegments with(
            Collection<StoredSegment> added, Collection<TableFile> tables, Collection<TableFile> removedTables) {
        Map<Long, Long> live = new HashMap<>();
        Map<Long, StoredSegment> byNumber = new HashMap<>();
        for (int i = 0; i < segments.length; i++) {
            byNumber.put(numbers[i], segments[i]);
            live.put(numbers[i], liveBytes[i]);
        }
        added.forEach(segment -> byNumber.put(segment.number(), segment));
        tables.forEach(table -> count(live, table.table().references(), 1));
        removedTables.forEach(table -> count(live, table.table().references(), -1));
        live.forEach((number, bytes) -> check(number, bytes, byNumber.get(number)));
        StoredSegment[] kept = byNumber.values().stream()
                .filter(segment -> live.getOrDefault(segment.number(), 0L) > 0)
                .sorted(Comparator.comparingLong(StoredSegment::number))
                .toArray(StoredSegment[]::new);
        long[] bytes = Arrays.stream(kept)
                .mapToLong(segment -> live.getOrDefault(segment.number(), 0L))
                .toArray();
        return new LiveSegments(log, kept, bytes);
    }

    private static void count(Map<Long, Long> live, ValueReferences references, int sign) {
        for (int i = 0; i < references.size(); i++) {
            live.merge(references.segment(i), sign * references.bytes(i), Long::sum);
        }
    }

    private void check(long number, long bytes, @Nullable StoredSegment segment) {
        if (segment == null ? bytes != 0 : bytes < 0 || bytes > segment.end()) {
            throw new CorruptionException(
                    log.path(number),
                    -1,
                    "SSTables point to " + bytes + " bytes of it; it has "
                            + (segment == null ? "none: the manifest does not name it" : segment.end()));
        }
    }

    /** Whether SSTables of the version point into the segment of this number. */
    public boolean has(long number) {
        return Arrays.binarySearch(numbers, number) >= 0;
    }

    /** Reads the value of an entry, as a fresh array. */
    public byte[] read(ValuePointer pointer, byte[] key, int keyLength, long lsn) throws IOException {
        return read(pointer, new ValueRecords.Owner(key, keyLength, lsn), null).toWholeArray();
    }

    /** Reads or lends the value of an entry that a search has found. */
    byte[] read(ValuePointer pointer, Lookup lookup) throws IOException {
        byte[] key = lookup.key();
        return log.lend(pointer, lookup.lsn(), lookup.lent())
                ? LentValue.ELSEWHERE
                : read(pointer, key, key.length, lookup.lsn());
    }

    /**
     * Reads the value of an entry of the caller's version.
     *
     * @return a part of one of the windows or all of a fresh array; valid until the next read with these windows
     */
    Slice read(ValuePointer pointer, ValueRecords.Owner owner, @Nullable ValueWindows windows) throws IOException {
        Slice value = log.read(pointer, owner, windows);
        if (value == null) {
            throw new CorruptionException(log.path(pointer.segment()), -1, "a value is there, and the file is not");
        }
        return value;
    }

    /** Notes that a cursor had to wait for a value. Returns false if no SSTable points into its segment. */
    boolean noteScattered(ValuePointer pointer) {
        int at = Arrays.binarySearch(numbers, pointer.segment());
        if (at >= 0) {
            segments[at].noteScattered();
        }
        return at >= 0;
    }

    void retain() {
        for (StoredSegment segment : segments) {
            segment.retain();
        }
    }

    void release() {
        for (StoredSegment segment : segments) {
            segment.release();
        }
    }

    /** The segments, in ascending order of their numbers. */
    public List<StoredSegment> segments() {
        return List.of(segments);
    }

    List<ValueSegmentInfo> infos() {
        return Arrays.stream(segments).map(StoredSegment::info).toList();
    }

    /** Bytes of the segments, alive or not. */
    public long bytes() {
        return Arrays.stream(segments)
                .mapToLong(segment -> segment.info().bytes())
                .sum();
    }

    public long liveBytes() {
        return Arrays.stream(liveBytes).sum();
    }

    /** About how many values of the segments cursors had to wait for. */
    public long scattered() {
        return Arrays.stream(segments).mapToLong(StoredSegment::scattered).sum();
    }

    public List<ValueSegmentUse> uses() {
        ValueSegmentUse[] result = new ValueSegmentUse[segments.length];
        Arrays.setAll(result, i -> new ValueSegmentUse(segments[i].info(), liveBytes[i]));
        return List.of(result);
    }
}
