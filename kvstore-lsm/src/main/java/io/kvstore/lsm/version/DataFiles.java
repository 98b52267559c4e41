package io.kvstore.lsm.version;

import io.kvstore.engine.TableContext;
import io.kvstore.error.Closing;
import io.kvstore.io.NumberedName;
import io.kvstore.io.ReadMapping;
import io.kvstore.io.StorageFile;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.sstable.BlockScratch;
import io.kvstore.lsm.sstable.SsTable;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.lsm.sstable.SsTableListing;
import io.kvstore.lsm.sstable.SsTableOptions;
import io.kvstore.lsm.sstable.SsTableWriter;
import io.kvstore.value.segment.ValueSegment;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/** Opens and makes the SSTables of one table, and numbers its data files: value segments have the same sequence of numbers. */
public final class DataFiles {

    private static final NumberedName TABLE_NAME = new NumberedName(8, ".sst");

    private final TableContext context;
    private final SsTableOptions format;
    private final AtomicLong nextNumber = new AtomicLong(1);
    private final BlockScratch.Pool scratches = new BlockScratch.Pool();

    public DataFiles(TableContext context, LsmOptions options) {
        this.context = context;
        this.format = new SsTableOptions(
                context.fileTag(),
                options.maxEntriesPerBlock(),
                LsmOptions.BLOCK_BYTES,
                options.falsePositiveRate(),
                options.codec());
    }

    static String tableName(long number) {
        return TABLE_NAME.of(number);
    }

    /** Returns the number in the name of a data file, or 0 if the name is not that of a data file. */
    public static long numberOf(String name) {
        return Math.max(0, Math.max(TABLE_NAME.numberIn(name), ValueSegment.NAME.numberIn(name)));
    }

    /** Returns a number greater than any used so far, without taking it. */
    long nextNumber() {
        return nextNumber.get();
    }

    /** Makes all later numbers greater than the number of a file that is in the directory. */
    void met(long number) {
        nextNumber.accumulateAndGet(number + 1, Math::max);
    }

    public TableFile open(SsTableListing listing) throws IOException {
        StorageFile file = context.storage().openReadOnly(context.directory() + "/" + tableName(listing.number()));
        AutoCloseable owner = file;
        try {
            SsTable table = new SsTable(file, listing, format, scratches);
            ReadMapping mapping = context.map(file.path(), listing.bytes());
            if (mapping != null) {
                table.mapped(mapping);
                owner = table;
            }
            return new TableFile(table, context.storage(), context.memory());
        } catch (Throwable e) {
            Closing.giveUp(owner, DataFiles.class, file.path());
            throw e;
        }
    }

    /** What the manifest would say of a file, if there were one. */
    SsTableListing listing(long number) throws IOException {
        try (StorageFile file = context.storage().openReadOnly(context.directory() + "/" + tableName(number))) {
            return SsTable.listing(file, number, format, scratches);
        }
    }

    public long takeNumber() {
        return nextNumber.getAndIncrement();
    }

    /** Begins a new SSTable. */
    public NewTable createTable() throws IOException {
        return new NewTable(takeNumber());
    }

    /** An SSTable that is being written. Closing it deletes the file unless it was finished. */
    public final class NewTable implements AutoCloseable {

        private final StorageFile file;
        private final SsTableWriter writer;
        private boolean finished;

        private NewTable(long number) throws IOException {
            file = context.storage().create(context.directory() + "/" + tableName(number));
            try {
                writer = new SsTableWriter(file, number, format);
            } catch (Throwable e) {
                close();
                throw e;
            }
        }

        public SsTableWriter writer() {
            return writer;
        }

        /** Completes, syncs and opens the file. Its name is not durable yet. */
        public TableFile finish() throws IOException {
            SsTableInfo info = writer.finish();
            Manifest.sync(file);
            TableFile opened = open(SsTableListing.of(info));
            finished = true;
            return opened;
        }

        @Override
        public void close() throws IOException {
            try {
                file.close();
            } finally {
                if (!finished) {
                    context.storage().delete(file.path());
                }
            }
        }
    }
}
