package io.kvstore.lsm.version;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.DiskRoom;
import io.kvstore.engine.Separators;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.lsm.entry.Lookup;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.value.append.StoredSegment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The files of a table at one moment: SSTables by level, and the value segments that they point into. Immutable. Versions
 * that differ only in their memtables share it.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Of two versions of one key the newer one is in the earlier place. So a search ends at its first find.
 *   <li>Level 0 is ordered by lsn, the newest file first. All of a file is newer than all of the next one, and the two may
 *       have keys in common. In each deeper level the files are ordered by key, and no two of them have a key in common.
 *   <li>The files are held until {@link #release} was called once for each {@link #retain} and once more by the maker.
 *   <li>Nothing is thrown between the first file that is retained, or released, and the last.
 * </ol>
 */
public final class Levels {

    private final Supplier<LsmOptions> options;
    private final DiskRoom room;
    private final TableFile[][] levels;
    private final LiveSegments values;
    private final SpaceUse space;
    private final long memTableBytes;
    private final long memTableApartBytes;
    private final long worthwhileTombstones;
    private final AtomicInteger holders = new AtomicInteger(1);

    Levels(List<List<TableFile>> levels, LiveSegments values, Supplier<LsmOptions> options, DiskRoom room) {
        this.options = options;
        this.room = room;
        this.levels =
                levels.stream().map(level -> level.toArray(TableFile[]::new)).toArray(TableFile[][]::new);
        this.values = values;
        this.space = SpaceUse.of(levels, values);
        LsmOptions now = options.get();
        this.memTableBytes = SpaceDebt.memTableBytes(now, room);
        this.memTableApartBytes = SpaceDebt.memTableApartBytes(now, space, room);
        this.worthwhileTombstones = SpaceDebt.worthwhileTombstones(now, space, entries());
        retainFiles();
    }

    /** Takes one lease of each file, which is given back apart from the others. Takes no memory. */
    void retainFiles() {
        for (TableFile[] level : levels) {
            for (TableFile file : level) {
                file.retain();
            }
        }
        values.retain();
    }

    /** Levels of other files, for the same table. */
    Levels with(List<List<TableFile>> files, LiveSegments segments) {
        return new Levels(files, segments, options, room);
    }

    void retain() {
        holders.incrementAndGet();
    }

    void release() {
        if (holders.decrementAndGet() != 0) {
            return;
        }
        for (TableFile[] level : levels) {
            for (TableFile file : level) {
                file.release();
            }
        }
        values.release();
    }

    /** Adds the files that no longer count. */
    void addLeaving(Set<TableFile> tables, Set<StoredSegment> segments) {
        for (TableFile[] level : levels) {
            Arrays.stream(level).filter(TableFile::isLeaving).forEach(tables::add);
        }
        values.segments().stream().filter(StoredSegment::isEmptied).forEach(segments::add);
    }

    /** Looks for the newest visible version of a key, unless the lookup has found one already. */
    void findEntry(Lookup lookup) throws IOException {
        TableFile[] level0 = levels[0];
        for (int i = 0; i < level0.length && lookup.lsn() == 0; i++) {
            level0[i].table().find(lookup);
        }
        for (int level = 1; level < levels.length && lookup.lsn() == 0; level++) {
            int file = ceiling(levels[level], lookup.key());
            if (file < levels[level].length) {
                levels[level][file].table().find(lookup);
            }
        }
    }

    /** Returns the index of the first file whose last key is at or after the key. The files are in key order. */
    static int ceiling(TableFile[] files, byte[] key) {
        int low = 0;
        int high = files.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (KeyOrder.compare(files[middle].info().maxKey(), key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Adds the cursors that a walk over all entries merges, from the newest place to the oldest. */
    void addCursors(List<EntryCursor> sources, boolean reversed, int readAheadBytes) {
        for (TableFile file : levels[0]) {
            sources.add(file.table().cursor(reversed, readAheadBytes));
        }
        for (int level = 1; level < levels.length; level++) {
            if (levels[level].length > 0) {
                sources.add(new LevelCursor(levels[level], reversed, readAheadBytes));
            }
        }
    }

    /**
     * Ascending keys that divide a range: separators of blocks, which are of about equal size. The blocks of all files are one
     * row, so files count with their blocks however few they have.
     */
    public List<byte[]> separators(KeyRange range, int wanted) {
        Separators row = new Separators(wanted);
        allFiles().forEach(file -> file.table().addSeparators(range, row));
        List<byte[]> ascending = new ArrayList<>(row.keys());
        ascending.sort(KeyOrder.COMPARATOR);
        // behind the greatest key there is nothing
        while (!ascending.isEmpty() && !anyAfter(ascending.getLast())) {
            ascending.removeLast();
        }
        return ascending;
    }

    private boolean anyAfter(byte[] key) {
        return allFiles().anyMatch(file -> KeyOrder.compare(file.info().maxKey(), key) > 0);
    }

    public LiveSegments values() {
        return values;
    }

    public List<List<SsTableInfo>> infos() {
        return files().stream()
                .map(level -> level.stream().map(TableFile::info).toList())
                .toList();
    }

    public List<List<TableFile>> files() {
        return Arrays.stream(levels).map(level -> List.of(level)).toList();
    }

    public int fileCount(int level) {
        return levels[level].length;
    }

    /** Whether a file of {@code level} or deeper may hold the key. */
    public boolean mayHoldFrom(int level, byte[] key) {
        return anyAround(key, level, file -> file.info().covers(key));
    }

    /** Whether a file of {@code level} or deeper seems to hold a key. The answer may be a false positive. */
    public boolean seemsToHoldFrom(int level, KeyBuffer key) {
        return anyAround(key.toArray(), level, file -> file.table().seemsToHold(key));
    }

    /** Whether the condition is true for one of the files of {@code level} or deeper whose keys may surround the key. */
    private boolean anyAround(byte[] key, int level, Predicate<TableFile> wanted) {
        for (int i = level; i < levels.length; i++) {
            int first = i == 0 ? 0 : ceiling(levels[i], key);
            int end = i == 0 ? levels[0].length : Math.min(first + 1, levels[i].length);
            for (int file = first; file < end; file++) {
                if (wanted.test(levels[i][file])) {
                    return true;
                }
            }
        }
        return false;
    }

    public SpaceUse space() {
        return space;
    }

    /** A memtable that takes this many bytes of memory is full. */
    long memTableBytes() {
        return memTableBytes;
    }

    /** A memtable with this many bytes in value segments is full. */
    public long memTableApartBytes() {
        return memTableApartBytes;
    }

    /** A memtable with this many tombstones is worth a file. */
    public long worthwhileTombstones() {
        return worthwhileTombstones;
    }

    /** Whether some bytes were kept only for snapshots. */
    public boolean hasKept() {
        return allFiles().anyMatch(file -> file.keptBytes() > 0);
    }

    /** Whether some bytes were kept for snapshots all of which are closed, given the lsns of the open ones. */
    public boolean isKeptInVain(long[] openLsns) {
        return allFiles().anyMatch(file -> file.isKeptInVain(openLsns));
    }

    private Stream<TableFile> allFiles() {
        return Arrays.stream(levels).flatMap(Arrays::stream);
    }

    /** Bytes that are kept only for open snapshots, given their lsns. */
    long pinnedBytes(long[] openLsns) {
        return allFiles()
                .filter(file -> openLsns.length > 0 && openLsns[0] <= file.keptLsn())
                .mapToLong(TableFile::keptBytes)
                .sum();
    }

    /** Called by gets and writes, so it allocates nothing. */
    long entries() {
        long entries = 0;
        for (TableFile[] level : levels) {
            for (TableFile file : level) {
                entries += file.info().entries();
            }
        }
        return entries;
    }
}
