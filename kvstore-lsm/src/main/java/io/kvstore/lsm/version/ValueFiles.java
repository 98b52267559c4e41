package io.kvstore.lsm.version;

import io.kvstore.error.CorruptionException;
import io.kvstore.lsm.sstable.ValueReferences;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegmentUse;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The value segments of one version, and the live bytes of each, which are those that SSTables of the version point to.
 * Immutable.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Every pointer of every SSTable of the version leads into one of these segments.
 *   <li>A record has one pointer. So the live bytes of a segment are exactly the sum over the SSTables. A segment without
 *       live bytes is in no version.
 * </ol>
 */
public final class ValueFiles {

    private final String directory;
    private final ValueFile[] files;
    private final long[] numbers;
    private final long[] liveBytes;

    private ValueFiles(String directory, ValueFile[] files, long[] liveBytes) {
        this.directory = directory;
        this.files = files;
        this.numbers =
                Arrays.stream(files).mapToLong(file -> file.info().number()).toArray();
        this.liveBytes = liveBytes;
    }

    /**
     * The value segments of a table that is being opened.
     *
     * @throws CorruptionException if SSTables point to bytes that no segment has
     */
    static ValueFiles of(String directory, Collection<ValueFile> files, Collection<TableFile> tables) {
        return new ValueFiles(directory, new ValueFile[0], new long[0]).with(files, tables, List.of());
    }

    /** These segments after a change of files, without those that no SSTable points into any more. */
    ValueFiles with(Collection<ValueFile> added, Collection<TableFile> tables, Collection<TableFile> removedTables) {
        Map<Long, Long> live = new HashMap<>();
        Map<Long, ValueFile> byNumber = new HashMap<>();
        for (int i = 0; i < files.length; i++) {
            byNumber.put(numbers[i], files[i]);
            live.put(numbers[i], liveBytes[i]);
        }
        added.forEach(file -> byNumber.put(file.info().number(), file));
        tables.forEach(table -> count(live, table.table().references(), 1));
        removedTables.forEach(table -> count(live, table.table().references(), -1));
        live.forEach((number, bytes) -> check(number, bytes, byNumber.get(number)));
        ValueFile[] kept = byNumber.values().stream()
                .filter(file -> live.getOrDefault(file.info().number(), 0L) > 0)
                .sorted(Comparator.comparingLong(file -> file.info().number()))
                .toArray(ValueFile[]::new);
        long[] bytes = Arrays.stream(kept)
                .mapToLong(file -> live.getOrDefault(file.info().number(), 0L))
                .toArray();
        return new ValueFiles(directory, kept, bytes);
    }

    private static void count(Map<Long, Long> live, ValueReferences references, int sign) {
        for (int i = 0; i < references.size(); i++) {
            live.merge(references.segment(i), sign * references.bytes(i), Long::sum);
        }
    }

    private void check(long number, long bytes, @Nullable ValueFile file) {
        if (file == null ? bytes != 0 : bytes < 0 || bytes > file.info().bytes()) {
            throw new CorruptionException(
                    DataFiles.segmentPath(directory, number),
                    -1,
                    "SSTables point to " + bytes + " bytes of it; it has "
                            + (file == null
                                    ? "none: the manifest does not name it"
                                    : file.info().bytes()));
        }
    }

    /** Whether the version has the segment of this number. */
    public boolean has(long number) {
        return find(number) != null;
    }

    /** Reads the value of an entry, as a fresh array. */
    public byte[] read(ValuePointer pointer, byte[] key, int keyLength, long lsn) throws IOException {
        ValueFile file = find(pointer.segment());
        if (file == null) {
            throw new CorruptionException(
                    DataFiles.segmentPath(directory, pointer.segment()), -1, "a value is there, and the file is not");
        }
        return file.segment().read(pointer, key, keyLength, lsn);
    }

    /** The segment of this number, or null if the version does not have it. */
    @Nullable
    ValueFile find(long number) {
        int index = Arrays.binarySearch(numbers, number);
        return index < 0 ? null : files[index];
    }

    void retain() {
        for (ValueFile file : files) {
            file.retain();
        }
    }

    void release() {
        for (ValueFile file : files) {
            file.release();
        }
    }

    public List<ValueFile> files() {
        return List.of(files);
    }

    /** Bytes that SSTables point to. */
    public long liveBytes() {
        return Arrays.stream(liveBytes).sum();
    }

    /** The size and the live bytes of each segment. */
    public List<ValueSegmentUse> segments() {
        ValueSegmentUse[] result = new ValueSegmentUse[files.length];
        Arrays.setAll(result, i -> new ValueSegmentUse(files[i].info(), liveBytes[i]));
        return List.of(result);
    }
}
