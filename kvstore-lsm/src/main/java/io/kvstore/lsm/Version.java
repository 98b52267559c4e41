package io.kvstore.lsm;

import io.kvstore.data.KeyOrder;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.Slice;
import io.kvstore.lsm.sstable.EntryCursor;
import io.kvstore.lsm.sstable.KeyBuffer;
import io.kvstore.lsm.sstable.Lookup;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.value.NearValues;
import io.kvstore.value.StoredValue;
import io.kvstore.value.ValuePointer;
import io.kvstore.value.ValueWindows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * All places where a table's entries are at one moment, from the newest to the oldest: the active memtable, the full ones,
 * the files of level 0, and the deeper levels. Immutable but for what is still written to the active memtable.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Of two versions of one key the newer one is in the earlier place. So a search ends at its first find.
 *   <li>Level 0 is ordered by file number, the greatest first; its files may overlap. In each deeper level the files are
 *       ordered by key, and no two of them have a key in common.
 *   <li>A version holds its memtables and files until {@link #release} was called as often as {@link #retain}, and once
 *       more by its maker.
 * </ol>
 */
final class Version {

    private final MemTable active;
    private final MemTable[] immutables;
    private final TableFile[][] levels;
    private final ValueFiles values;
    private final AtomicInteger holders = new AtomicInteger(1);

    private Version(MemTable active, MemTable[] immutables, TableFile[][] levels, ValueFiles values) {
        this.active = active;
        this.immutables = immutables;
        this.levels = levels;
        this.values = values;
        active.retain();
        for (MemTable immutable : immutables) {
            immutable.retain();
        }
        for (TableFile[] level : levels) {
            for (TableFile file : level) {
                file.retain();
            }
        }
        values.files().forEach(SharedFile::retain);
    }

    /** The first version of a table. */
    static Version of(MemTable active, FileSet.Opened files) {
        return new Version(active, new MemTable[0], arrays(files.levels()), files.values());
    }

    /** This version with a fresh active memtable before the one that is now full. */
    Version withActive(MemTable fresh) {
        MemTable[] full = new MemTable[immutables.length + 1];
        full[0] = active;
        System.arraycopy(immutables, 0, full, 1, immutables.length);
        return new Version(fresh, full, levels, values);
    }

    /** This version with other files. */
    Version withFiles(List<List<TableFile>> changed, ValueFiles changedValues) {
        return new Version(active, immutables, arrays(changed), changedValues);
    }

    /** This version with other files and without its oldest full memtable, whose entries they hold. */
    Version withFlushed(List<List<TableFile>> changed, ValueFiles changedValues) {
        MemTable[] rest = Arrays.copyOf(immutables, immutables.length - 1);
        return new Version(active, rest, arrays(changed), changedValues);
    }

    private static TableFile[][] arrays(List<List<TableFile>> levels) {
        return levels.stream().map(level -> level.toArray(TableFile[]::new)).toArray(TableFile[][]::new);
    }

    void retain() {
        holders.incrementAndGet();
    }

    void release() {
        if (holders.decrementAndGet() != 0) {
            return;
        }
        active.release();
        for (MemTable immutable : immutables) {
            immutable.release();
        }
        for (TableFile[] level : levels) {
            for (TableFile file : level) {
                file.release();
            }
        }
        values.files().forEach(SharedFile::release);
    }

    /** Looks for the newest visible version of a key, and reads its value; whether that was in a file of values. */
    boolean find(Lookup lookup) throws IOException {
        findEntry(lookup);
        ValuePointer pointer = lookup.pointer();
        if (pointer != null) {
            byte[] key = lookup.key();
            lookup.found(lookup.lsn(), values.read(pointer, key, key.length, lookup.lsn()));
        }
        return pointer != null;
    }

    private void findEntry(Lookup lookup) throws IOException {
        active.find(lookup);
        for (int i = 0; i < immutables.length && lookup.lsn() == 0; i++) {
            immutables[i].find(lookup);
        }
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

    /** A walk over all entries of all places. */
    EntryCursor cursor(boolean reversed, int readAheadBytes) {
        List<EntryCursor> sources = new ArrayList<>();
        sources.add(active.cursor(reversed));
        for (MemTable immutable : immutables) {
            sources.add(immutable.cursor(reversed));
        }
        for (TableFile file : levels[0]) {
            sources.add(file.table().cursor(reversed, readAheadBytes));
        }
        for (int level = 1; level < levels.length; level++) {
            if (levels[level].length > 0) {
                sources.add(new LevelCursor(levels[level], reversed, readAheadBytes));
            }
        }
        return MergingCursor.of(sources, reversed);
    }

    /**
     * Reads the value of an entry of a cursor.
     *
     * @return valid until the next one is read with these windows: a part of one, or all of a fresh array
     */
    Slice read(ValuePointer pointer, KeyBuffer key, long lsn, NearValues near, ValueWindows windows)
            throws IOException {
        ValueFile file = values.find(pointer.segment());
        boolean isFar = near.follow(pointer, key.length()) == NearValues.Place.FAR;
        if (file == null) {
            if (isFar && immutables.length == 0) {
                active.noteScattered(); // or else it may be one of a memtable that is flushed soon
            }
            return Slice.of(active.readApart(pointer, key.array(), key.length()));
        }
        if (isFar) {
            file.noteScattered();
        }
        return file.segment().read(pointer, key.array(), key.length(), lsn, windows);
    }

    /** Reads the value of a key from where it may be, if that takes no call of the system; null if it is not there. */
    @Nullable
    StoredValue tryRead(long segment, long offset, byte[] key) {
        try {
            ValueFile file = values.find(segment);
            return file == null
                    ? active.tryRead(segment, offset, key)
                    : file.segment().tryReadMapped(offset, key);
        } catch (IllegalStateException | CorruptionException | InternalError e) {
            return null; // whoever looks where the place of the value is known will tell
        }
    }

    /** Where the values are that SSTables point to. */
    ValueFiles values() {
        return values;
    }

    MemTable active() {
        return active;
    }

    /** Whether the active memtable is to be flushed for scans. A small one costs a compaction of what is beside it, too. */
    boolean isActiveScattered(long memTableBytes) {
        return active.isScattered(memTableBytes, entries() / Clustering.WORTHWHILE_PART);
    }

    int immutableCount() {
        return immutables.length;
    }

    /** The full memtable that is flushed next. */
    MemTable oldestImmutable() {
        return immutables[immutables.length - 1];
    }

    /** Whether no memtable holds anything. */
    boolean isFlushed() {
        return immutables.length == 0 && active.isEmpty();
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
    List<List<TableFile>> levels() {
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

    /** Memory of the memtables, taken from the budget. */
    long memTableBytes() {
        long bytes = active.takenBytes();
        for (MemTable immutable : immutables) {
            bytes += immutable.takenBytes();
        }
        return bytes;
    }

    /** Whether a memtable is one of these, and so are all newer ones. */
    boolean hasMemTable(MemTable memTable) {
        return active == memTable || Arrays.asList(immutables).contains(memTable);
    }

    /** The lsn of the newest version of a key that a memtable has, or 0. */
    long newestInMemory(byte[] key) {
        long newest = active.newest(key);
        for (int i = 0; i < immutables.length && newest == 0; i++) {
            newest = immutables[i].newest(key);
        }
        return newest;
    }

    /** Whether values of the active memtable or of files are kept apart. */
    boolean hasLongValues() {
        return active.hasLongValues() || !values.files().isEmpty();
    }

    /** All entries. */
    long entries() {
        long entries = memTableEntries();
        for (TableFile[] level : levels) {
            for (TableFile file : level) {
                entries += file.info().entries();
            }
        }
        return entries;
    }

    /** Entries of the memtables. */
    long memTableEntries() {
        long entries = active.entries();
        for (MemTable immutable : immutables) {
            entries += immutable.entries();
        }
        return entries;
    }
}
