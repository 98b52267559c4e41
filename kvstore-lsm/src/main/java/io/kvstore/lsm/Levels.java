package io.kvstore.lsm;

import io.kvstore.data.KeyOrder;
import io.kvstore.lsm.sstable.EntryCursor;
import io.kvstore.lsm.sstable.Lookup;
import io.kvstore.lsm.sstable.SsTableInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The files of a table at one moment: SSTables by level, and the value segments that they point into. Immutable. Versions
 * that differ in nothing but memtables share it.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Of two versions of one key the newer one is in the earlier place. So a search ends at its first find.
 *   <li>Level 0 is ordered by file number, the greatest first; its files may overlap. In each deeper level the files are
 *       ordered by key, and no two of them have a key in common.
 *   <li>The files are held until {@link #release} was called as often as {@link #retain}, and once more by its maker.
 * </ol>
 */
final class Levels {

    private final TableFile[][] levels;
    private final ValueFiles values;
    private final AtomicInteger holders = new AtomicInteger(1);

    Levels(List<List<TableFile>> levels, ValueFiles values) {
        this.levels =
                levels.stream().map(level -> level.toArray(TableFile[]::new)).toArray(TableFile[][]::new);
        this.values = values;
        for (TableFile[] level : this.levels) {
            for (TableFile file : level) {
                file.retain();
            }
        }
        values.files().forEach(SharedFile::retain);
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
        values.files().forEach(SharedFile::release);
    }

    /** Looks for the newest visible version of a key, where the lookup has not found one yet. */
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

    /** The first of files in key order whose last key is at or after the key. */
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

    /** Adds what a walk over all entries merges, from the newest place to the oldest. */
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

    /** Where the values are that SSTables point to. */
    ValueFiles values() {
        return values;
    }

    /** What is known of the files, by level. */
    List<List<SsTableInfo>> infos() {
        List<List<SsTableInfo>> result = new ArrayList<>();
        for (TableFile[] level : levels) {
            List<SsTableInfo> infos = new ArrayList<>();
            for (TableFile file : level) {
                infos.add(file.info());
            }
            result.add(infos);
        }
        return result;
    }

    /** The files by level. */
    List<List<TableFile>> files() {
        List<List<TableFile>> result = new ArrayList<>();
        for (TableFile[] level : levels) {
            result.add(List.of(level));
        }
        return result;
    }

    int fileCount(int level) {
        return levels[level].length;
    }

    /** Whether a file of {@code level} or deeper may hold the key. */
    boolean mayHoldFrom(int level, byte[] key) {
        for (int i = level; i < levels.length; i++) {
            if (i == 0) {
                for (TableFile file : levels[0]) {
                    if (file.info().covers(key)) {
                        return true;
                    }
                }
            } else {
                int file = ceiling(levels[i], key);
                if (file < levels[i].length && levels[i][file].info().covers(key)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** All entries of the SSTables. */
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
