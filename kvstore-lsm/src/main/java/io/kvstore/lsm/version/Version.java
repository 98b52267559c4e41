package io.kvstore.lsm.version;

import io.kvstore.bytes.Slice;
import io.kvstore.engine.DiskRoom;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.lsm.entry.Lookup;
import io.kvstore.lsm.entry.MergingCursor;
import io.kvstore.lsm.memtable.MemTable;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.value.policy.NearValues;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueRecords;
import io.kvstore.value.segment.ValueWindows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * All places of a table's entries at one moment, from the newest to the oldest: the active memtable, the full ones, and the
 * {@link Levels} of files. Immutable, but for writes to the active memtable.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Of two versions of one key the newer one is in the earlier place. So a search ends at its first find.
 *   <li>A version holds its memtables and files until {@link #release} was called once for each {@link #retain} and once
 *       more by the maker.
 * </ol>
 */
public final class Version {

    private final MemTable active;
    private final MemTable[] immutables;
    private final Levels levels;
    private final LiveSegments values;
    private final AtomicInteger holders = new AtomicInteger(1);

    /** @param levels made for this version, or retained for it afterwards by the caller */
    private Version(MemTable active, MemTable[] immutables, Levels levels) {
        this.active = active;
        this.immutables = immutables;
        this.levels = levels;
        this.values = levels.values();
        active.retain();
        for (MemTable immutable : immutables) {
            immutable.retain();
        }
    }

    /** The first version of a table. Gives up the files if the version cannot be made. */
    public static Version of(Supplier<LsmOptions> options, DiskRoom room, MemTable active, VersionSet.Opened files) {
        try {
            return over(active, new MemTable[0], new Levels(files.levels(), files.values(), options, room));
        } catch (Throwable e) {
            files.giveUp();
            throw e;
        }
    }

    /** This version with a fresh active memtable. The memtable that was active becomes the newest full one. */
    public Version withActive(MemTable fresh) {
        MemTable[] full = new MemTable[immutables.length + 1];
        full[0] = active;
        System.arraycopy(immutables, 0, full, 1, immutables.length);
        Version result = new Version(fresh, full, levels);
        levels.retain();
        return result;
    }

    /** Makes a version with levels that were made for it. Releases the levels if the version cannot be made. */
    private static Version over(MemTable active, MemTable[] immutables, Levels made) {
        try {
            return new Version(active, immutables, made);
        } catch (Throwable e) {
            made.release();
            throw e;
        }
    }

    /** This version with the same files and memtables, for the options that the table has now. */
    public Version adopting() {
        return over(active, immutables, levels.with(levels.files(), values));
    }

    /** This version with other files. If {@code flushed}, they have the entries of its oldest full memtable, which goes. */
    Version with(List<List<TableFile>> changed, LiveSegments changedValues, boolean flushed) {
        MemTable[] rest = flushed ? Arrays.copyOf(immutables, immutables.length - 1) : immutables;
        return over(active, rest, levels.with(changed, changedValues));
    }

    void retain() {
        holders.incrementAndGet();
    }

    public void release() {
        if (holders.decrementAndGet() != 0) {
            return;
        }
        active.release();
        for (MemTable immutable : immutables) {
            immutable.release();
        }
        levels.release();
    }

    /** Looks for the newest visible version of a key, and reads its value if wanted. Returns whether it is read apart. */
    public boolean find(Lookup lookup) throws IOException {
        boolean isApart = findEntry(lookup);
        ValuePointer pointer = lookup.wantsValue() ? lookup.pointer() : null;
        if (pointer != null) {
            lookup.found(lookup.lsn(), values.read(pointer, lookup));
        }
        return isApart || pointer != null;
    }

    /** Looks for the entry. Returns whether a memtable had it and its value is kept apart. */
    private boolean findEntry(Lookup lookup) throws IOException {
        boolean isApart = active.find(lookup);
        for (int i = 0; i < immutables.length && lookup.lsn() == 0; i++) {
            isApart = immutables[i].find(lookup);
        }
        levels.findEntry(lookup);
        return isApart;
    }

    /** A walk over all entries up to an lsn, and perhaps newer ones. Memtables with newer ones only are not sorted for it. */
    public EntryCursor cursor(boolean reversed, int readAheadBytes, long lsn) {
        List<EntryCursor> sources = new ArrayList<>();
        addCursors(active, sources, reversed, lsn);
        for (MemTable immutable : immutables) {
            addCursors(immutable, sources, reversed, lsn);
        }
        levels.addCursors(sources, reversed, readAheadBytes);
        if (sources.isEmpty()) {
            active.addCursors(sources, reversed);
        }
        return MergingCursor.of(sources, reversed);
    }

    private static void addCursors(MemTable memTable, List<EntryCursor> sources, boolean reversed, long lsn) {
        if (memTable.firstLsn() <= lsn) {
            memTable.addCursors(sources, reversed);
        }
    }

    /** Reads the value of an entry of a cursor. The result is valid until the next read with these windows. */
    Slice read(ValuePointer pointer, KeyBuffer key, long lsn, NearValues near, ValueWindows windows)
            throws IOException {
        boolean isFar = near.follow(pointer, key.length()) == NearValues.Place.FAR;
        if (isFar && !values.noteScattered(pointer) && immutables.length == 0) {
            active.noteScattered(); // otherwise the value may be in a memtable that is flushed soon
        }
        return values.read(pointer, new ValueRecords.Owner(key.array(), key.length(), lsn), windows);
    }

    public LiveSegments values() {
        return values;
    }

    public MemTable active() {
        return active;
    }

    /** Whether the active memtable is to be flushed for scans. A small one also costs a compaction of files beside it. */
    public boolean isActiveScattered(long memTableBytes) {
        return active.isScattered(memTableBytes, entries() / LsmOptions.SCATTERED_PART);
    }

    /**
     * Whether the active memtable may hide so many dead bytes of files that it is worth a file, although it is not full. Its
     * tombstones bring back no space before a compaction meets them, and cursors walk over the keys that they hide.
     */
    public boolean isActiveHiding() {
        return active.tombstones() >= levels.worthwhileTombstones();
    }

    /** Whether the active memtable has reached one of its size limits. */
    public boolean isActiveFull() {
        return active.isFull(levels.memTableBytes(), levels.memTableApartBytes());
    }

    public int immutableCount() {
        return immutables.length;
    }

    /** The full memtable that is flushed next. */
    MemTable oldestImmutable() {
        return immutables[immutables.length - 1];
    }

    /** Whether no memtable has an entry. */
    public boolean isFlushed() {
        return immutables.length == 0 && active.isEmpty();
    }

    public Levels levels() {
        return levels;
    }

    /** Memory of the memtables, taken from the budget. */
    public long memTableBytes() {
        return active.countedBytes() + immutableBytes();
    }

    /** Memory of the full memtables, taken from the budget. */
    public long immutableBytes() {
        long bytes = 0;
        for (MemTable immutable : immutables) {
            bytes += immutable.countedBytes();
        }
        return bytes;
    }

    /** Whether this version has a memtable. If so, it also has all newer ones. */
    public boolean hasMemTable(MemTable memTable) {
        return active == memTable || Arrays.asList(immutables).contains(memTable);
    }

    /** The lsn of the newest version of a key in the memtables, or 0 if they do not have the key. */
    public long newestInMemory(byte[] key) {
        long newest = active.newest(key);
        for (int i = 0; i < immutables.length && newest == 0; i++) {
            newest = immutables[i].newest(key);
        }
        return newest;
    }

    public boolean hasLongValues() {
        return active.hasLongValues() || !values.segments().isEmpty();
    }

    public long entries() {
        return memTableEntries() + levels.entries();
    }

    public long memTableEntries() {
        long entries = active.entries();
        for (MemTable immutable : immutables) {
            entries += immutable.entries();
        }
        return entries;
    }
}
