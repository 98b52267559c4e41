package io.kvstore.lsm.compaction;

import io.kvstore.bytes.Slice;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.RefusedException;
import io.kvstore.io.UncertainOutcomeException;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.memtable.MemTable;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.version.DataFiles;
import io.kvstore.lsm.version.Levels;
import io.kvstore.lsm.version.TableFile;
import io.kvstore.lsm.version.VersionSet;
import io.kvstore.value.append.CacheUse;
import io.kvstore.value.append.NewSegment;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The new files of one flush or compaction: SSTables of one level, and the value segments for values that are kept apart.
 * The files count when they are in a version. Closing deletes the files that are in no version.
 *
 * <p>A long value was appended to a segment when it was put, and stays there: flushes and compactions copy the pointer. A
 * value moves to a new segment only when its segment is to be emptied, or when it is long and was inline.
 */
final class OutputFiles implements AutoCloseable {

    /** One entry in 64, or in 16 KiB, is looked up in deeper levels: few large values say little about each other. */
    private static final int SAMPLE = 64;

    private static final long SAMPLE_BYTES = 16 << 10;

    private final TableParts parts;
    private final Supplier<LsmOptions> options;
    private final int level;
    private final Levels from;
    private final Set<Long> emptied;
    private final List<VersionSet.Edit.Placed> tables = new ArrayList<>();
    private final List<StoredSegment> segments = new ArrayList<>();
    private DataFiles.@Nullable NewTable table;
    private @Nullable NewSegment segment;

    // of the SSTable that is being written
    private int unsampled;
    private long unsampledBytes;
    private long sampledBytes;
    private long aliveBytes;
    private long keptBytes;
    private long keptLsn;

    /**
     * @param level the level of the SSTables; those of a level above 0 have a limited size
     * @param from the current levels: moved values are read from them, and sampled keys are looked up in them
     * @param emptied numbers of the segments that are to be emptied
     */
    OutputFiles(TableParts parts, int level, Levels from, Set<Long> emptied) {
        this.parts = parts;
        this.options = parts.options();
        this.level = level;
        this.from = from;
        this.emptied = emptied;
    }

    /** Adds all entries of a forward cursor that the retention keeps, unless the job is stopped. */
    void addKept(EntryCursor entries, Retention retention, BooleanSupplier stopped) throws IOException {
        for (boolean more = entries.seek(null, true); more; more = entries.advance()) {
            if (stopped.getAsBoolean()) {
                throw new StoppedException();
            }
            EntryCursor entry = entries.source();
            if (retention.keeps(entry)) {
                add(entry, retention.keptLsn());
            }
        }
    }

    /**
     * Adds the entry at which a forward cursor is. All versions of a key go to one SSTable.
     *
     * @param snapshotLsn the newest of the snapshots if the entry is kept only for snapshots, or 0
     */
    void add(EntryCursor entry, long snapshotLsn) throws IOException {
        if (table != null && isFull(table, entry)) {
            endTable(table);
        }
        if (table == null) {
            table = parts.data().createTable();
        }
        note(entry, snapshotLsn);
        ValuePointer pointer = placed(entry);
        if (pointer == null) {
            table.writer().add(entry);
        } else {
            table.writer().add(entry, pointer);
        }
    }

    private void note(EntryCursor entry, long snapshotLsn) {
        long bytes = recordBytes(entry);
        unsampled++;
        unsampledBytes += bytes;
        if (unsampled >= SAMPLE || unsampledBytes >= SAMPLE_BYTES || sampledBytes == 0) {
            boolean isAlive = snapshotLsn == 0
                    && entry.kind() != EntryKind.TOMBSTONE
                    && !from.seemsToHoldFrom(level == 0 ? 0 : level + 1, entry.key());
            sampledBytes += unsampledBytes; // stands for all entries since the last sample
            aliveBytes += isAlive ? unsampledBytes : 0;
            unsampled = 0;
            unsampledBytes = 0;
        }
        if (snapshotLsn > 0) {
            keptBytes += bytes;
            keptLsn = Math.max(keptLsn, snapshotLsn);
        }
    }

    private static long recordBytes(EntryCursor entry) {
        int keyLength = entry.key().length();
        return entry.kind() == EntryKind.VALUE_POINTER
                ? entry.pointer().recordBytes(keyLength)
                : (long) keyLength + entry.valueLength();
    }

    private boolean isFull(DataFiles.NewTable open, EntryCursor entry) {
        return level > 0
                && open.writer().bytes() >= options.get().fileBytes()
                && !open.writer().lastKey().holds(entry.key());
    }

    /** Moves the value of an entry if that is due. Returns its new place, or null if the value stays where it is. */
    private @Nullable ValuePointer placed(EntryCursor entry) throws IOException {
        if (entry.kind() == EntryKind.INLINE
                && entry.valueLength() >= options.get().valueThresholdBytes()) {
            return append(entry, entry.value());
        }
        if (entry.kind() == EntryKind.VALUE_POINTER && !emptied.isEmpty()) {
            ValuePointer pointer = entry.pointer();
            byte[] value = emptied.contains(pointer.segment()) ? read(entry, pointer) : null;
            if (value != null) {
                ValuePointer moved = append(entry, Slice.of(value));
                parts.apart().known().moved(entry.key().array(), entry.key().length(), pointer, moved);
                return moved;
            }
        }
        return null;
    }

    /** Reads a value that is to move. Null if it is damaged; then it stays, and so do all later ones of its segment. */
    private byte @Nullable [] read(EntryCursor entry, ValuePointer pointer) {
        if (parts.damage().isIn(pointer.segment())) {
            return null;
        }
        if (pointer.valueLength() < CacheUse.LARGE_BYTES) {
            // A later compaction will read the values that are put now in the order of keys, and so at random places.
            parts.apart().log().noteRead();
        }
        try {
            return from.values().read(pointer, entry.key().array(), entry.key().length(), entry.lsn());
        } catch (CorruptionException | IOException e) {
            parts.damage().note(pointer.segment(), e);
            return null;
        }
    }

    private ValuePointer append(EntryCursor entry, Slice value) throws IOException {
        if (segment != null && segment.bytes() >= options.get().segmentBytes()) {
            endSegment(segment);
        }
        if (segment == null) {
            segment = parts.apart().log().newSegment();
        }
        Slice key = new Slice(entry.key().array(), 0, entry.key().length());
        return segment.append(key, entry.lsn(), value);
    }

    private void endTable(DataFiles.NewTable open) throws IOException {
        TableFile finished = open.finish();
        try {
            int liveParts = (int) (TableFile.Contents.ALL * ((double) aliveBytes / Math.max(1, sampledBytes)));
            finished.describe(new TableFile.Contents(liveParts, keptBytes, keptLsn));
            tables.add(new VersionSet.Edit.Placed(level, finished));
        } catch (Throwable e) {
            finished.abandon();
            throw e;
        }
        open.close();
        table = null;
        unsampled = 0;
        unsampledBytes = 0;
        sampledBytes = 0;
        aliveBytes = 0;
        keptBytes = 0;
        keptLsn = 0;
    }

    private void endSegment(NewSegment open) throws IOException {
        add(open.finish());
        open.close();
        segment = null;
    }

    /**
     * Makes the segments of a memtable durable that the new SSTables point into, and adds them to the new files. All entries
     * of the memtable must have been added. Its other segments go with the memtable.
     */
    void keep(MemTable memTable) throws IOException {
        Set<Long> numbers = TableFile.segmentsOf(addedTables());
        numbers.retainAll(memTable.segments());
        if (numbers.isEmpty()) {
            return;
        }
        parts.apart().log().write();
        try {
            parts.apart().log().sync(numbers);
        } catch (RefusedException e) {
            throw e;
        } catch (IOException e) {
            throw new UncertainOutcomeException("value segments " + numbers + " could not be synced", e);
        }
        for (long number : numbers) {
            add(Objects.requireNonNull(parts.apart().log().segment(number)).retain());
        }
    }

    /** Takes over a lease until the files are closed. */
    private void add(StoredSegment leased) {
        try {
            segments.add(leased);
        } catch (Throwable e) {
            leased.release();
            throw e;
        }
    }

    private List<TableFile> addedTables() {
        return tables.stream().map(VersionSet.Edit.Placed::file).toList();
    }

    void finish() throws IOException {
        if (segment != null) {
            endSegment(segment);
        }
        if (table != null) {
            endTable(table);
        }
    }

    long bytes() {
        long bytes = 0;
        for (VersionSet.Edit.Placed placed : tables) {
            bytes += placed.file().info().bytes();
        }
        for (StoredSegment added : segments) {
            bytes += added.end();
        }
        return bytes;
    }

    /** The change of the version set that makes the finished files count in place of others. */
    VersionSet.Edit edit(List<TableFile> removed, long durableLsn) {
        return new VersionSet.Edit(List.copyOf(tables), List.of(), removed, List.copyOf(segments), durableLsn);
    }

    /** Gives back the leases of segments, and gives up the files that are in no version. */
    @Override
    public void close() throws IOException {
        DataFiles.NewTable openTable = table;
        NewSegment openSegment = segment;
        try (openTable;
                openSegment) {
            for (int i = 0; i < segments.size(); i++) {
                segments.get(i).release();
            }
            segments.clear();
            for (int i = 0; i < tables.size(); i++) {
                tables.get(i).file().abandon();
            }
        }
    }
}
