package io.kvstore.lsm;

import io.kvstore.io.Slice;
import io.kvstore.lsm.sstable.EntryCursor;
import io.kvstore.lsm.sstable.EntryKind;
import io.kvstore.value.GrowingValues;
import io.kvstore.value.HashIndex;
import io.kvstore.value.ValuePointer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The new files of one flush or compaction: SSTables of one level, and the value segments for the values that go apart. Until
 * {@link #edit} they do not count, and closing deletes them.
 *
 * <p>A long value was appended to a segment when it was put and stays there: flushes and compactions copy the pointer. Values
 * move to a new segment only when theirs is to be emptied, or when they are long and were inline.
 */
final class JobOutput implements AutoCloseable {

    private final DataFiles files;
    private final LsmOptions options;
    private final int level;
    private final Moves moves;
    private final List<FileSet.Edit.Placed> tables = new ArrayList<>();
    private final List<ValueFile> segments = new ArrayList<>();
    private DataFiles.@Nullable NewTable table;
    private DataFiles.@Nullable NewSegment segment;
    private boolean handedOver;

    /**
     * Which values move.
     *
     * @param emptied numbers of the segments that are to be emptied
     * @param from where their values are read
     * @param known is told where they are now
     */
    record Moves(Set<Long> emptied, ValueFiles from, HashIndex known) {}

    /** @param level the level of the SSTables; those of a level above 0 have a limited size */
    JobOutput(DataFiles files, LsmOptions options, int level, Moves moves) {
        this.files = files;
        this.options = options;
        this.level = level;
        this.moves = moves;
    }

    /** Adds the entry at which a forward cursor is. All versions of a key go to one SSTable. */
    void add(EntryCursor entry) throws IOException {
        if (table != null && isFull(table, entry)) {
            endTable(table);
        }
        if (table == null) {
            table = files.createTable();
        }
        ValuePointer pointer = placed(entry);
        if (pointer == null) {
            table.writer().add(entry);
        } else {
            table.writer().add(entry, pointer);
        }
    }

    private boolean isFull(DataFiles.NewTable open, EntryCursor entry) {
        return level > 0
                && open.writer().bytes() >= options.fileBytes()
                && !open.writer().lastKey().holds(entry.key());
    }

    /** Where the value of an entry was put, or null if it stays where it is. */
    private @Nullable ValuePointer placed(EntryCursor entry) throws IOException {
        if (entry.kind() == EntryKind.INLINE && entry.valueLength() >= options.valueThresholdBytes()) {
            return append(entry, entry.value());
        }
        if (entry.kind() == EntryKind.VALUE_POINTER && !moves.emptied.isEmpty()) {
            ValuePointer pointer = entry.pointer();
            if (moves.emptied.contains(pointer.segment())) {
                byte[] value = moves.from.read(
                        pointer, entry.key().array(), entry.key().length(), entry.lsn());
                ValuePointer moved = append(entry, Slice.of(value));
                moves.known.moved(entry.key().array(), entry.key().length(), pointer, moved);
                return moved;
            }
        }
        return null;
    }

    private ValuePointer append(EntryCursor entry, Slice value) throws IOException {
        if (segment != null && segment.writer().bytes() >= options.segmentBytes()) {
            endSegment(segment);
        }
        if (segment == null) {
            segment = files.createSegment();
        }
        Slice key = new Slice(entry.key().array(), 0, entry.key().length());
        return segment.writer().append(key, entry.lsn(), value);
    }

    private void endTable(DataFiles.NewTable open) throws IOException {
        tables.add(new FileSet.Edit.Placed(level, open.finish()));
        open.close();
        table = null;
    }

    private void endSegment(DataFiles.NewSegment open) throws IOException {
        segments.add(open.finish());
        open.close();
        segment = null;
    }

    /**
     * Has the segments of a memtable, all of whose entries were added, made durable, and counts those that SSTables point into.
     * They stay the memtable's, whatever becomes of this.
     */
    void borrow(MemTable from, GrowingValues growing) throws IOException {
        Set<Long> numbers = ValueMoves.referredBy(addedTables());
        numbers.retainAll(from.segments());
        if (numbers.isEmpty()) {
            return;
        }
        growing.write();
        try {
            growing.sync(numbers);
        } catch (IOException e) {
            throw new FinalFailureException("value segments " + numbers + " could not be synced", e);
        }
        for (long number : numbers) {
            ValueFile file = files.open(growing.info(number), ValueFile.Origin.BORROWED);
            growing.shareCold(number, file.segment());
            segments.add(file);
        }
        from.setCounting(numbers);
    }

    private List<TableFile> addedTables() {
        return tables.stream().map(FileSet.Edit.Placed::file).toList();
    }

    /** Completes and syncs all files that were begun here. */
    void finish() throws IOException {
        if (segment != null) {
            endSegment(segment);
        }
        if (table != null) {
            endTable(table);
        }
    }

    /** Bytes of all files, when they are finished. */
    long bytes() {
        long bytes = 0;
        for (FileSet.Edit.Placed placed : tables) {
            bytes += placed.file().info().bytes();
        }
        for (ValueFile file : segments) {
            bytes += file.info().bytes();
        }
        return bytes;
    }

    /** Hands the finished files over to the one who makes them count, or discards them. */
    FileSet.Edit edit(List<TableFile> removed, long durableLsn) {
        handedOver = true;
        return new FileSet.Edit(List.copyOf(tables), List.of(), removed, List.copyOf(segments), durableLsn);
    }

    @Override
    public void close() throws IOException {
        if (handedOver) {
            return;
        }
        tables.forEach(placed -> placed.file().abandon());
        segments.forEach(SharedFile::abandon);
        try {
            if (segment != null) {
                segment.close();
            }
        } finally {
            if (table != null) {
                table.close();
            }
        }
    }
}
