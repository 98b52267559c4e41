package io.kvstore.lsm.sstable;

import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.entry.FilterHash;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Checks one SSTable: all bytes against their checksums, and all entries against order, bounds, counts and filter. */
final class SsTableCheck {

    private static final int CHUNK_BYTES = 1 << 20;

    private final SsTable table;
    private final SsTableInfo info;
    private final BloomFilter filter;
    private final Findings findings;
    private final SsTable.PointerCheck values;
    private final ValueReferences.Builder references = new ValueReferences.Builder();
    private final KeyBuffer lastKey = new KeyBuffer();
    private long lastLsn;
    private long entries;
    private long tombstones;
    private boolean readable = true;

    SsTableCheck(SsTable table, BloomFilter filter, Findings findings, SsTable.PointerCheck values) {
        this.table = table;
        this.info = table.info();
        this.filter = filter;
        this.findings = findings;
        this.values = values;
    }

    void run() throws IOException {
        checkWholeFile();
        for (int block = 0; block < table.index().size(); block++) {
            findings.requireGoing();
            try {
                checkBlock(block);
            } catch (CorruptionException e) {
                readable = false;
                findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
            }
        }
        if (readable) {
            checkTotals();
        }
    }

    private void checkWholeFile() throws IOException {
        CRC32C crc = new CRC32C();
        ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, info.bytes()));
        for (long at = 0; at < info.bytes(); at += chunk.limit()) {
            findings.requireGoing();
            chunk.clear().limit((int) Math.min(chunk.capacity(), info.bytes() - at));
            table.read(chunk, at);
            crc.update(chunk.flip());
        }
        if ((int) crc.getValue() != info.checksum()) {
            report(-1, "the checksum of the whole file is not that of the manifest");
        }
    }

    private void checkBlock(int number) throws IOException {
        BlockIndex index = table.index();
        byte[] bytes = new byte[index.length(number)];
        table.read(ByteBuffer.wrap(bytes), index.offset(number));
        DataBlock block = new DataBlock();
        table.open(number, block, bytes, 0);
        block.requireRestarts();
        for (boolean more = block.first(); more; more = block.advance()) {
            checkEntry(number, block);
        }
        byte[] last = lastKey.toArray();
        if (index.compareSeparator(number, last) < 0) {
            report(index.offset(number), "the separator is below the block's last key");
        }
    }

    private void checkEntry(int number, DataBlock block) throws IOException {
        long offset = table.index().offset(number);
        int order = entries == 0 ? -1 : lastKey.compare(block.key());
        if (order > 0 || (order == 0 && block.lsn() >= lastLsn)) {
            report(offset, "entry " + entries + " does not follow the one before it");
        }
        if (number > 0
                && order < 0
                && table.index().compareSeparator(number - 1, block.key().toArray()) >= 0) {
            report(offset, "the separator of the block before is not below entry " + entries);
        }
        if (!filter.mayHold(FilterHash.of(block.key().array(), block.key().length()))) {
            report(offset, "the filter denies the key of entry " + entries);
        }
        if (entries == 0 && !block.key().holds(info.minKey())) {
            report(offset, "the first key is not that of the manifest");
        }
        lastKey.set(block.key());
        lastLsn = block.lsn();
        entries++;
        tombstones += block.kind() == EntryKind.TOMBSTONE ? 1 : 0;
        if (block.kind() == EntryKind.VALUE_POINTER) {
            checkPointer(block);
        }
    }

    private void checkPointer(DataBlock block) throws IOException {
        ValuePointer pointer = block.pointer();
        references.add(pointer.segment(), pointer.recordBytes(block.key().length()));
        findings.requireGoing(); // each value is read
        try {
            values.follow(pointer, block.key(), block.lsn());
        } catch (CorruptionException e) {
            findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
        }
    }

    private void checkTotals() {
        if (entries != info.entries() || tombstones != info.tombstones()) {
            report(
                    -1,
                    "has " + entries + " entries, " + tombstones + " of them tombstones; the manifest says "
                            + info.entries() + " and " + info.tombstones());
        }
        if (!references.build().equals(table.references())) {
            report(-1, "points to " + references.build() + "; its properties say " + table.references());
        }
        if (!lastKey.holds(info.maxKey())) {
            report(-1, "the last key is not that of the manifest");
        }
    }

    private void report(long offset, String message) {
        findings.report(table.path(), offset, message);
    }
}
