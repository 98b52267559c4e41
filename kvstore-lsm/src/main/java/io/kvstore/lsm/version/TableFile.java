package io.kvstore.lsm.version;

import io.kvstore.engine.MemoryBudget;
import io.kvstore.io.Storage;
import io.kvstore.lsm.sstable.SsTable;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.lsm.sstable.SsTableListing;
import io.kvstore.lsm.sstable.ValueReferences;
import java.io.IOException;

/** An SSTable that versions share. Accounts for the memory of its index and filter. */
public final class TableFile extends SharedFile {

    private final SsTable table;
    private final MemoryBudget budget;
    private final long valueBytes;

    /** Set before other threads know of the file. */
    private Contents contents;

    TableFile(SsTable table, Storage storage, MemoryBudget budget) {
        super(storage);
        this.table = table;
        this.budget = budget;
        this.valueBytes = valueBytes(table.references());
        this.contents = Contents.ALL_ALIVE;
        budget.take(MemoryBudget.Use.FILE_METADATA, table.memoryBytes());
    }

    /**
     * The share of live bytes in a file and the bytes kept for snapshots, as far as both were known when the file was
     * written.
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

    private static long valueBytes(ValueReferences references) {
        long bytes = 0;
        for (int i = 0; i < references.size(); i++) {
            bytes += references.bytes(i);
        }
        return bytes;
    }

    /** The manifest's entry for the file. */
    Manifest.Listed listed() {
        return new Manifest.Listed(SsTableListing.of(info()), contents);
    }

    /** Sets the description of the file's contents. */
    public void describe(Contents described) {
        contents = described;
    }

    /** Bytes of the file and of the values that it points to. */
    public long dataBytes() {
        return table.info().bytes() + valueBytes;
    }

    /** Bytes of the values that the file points to. */
    public long valueBytes() {
        return valueBytes;
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

    @Override
    long bytes() {
        return info().bytes();
    }

    @Override
    String path() {
        return table.path();
    }

    @Override
    void close() throws IOException {
        budget.release(MemoryBudget.Use.FILE_METADATA, table.memoryBytes());
        table.close();
    }
}
