package io.kvstore.lsm.version;

import io.kvstore.engine.DiskRoom;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.Slice;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.lsm.entry.Lookup;
import io.kvstore.lsm.entry.MergingCursor;
import io.kvstore.lsm.memtable.MemTable;
import io.kvstore.lsm.options.LsmOptions;
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
 * and the {@link Levels} of files. Immutable but for what is still written to the active memtable.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Of two versions of one key the newer one is in the earlier place. So a search ends at its first find.
 *   <li>A version holds its memtables and files until {@link #release} was called as often as {@link #retain}, and once
 *       more by its maker.
 * </ol>
 */
public final class Version {

    private final MemTable active;
    private final MemTable[] immutables;
    private final Levels levels;
    private final ValueFiles values;
    private final LsmOptions options;
    private final DiskRoom room;
    private final AtomicInteger holders = new AtomicInteger(1);

    /** @param levels retained for this version by the caller afterwards, or made for it */
    private Version(LsmOptions options, DiskRoom room, MemTable active, MemTable[] immutables, Levels levels) {
        this.options = options;
        this.room = room;
        this.active = active;
        this.immutables = immutables;
        this.levels = levels;
        this.values = levels.values();
        active.retain();
        for (MemTable immutable : immutables) {
            immutable.retain();
        }
    }

    /** The first version of a table. */
    public static Version of(LsmOptions options, DiskRoom room, MemTable active, VersionSet.Opened files) {
        Levels levels = new Levels(files.levels(), files.values(), options, room);
        return over(options, room, active, new MemTable[0], levels);
    }

    /** This version with a fresh active memtable before the one that is now full. */
    public Version withActive(MemTable fresh) {
        MemTable[] full = new MemTable[immutables.length + 1];
        full[0] = active;
        System.arraycopy(immutables, 0, full, 1, immutables.length);
        Version result = new Version(options, room, fresh, full, levels);
        levels.retain();
        return result;
    }

    /** A version with levels that were made for it, and that go if it cannot be made. */
    private static Version over(
            LsmOptions options, DiskRoom room, MemTable active, MemTable[] immutables, Levels made) {
        boolean isDone = false;
        try {
            Version result = new Version(options, room, active, immutables, made);
            isDone = true;
            return result;
        } finally {
            if (!isDone) {
                made.release();
            }
        }
    }

    /** This version with other files. */
    Version withFiles(List<List<TableFile>> changed, ValueFiles changedValues) {
        return over(options, room, active, immutables, new Levels(changed, changedValues, options, room));
    }

    /** This version with other files and without its oldest full memtable, whose entries they hold. */
    Version withFlushed(List<List<TableFile>> changed, ValueFiles changedValues) {
        MemTable[] rest = Arrays.copyOf(immutables, immutables.length - 1);
        return over(options, room, active, rest, new Levels(changed, changedValues, options, room));
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

    /** Looks for the newest visible version of a key, and reads its value; whether that is kept apart. */
    public boolean find(Lookup lookup) throws IOException {
        boolean isApart = findEntry(lookup);
        ValuePointer pointer = lookup.pointer();
        if (pointer != null) {
            byte[] key = lookup.key();
            lookup.found(lookup.lsn(), values.read(pointer, key, key.length, lookup.lsn()));
        }
        return isApart || pointer != null;
    }

    /** Whether a memtable had it, and its value is kept apart. */
    private boolean findEntry(Lookup lookup) throws IOException {
        boolean isApart = active.find(lookup);
        for (int i = 0; i < immutables.length && lookup.lsn() == 0; i++) {
            isApart = immutables[i].find(lookup);
        }
        levels.findEntry(lookup);
        return isApart;
    }

    /** A walk over all entries of all places. */
    public EntryCursor cursor(boolean reversed, int readAheadBytes) {
        return cursor(reversed, readAheadBytes, Long.MAX_VALUE);
    }

    /** A walk over all entries up to an lsn, and others; memtables that have only others are not put in order for it. */
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
    public @Nullable StoredValue tryRead(long segment, long offset, byte[] key) {
        try {
            ValueFile file = values.find(segment);
            return file == null
                    ? active.tryRead(segment, offset, key)
                    : file.segment().tryReadMapped(offset, key);
        } catch (CorruptionException | InternalError e) {
            return null; // whoever looks where the place of the value is known will tell
        }
    }

    /** Where the values are that SSTables point to. */
    public ValueFiles values() {
        return values;
    }

    public MemTable active() {
        return active;
    }

    /** Whether the active memtable is to be flushed for scans. A small one costs a compaction of what is beside it, too. */
    public boolean isActiveScattered(long memTableBytes) {
        return active.isScattered(memTableBytes, entries() / LsmOptions.SCATTERED_PART);
    }

    /** Whether the active memtable holds as much as it should. */
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

    /** Whether no memtable holds anything. */
    public boolean isFlushed() {
        return immutables.length == 0 && active.isEmpty();
    }

    /** The files. */
    public Levels levels() {
        return levels;
    }

    /** Memory of the memtables, taken from the budget. */
    public long memTableBytes() {
        return active.countedBytes() + immutableBytes();
    }

    /** That of the full ones. */
    public long immutableBytes() {
        long bytes = 0;
        for (MemTable immutable : immutables) {
            bytes += immutable.countedBytes();
        }
        return bytes;
    }

    /** Whether a memtable is one of these, and so are all newer ones. */
    public boolean hasMemTable(MemTable memTable) {
        return active == memTable || Arrays.asList(immutables).contains(memTable);
    }

    /** The lsn of the newest version of a key that a memtable has, or 0. */
    public long newestInMemory(byte[] key) {
        long newest = active.newest(key);
        for (int i = 0; i < immutables.length && newest == 0; i++) {
            newest = immutables[i].newest(key);
        }
        return newest;
    }

    /** Whether values of the active memtable or of files are kept apart. */
    public boolean hasLongValues() {
        return active.hasLongValues() || !values.files().isEmpty();
    }

    /** All entries. */
    public long entries() {
        return memTableEntries() + levels.entries();
    }

    /** Entries of the memtables. */
    public long memTableEntries() {
        long entries = active.entries();
        for (MemTable immutable : immutables) {
            entries += immutable.entries();
        }
        return entries;
    }
}
