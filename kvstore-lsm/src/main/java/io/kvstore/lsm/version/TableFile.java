package io.kvstore.lsm.version;

import io.kvstore.error.Notices;
import io.kvstore.io.Storage;
import io.kvstore.lsm.sstable.SsTable;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.lsm.sstable.SsTableListing;
import io.kvstore.lsm.sstable.ValueReferences;
import io.kvstore.memory.MemoryBudget;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open SSTable, counted by the versions that have it. The last version closes the file, and deletes it if it is obsolete.
 * Accounts for the memory of its index and filter.
 *
 * <p>Invariants: the file is closed once, however often it is given up. So any code that may own a new file can give it up. A
 * failure of the close or of the deletion is logged and not thrown, because other files are to be closed after this one.
 */
public final class TableFile {

    private final Storage storage;
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicBoolean gone = new AtomicBoolean();
    private volatile boolean obsolete;

    /** Whether a manifest names the file, or may do so. */
    private volatile boolean named;

    /** Whether a version has the file or had it. */
    private volatile boolean wasHeld;

    private final SsTable table;
    private final MemoryBudget budget;
    private final long valueBytes;

    /** Set before other threads know of the file. */
    private Contents contents;

    TableFile(SsTable table, Storage storage, MemoryBudget budget) {
        this.storage = storage;
        this.table = table;
        this.budget = budget;
        this.valueBytes = table.references().bytes();
        this.contents = Contents.ALL_ALIVE;
        budget.take(MemoryBudget.Use.FILE_METADATA, table.memoryBytes());
    }

    /**
     * The share of live bytes in a file and the bytes kept for snapshots, as far as both were known when the file was written.
     *
     * @param liveParts the live share of the bytes in parts of 255: bytes of keys that nothing below the file held
     * @param keptBytes bytes that were kept only because snapshots saw them, with the values
     * @param keptLsn the newest of these snapshots
     */
    public record Contents(int liveParts, long keptBytes, long keptLsn) {

        public static final int ALL = 255;

        static final Contents ALL_ALIVE = new Contents(ALL, 0, 0);

        /** All entries may be newer versions of entries in deeper files. */
        static final Contents ALL_OVERWRITES = new Contents(0, 0, 0);
    }

    Manifest.Listed listed() {
        return new Manifest.Listed(SsTableListing.of(info()), contents);
    }

    public void describe(Contents described) {
        contents = described;
    }

    /** Bytes of the file and of the values that it points to. */
    public long dataBytes() {
        return table.info().bytes() + valueBytes;
    }

    public long valueBytes() {
        return valueBytes;
    }

    /** Bytes of the values in some segments that the file points to. */
    public long bytesIn(Set<Long> segments) {
        ValueReferences references = table.references();
        long bytes = 0;
        for (int i = 0; i < references.size() && !segments.isEmpty(); i++) {
            bytes += segments.contains(references.segment(i)) ? references.bytes(i) : 0;
        }
        return bytes;
    }

    /** The segments that files point into. */
    public static Set<Long> segmentsOf(List<TableFile> files) {
        Set<Long> result = new HashSet<>();
        for (TableFile file : files) {
            ValueReferences references = file.table.references();
            for (int i = 0; i < references.size(); i++) {
                result.add(references.segment(i));
            }
        }
        return result;
    }

    long liveBytes() {
        return (long) ((double) dataBytes() * contents.liveParts() / Contents.ALL);
    }

    public long keptBytes() {
        return contents.keptBytes();
    }

    /** Whether some bytes were kept for snapshots all of which are closed, given the lsns of the open ones. */
    public boolean isKeptInVain(long[] openLsns) {
        return contents.keptBytes() > 0 && (openLsns.length == 0 || contents.keptLsn() < openLsns[0]);
    }

    /** When no snapshot up to this lsn is open, none of the kept bytes are needed any more. */
    long keptLsn() {
        return contents.keptLsn();
    }

    public SsTable table() {
        return table;
    }

    public SsTableInfo info() {
        return table.info();
    }

    /** Notes whether a manifest may name the file from now on, before a version has it. */
    void setNamed(boolean isNamed) {
        named = isNamed;
    }

    /** Notes that the durable manifest does not name the file. */
    void markObsolete() {
        obsolete = true;
    }

    /** Bytes of the file if only versions before the current one, and holds, need it. */
    long leavingBytes() {
        return isLeaving() ? info().bytes() : 0;
    }

    /** Whether the manifest no longer names the file, and the file is still there for a version that has it. */
    boolean isLeaving() {
        return obsolete && !gone.get();
    }

    void retain() {
        wasHeld = true;
        holders.incrementAndGet();
    }

    void release() {
        if (holders.decrementAndGet() == 0) {
            discard();
        }
    }

    /** Closes a new file, and deletes it unless a manifest may name it. Does nothing if a version has or had the file. */
    public void abandon() {
        if (!wasHeld && !gone.get()) {
            obsolete |= !named;
            discard();
        }
    }

    /** Closes a new file that a manifest may name, without deleting it. Does nothing if a version has or had the file. */
    void discardIfNew() {
        if (!wasHeld) {
            discard();
        }
    }

    private void discard() {
        if (!gone.compareAndSet(false, true)) {
            return;
        }
        try {
            budget.release(MemoryBudget.Use.FILE_METADATA, table.memoryBytes());
            table.close();
            if (obsolete) {
                storage.delete(table.path());
            }
        } catch (Throwable e) {
            Notices.warning(TableFile.class, table.path(), "it stays until the table is opened again", e);
        }
    }
}
