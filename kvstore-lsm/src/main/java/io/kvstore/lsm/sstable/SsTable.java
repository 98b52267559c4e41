package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteReader;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Separators;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.ReadMapping;
import io.kvstore.io.StorageFile;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.FilterHash;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.lsm.entry.Lookup;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An open, immutable SSTable. Its index and filter are in memory. Data blocks are read when they are needed, and checked at
 * every read. Safe for use by any number of threads until it is closed.
 */
public final class SsTable implements AutoCloseable {

    private final StorageFile file;
    private final SsTableInfo info;
    private final BlockScratch.Pool pool;
    private final BlockUnpacker unpacker;
    private final long seed;
    private final BlockIndex index;
    private final BloomFilter filter;
    private final ValueReferences references;
    private @Nullable ReadMapping mapping;

    /**
     * Opens a file and reads all of it but the data blocks.
     *
     * @param file stays the caller's to close if this fails
     * @param listing the manifest's listing of the file
     * @param options the options of the file's table
     * @throws CorruptionException if the file is damaged or does not match the listing
     */
    public SsTable(StorageFile file, SsTableListing listing, SsTableOptions options, BlockScratch.Pool pool)
            throws IOException {
        this(file, new Identity(listing.number(), listing.bytes(), listing.checksum()), options, pool);
        if (!SsTableListing.of(info).equals(listing)) {
            throw new CorruptionException(file.path(), -1, "its properties are not those of the manifest");
        }
    }

    /** What a file does not say of itself. */
    private record Identity(long number, long bytes, int checksum) {}

    private SsTable(StorageFile file, Identity identity, SsTableOptions options, BlockScratch.Pool pool)
            throws IOException {
        this.file = file;
        this.pool = pool;
        this.unpacker = new BlockUnpacker(options.codec());
        this.seed = SsTableFormat.seed(options.tableId(), identity.number());
        if (file.size() != identity.bytes()
                || identity.bytes() < SsTableFormat.HEADER_BYTES + SsTableFormat.FOOTER_BYTES) {
            throw new CorruptionException(
                    file.path(), -1, "has " + file.size() + " bytes; the manifest says " + identity.bytes());
        }
        byte[] header = readBytes(0, SsTableFormat.HEADER_BYTES);
        SsTableFormat.checkHeader(
                new ByteReader(file.path(), header), file.path(), options.tableId(), identity.number());
        SsTableFormat.Footer footer = readFooter(identity.bytes());
        filter = BloomFilter.read(readBlock(footer.filterOffset(), footer.indexOffset(), SsTableFormat.FILTER));
        index = BlockIndex.read(
                readBlock(footer.indexOffset(), footer.propertiesOffset(), SsTableFormat.INDEX),
                SsTableFormat.HEADER_BYTES,
                footer.filterOffset());
        ByteReader properties = readBlock(
                footer.propertiesOffset(), footer.fileBytes() - SsTableFormat.FOOTER_BYTES, SsTableFormat.PROPERTIES);
        info = SsTableInfo.readProperties(properties, identity.number(), identity.bytes(), identity.checksum());
        references = ValueReferences.read(properties);
        properties.end();
    }

    /**
     * What a manifest says of a file, for one that is lost. The checksum of the whole file is not known.
     *
     * @throws CorruptionException if another part of the file than its data blocks is damaged
     */
    public static SsTableListing listing(StorageFile file, long number, SsTableOptions options, BlockScratch.Pool pool)
            throws IOException {
        return SsTableListing.of(new SsTable(file, new Identity(number, file.size(), 0), options, pool).info);
    }

    /** Lets later reads use a mapping of the whole file, which is closed with it. Called before other threads see the file. */
    public void mapped(ReadMapping whole) {
        mapping = whole;
    }

    private SsTableFormat.Footer readFooter(long fileBytes) throws IOException {
        long offset = fileBytes - SsTableFormat.FOOTER_BYTES;
        byte[] bytes = readBytes(offset, SsTableFormat.FOOTER_BYTES);
        ByteReader in = new ByteReader(file.path(), offset, bytes, 0, bytes.length);
        SsTableFormat.Footer footer = SsTableFormat.readFooter(in, bytes, seed);
        if (footer.fileBytes() != fileBytes) {
            throw in.corrupt("the footer says that the file has " + footer.fileBytes() + " bytes");
        }
        return footer;
    }

    private ByteReader readBlock(long offset, long end, int type) throws IOException {
        if (end - offset > Integer.MAX_VALUE - 8 || end - offset < SsTableFormat.FRAME_BYTES) {
            throw new CorruptionException(file.path(), offset, "a block has " + (end - offset) + " bytes");
        }
        int length = (int) (end - offset);
        byte[] bytes = readBytes(offset, length);
        if (SsTableFormat.checkFrame(place(offset, length), bytes, 0, type) != SsTableFormat.NO_CODEC) {
            throw new CorruptionException(file.path(), offset, "a block that is never compressed claims to be");
        }
        return new ByteReader(
                file.path(),
                offset + SsTableFormat.FRAME_BYTES,
                bytes,
                SsTableFormat.FRAME_BYTES,
                length - SsTableFormat.FRAME_BYTES);
    }

    private byte[] readBytes(long offset, int length) throws IOException {
        byte[] bytes = new byte[length];
        file.readFully(ByteBuffer.wrap(bytes), offset);
        return bytes;
    }

    private SsTableFormat.BlockPlace place(long offset, int length) {
        return new SsTableFormat.BlockPlace(file.path(), seed, offset, length);
    }

    /** Looks for the newest visible version of a key. */
    public void find(Lookup lookup) throws IOException {
        if (!info.covers(lookup.key()) || !filter.mayHold(lookup.hash())) {
            return;
        }
        BlockScratch scratch = pool.take();
        try {
            boolean maybeNext = true;
            for (int block = index.ceiling(lookup.key()); maybeNext && block < index.size(); block++) {
                byte[] bytes = scratch.buffer(index.length(block));
                load(block, scratch.block(), bytes);
                maybeNext = scratch.block().find(lookup);
            }
        } finally {
            pool.give(scratch);
        }
    }

    /** Whether a key seems to be in the file, judged without reading the file. The answer may be a false positive. */
    public boolean seemsToHold(KeyBuffer key) {
        return info.covers(key.toArray()) && filter.mayHold(FilterHash.of(key.array(), key.length()));
    }

    /** Reads one block to the front of an array and checks it. */
    private void load(int block, DataBlock target, byte[] array) throws IOException {
        read(array, index.length(block), index.offset(block));
        open(block, target, array, 0);
    }

    /** Checks a block that was read to {@code start} of an array, and hands it to {@code target}. */
    void open(int block, DataBlock target, byte[] array, int start) {
        SsTableFormat.BlockPlace place = place(index.offset(block), index.length(block));
        int codec = SsTableFormat.checkFrame(place, array, start, SsTableFormat.DATA);
        target.expect(info);
        if (codec == SsTableFormat.NO_CODEC) {
            target.reset(place, array, start + SsTableFormat.FRAME_BYTES, start + place.length());
        } else {
            unpacker.unpack(place, array, start, target);
        }
    }

    /** Reads bytes to the front of an array, through the mapping if there is one. */
    void read(byte[] target, int length, long offset) throws IOException {
        if (mapping == null) {
            file.readFully(ByteBuffer.wrap(target, 0, length), offset);
            return;
        }
        try {
            MemorySegment.copy(mapping.memory(), ValueLayout.JAVA_BYTE, offset, target, 0, length);
        } catch (InternalError e) {
            throw new IOException(file.path() + " could not be read at " + offset + " through its mapping", e);
        }
    }

    /** Reads bytes from the file, never through a mapping. */
    void read(ByteBuffer target, long offset) throws IOException {
        file.readFully(target, offset);
    }

    BlockIndex index() {
        return index;
    }

    /** Proposes the separators of the blocks that end in a range, the last block's, too. */
    public void addSeparators(KeyRange range, Separators separators) {
        byte[] lower = range.lower();
        byte[] upper = range.upper();
        int block = lower == null ? 0 : index.ceiling(lower);
        int end = upper == null ? index.size() : index.ceiling(upper);
        while (end - block > separators.passing()) {
            block += (int) separators.passing();
            separators.pass(separators.passing());
            separators.add(index.separator(block++));
        }
        separators.pass(Math.max(0, end - block));
    }

    /** A walk over all entries. A forward walk reads this many bytes at once. */
    public EntryCursor cursor(boolean reversed, int readAheadBytes) {
        return new SsTableCursor(this, reversed, readAheadBytes);
    }

    public ValueReferences references() {
        return references;
    }

    public SsTableInfo info() {
        return info;
    }

    public String path() {
        return file.path();
    }

    public long memoryBytes() {
        return filter.memoryBytes() + index.memoryBytes();
    }

    /** Follows a pointer to see whether the value is there. */
    public interface PointerCheck {

        /** @throws CorruptionException if the value is not there */
        void follow(ValuePointer pointer, KeyBuffer key, long lsn) throws IOException;
    }

    /** Reads every byte, checks every rule, and follows every pointer. */
    public void verify(Findings findings, PointerCheck values) throws IOException {
        new SsTableCheck(this, filter, findings, values).run();
    }

    @Override
    public void close() throws IOException {
        try (file) {
            if (mapping != null) {
                mapping.close();
            }
        }
    }
}
