package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Slice;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.FileAppender;
import io.kvstore.io.StorageFile;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.util.zip.CRC32C;

/** Writes one SSTable from front to back. The caller creates, syncs and closes the file. */
public final class SsTableWriter {

    private final String path;
    private final FileAppender out;
    private final long number;
    private final long seed;
    private final SsTableOptions options;
    private final CRC32C checksum = new CRC32C();
    private final BlockPacker packer;
    private final DataBlockWriter block = new DataBlockWriter();
    private final BlockIndex.Builder index = new BlockIndex.Builder();
    private final BloomFilter.Builder filter = new BloomFilter.Builder();
    private final ValueReferences.Builder references = new ValueReferences.Builder();
    private final ByteWriter pointerBytes = new ByteWriter();
    private byte[] minKey = {};
    private long entries;
    private long tombstones;
    private long minLsn = Long.MAX_VALUE;
    private long maxLsn;
    private long lastLsn;

    /** @param number the file's number, which names it and seeds its checksums */
    public SsTableWriter(StorageFile file, long number, SsTableOptions options) throws IOException {
        this.path = file.path();
        this.out = new FileAppender(file);
        this.number = number;
        this.options = options;
        this.packer = new BlockPacker(options.codec());
        this.seed = SsTableFormat.seed(options.tableId(), number);
        append(SsTableFormat.header(options.tableId(), number));
    }

    /** Adds the entry at which a forward cursor is. The entry must come after the last one added. */
    public void add(EntryCursor entry) throws IOException {
        if (entry.kind() == EntryKind.VALUE_POINTER) {
            add(entry, entry.pointer());
        } else {
            add(entry.key(), entry.lsn(), entry.kind(), entry.value());
        }
    }

    /** Adds the key and lsn of the entry at which a forward cursor is, with a pointer to its value. */
    public void add(EntryCursor entry, ValuePointer pointer) throws IOException {
        references.add(pointer.segment(), pointer.recordBytes(entry.key().length()));
        pointerBytes.cut(0);
        pointer.write(pointerBytes);
        Slice bytes = new Slice(pointerBytes.toBuffer().array(), 0, pointerBytes.size());
        add(entry.key(), entry.lsn(), EntryKind.VALUE_POINTER, bytes);
    }

    private void add(KeyBuffer key, long lsn, int kind, Slice value) throws IOException {
        if (entries == 0) {
            minKey = key.toArray();
            filter.add(key);
        } else {
            int order = block.lastKey().compare(key);
            if (order > 0 || (order == 0 && lsn >= lastLsn)) {
                throw new CorruptionException(
                        path,
                        -1,
                        "entry " + entries + " would not follow the one before it: a file that this one is made of has"
                                + " entries out of order");
            }
            if (order != 0) {
                filter.add(key);
            }
            if (isFullBefore(key.length(), value.length())) {
                endBlock(BlockIndex.separator(block.lastKey(), key));
            }
        }
        block.add(key, lsn, kind, value);
        entries++;
        tombstones += kind == EntryKind.TOMBSTONE ? 1 : 0;
        lastLsn = lsn;
        minLsn = Math.min(minLsn, lsn);
        maxLsn = Math.max(maxLsn, lsn);
    }

    private boolean isFullBefore(int keyLength, int valueLength) {
        return block.entries() >= options.maxEntriesPerBlock()
                || block.payloadBytes() + (long) keyLength + valueLength > options.blockBytes();
    }

    private void endBlock(byte[] separator) throws IOException {
        ByteWriter bytes = block.finish();
        ByteWriter packed = packer.pack(bytes);
        index.add(separator, packed.size());
        writeBlock(packed, SsTableFormat.DATA | packer.codecOf(packed) << 8);
        block.clear();
    }

    private void writeBlock(ByteWriter bytes, int typeAndCodec) throws IOException {
        SsTableFormat.frame(bytes, typeAndCodec, seed, out.written());
        append(bytes.toBuffer().array(), bytes.size());
    }

    /** About the length of the file so far. */
    public long bytes() {
        return out.written() + block.payloadBytes();
    }

    /** The key of the last entry added. */
    public KeyBuffer lastKey() {
        return block.lastKey();
    }

    /** Writes the rest of the file, without syncing, and returns its properties. There must be an entry. */
    public SsTableInfo finish() throws IOException {
        byte[] maxKey = block.lastKey().toArray();
        endBlock(maxKey);
        long filterOffset = out.written();
        BloomFilter built = filter.build(options.falsePositiveRate());
        ByteWriter bytes = emptyBlock((int) built.memoryBytes() + 64);
        built.write(bytes);
        writeBlock(bytes, SsTableFormat.FILTER);
        long indexOffset = out.written();
        bytes = emptyBlock(4 << 10);
        index.write(bytes);
        writeBlock(bytes, SsTableFormat.INDEX);
        long propertiesOffset = out.written();
        bytes = emptyBlock(256);
        describe(0, 0, maxKey).writeProperties(bytes);
        references.build().write(bytes);
        writeBlock(bytes, SsTableFormat.PROPERTIES);
        long fileBytes = out.written() + SsTableFormat.FOOTER_BYTES;
        append(SsTableFormat.footer(
                seed, new SsTableFormat.Footer(filterOffset, indexOffset, propertiesOffset, fileBytes)));
        out.flush();
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
        out.append(bytes, length);
    }
}
