package io.kvstore.lsm.sstable;

import io.kvstore.io.ByteWriter;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Writes one SSTable from front to back. The caller creates, syncs and closes the file. */
public final class SsTableWriter {

    private static final int BUFFER_BYTES = 256 << 10;

    private final StorageFile file;
    private final long number;
    private final long seed;
    private final SsTableOptions options;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private final CRC32C checksum = new CRC32C();
    private final DataBlockWriter block = new DataBlockWriter();
    private final BlockIndex.Builder index = new BlockIndex.Builder();
    private final BloomFilter.Builder filter = new BloomFilter.Builder();
    private long written;
    private byte[] minKey = {};
    private long entries;
    private long tombstones;
    private long minLsn = Long.MAX_VALUE;
    private long maxLsn;
    private long lastLsn;

    /** @param number the file's number, which names it and seeds its checksums */
    public SsTableWriter(StorageFile file, long number, SsTableOptions options) throws IOException {
        this.file = file;
        this.number = number;
        this.options = options;
        this.seed = SsTableFormat.seed(options.tableId(), number);
        append(SsTableFormat.header(options.tableId(), number));
    }

    /** Adds the entry at which a forward cursor is; it must follow the one added before. */
    public void add(EntryCursor entry) throws IOException {
        KeyBuffer key = entry.key();
        if (entries == 0) {
            minKey = key.toArray();
            filter.add(key);
        } else {
            int order = block.lastKey().compare(key);
            if (order > 0 || (order == 0 && entry.lsn() >= lastLsn)) {
                throw new IllegalStateException("entry " + entries + " does not follow the one before it");
            }
            if (order != 0) {
                filter.add(key);
            }
            if (isFullBefore(entry)) {
                endBlock(BlockIndex.separator(block.lastKey(), key));
            }
        }
        block.add(entry);
        entries++;
        tombstones += entry.kind() == EntryKind.TOMBSTONE ? 1 : 0;
        lastLsn = entry.lsn();
        minLsn = Math.min(minLsn, lastLsn);
        maxLsn = Math.max(maxLsn, lastLsn);
    }

    private boolean isFullBefore(EntryCursor entry) {
        return block.entries() >= options.maxEntriesPerBlock()
                || block.payloadBytes() + (long) entry.key().length() + entry.valueLength() > options.blockBytes();
    }

    private void endBlock(byte[] separator) throws IOException {
        ByteWriter bytes = block.finish();
        index.add(separator, bytes.size());
        writeBlock(bytes, SsTableFormat.DATA);
        block.clear();
    }

    private void writeBlock(ByteWriter bytes, int type) throws IOException {
        SsTableFormat.frame(bytes, type, seed, written);
        append(bytes.toBuffer().array(), bytes.size());
    }

    /** Whether nothing was added. */
    public boolean isEmpty() {
        return entries == 0;
    }

    /** About how long the file is so far. */
    public long bytes() {
        return written + block.payloadBytes();
    }

    /** The key that was added last. */
    public KeyBuffer lastKey() {
        return block.lastKey();
    }

    /** Writes what is left, without syncing, and describes the file. At least one entry must have been added. */
    public SsTableInfo finish() throws IOException {
        byte[] maxKey = block.lastKey().toArray();
        endBlock(maxKey);
        long filterOffset = written;
        BloomFilter built = filter.build(options.falsePositiveRate());
        ByteWriter out = emptyBlock((int) built.memoryBytes() + 64);
        built.write(out);
        writeBlock(out, SsTableFormat.FILTER);
        long indexOffset = written;
        out = emptyBlock(4 << 10);
        index.write(out);
        writeBlock(out, SsTableFormat.INDEX);
        long propertiesOffset = written;
        out = emptyBlock(256);
        describe(0, 0, maxKey).writeProperties(out);
        writeBlock(out, SsTableFormat.PROPERTIES);
        long fileBytes = written + SsTableFormat.FOOTER_BYTES;
        append(SsTableFormat.footer(
                seed, new SsTableFormat.Footer(filterOffset, indexOffset, propertiesOffset, fileBytes)));
        flushBuffer();
        return describe(fileBytes, (int) checksum.getValue(), maxKey);
    }

    private SsTableInfo describe(long bytes, int crc, byte[] maxKey) {
        return new SsTableInfo(number, bytes, crc, entries, tombstones, minLsn, maxLsn, minKey, maxKey);
    }

    private static ByteWriter emptyBlock(int capacity) {
        return new ByteWriter(capacity).u64(0).u32(0);
    }

    private void append(byte[] bytes) throws IOException {
        append(bytes, bytes.length);
    }

    private void append(byte[] bytes, int length) throws IOException {
        checksum.update(bytes, 0, length);
        if (length > buffer.remaining()) {
            flushBuffer();
        }
        if (length > buffer.remaining()) {
            file.write(ByteBuffer.wrap(bytes, 0, length), written);
        } else {
            buffer.put(bytes, 0, length);
        }
        written += length;
    }

    private void flushBuffer() throws IOException {
        buffer.flip();
        if (buffer.hasRemaining()) {
            file.write(buffer, written - buffer.limit());
        }
        buffer.clear();
    }
}
