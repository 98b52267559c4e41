package io.kvstore.lsm.version;

import io.kvstore.engine.TableContext;
import io.kvstore.error.Notices;
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
import io.kvstore.value.segment.ReadBuffers;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentInfo;
import io.kvstore.value.segment.ValueSegmentWriter;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/** Opens and makes the data files of one table: SSTables and value segments. Both take their numbers from one sequence. */
public final class DataFiles {

    private static final NumberedName TABLE_NAME = new NumberedName(8, ".sst");

    private final TableContext context;
    private final SsTableOptions format;
    private final AtomicLong nextNumber = new AtomicLong(1);
    private final BlockScratch.Pool scratches = new BlockScratch.Pool();
    private final ReadBuffers buffers = new ReadBuffers();

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

    static String segmentName(long number) {
        return ValueSegment.fileName(number);
    }

    static String segmentPath(String directory, long number) {
        return directory + "/" + segmentName(number);
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
        StorageFile file = openReadOnly(tableName(listing.number()));
        AutoCloseable owner = file;
        boolean opened = false;
        try {
            SsTable table = new SsTable(file, listing, format, scratches);
            ReadMapping mapping = context.map(file.path(), listing.bytes());
            if (mapping != null) {
                table.mapped(mapping);
                owner = table;
            }
            TableFile result = new TableFile(table, context.storage(), context.memory());
            opened = true;
            return result;
        } finally {
            if (!opened) {
                giveUp(owner, file.path());
            }
        }
    }

    public ValueFile open(ValueSegmentInfo info, ValueFile.Origin origin) throws IOException {
        StorageFile file = openReadOnly(segmentName(info.number()));
        AutoCloseable owner = file;
        boolean opened = false;
        try {
            ValueSegment segment = ValueSegment.open(file, info, context.fileTag(), buffers);
            ReadMapping mapping = context.map(file.path(), info.bytes());
            if (mapping != null) {
                segment.mapped(mapping);
                owner = segment;
            }
            ValueFile result = new ValueFile(segment, context.storage(), origin);
            opened = true;
            return result;
        } finally {
            if (!opened) {
                giveUp(owner, file.path());
            }
        }
    }

    /**
     * Closes a file that could not be opened as a whole. A failure of the close is logged only, because the failure before
     * it is thrown.
     */
    private static void giveUp(AutoCloseable owner, String path) {
        try {
            owner.close();
        } catch (Throwable e) {
            Notices.warning(DataFiles.class, path, "it could not be closed after it could not be opened", e);
        }
    }

    private StorageFile openReadOnly(String name) throws IOException {
        return context.storage().openReadOnly(context.directory() + "/" + name);
    }

    /** Takes the number for a new file. */
    public long takeNumber() {
        return nextNumber.getAndIncrement();
    }

    /** Begins a new SSTable. */
    public NewTable createTable() throws IOException {
        return new NewTable(takeNumber());
    }

    /** Begins a new value segment. */
    public NewSegment createSegment() throws IOException {
        return new NewSegment(takeNumber());
    }

    /** A file that is being written. Closing it deletes the file unless it was finished. */
    abstract class NewFile implements AutoCloseable {

        private final StorageFile file;
        private boolean finished;

        private NewFile(String name) throws IOException {
            file = context.storage().create(context.directory() + "/" + name);
        }

        final StorageFile file() {
            return file;
        }

        final void finished() {
            finished = true;
        }

        @Override
        public final void close() throws IOException {
            try {
                file.close();
            } finally {
                if (!finished) {
                    context.storage().delete(file.path());
                }
            }
        }
    }

    /** An SSTable that is being written. */
    public final class NewTable extends NewFile {

        private final SsTableWriter writer;

        private NewTable(long number) throws IOException {
            super(tableName(number));
            boolean begun = false;
            try {
                writer = new SsTableWriter(file(), number, format);
                begun = true;
            } finally {
                if (!begun) {
                    close();
                }
            }
        }

        public SsTableWriter writer() {
            return writer;
        }

        /** Completes, syncs and opens the file. Its name is not durable yet. */
        public TableFile finish() throws IOException {
            SsTableInfo info = writer.finish();
            Manifest.sync(file());
            TableFile opened = open(SsTableListing.of(info));
            finished();
            return opened;
        }
    }

    /** A value segment that is being written. */
    public final class NewSegment extends NewFile {

        private final ValueSegmentWriter writer;

        private NewSegment(long number) throws IOException {
            super(segmentName(number));
            boolean begun = false;
            try {
                writer = new ValueSegmentWriter(file(), number, context.fileTag());
                begun = true;
            } finally {
                if (!begun) {
                    close();
                }
            }
        }

        public ValueSegmentWriter writer() {
            return writer;
        }

        /** Completes, syncs and opens the file. Its name is not durable yet. */
        public ValueFile finish() throws IOException {
            ValueSegmentInfo info = writer.finish();
            Manifest.sync(file());
            ValueFile opened = open(info, ValueFile.Origin.MADE);
            finished();
            return opened;
        }
    }
}
