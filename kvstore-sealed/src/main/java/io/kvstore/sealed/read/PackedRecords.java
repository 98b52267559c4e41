package io.kvstore.sealed.read;

import io.kvstore.data.KeyOrder;
import io.kvstore.engine.BlockCodec;
import io.kvstore.sealed.format.BlockFormat;
import io.kvstore.sealed.format.PackedBlock;
import io.kvstore.sealed.format.RecordHead;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Records in blocks that a codec has packed. The place of a record is its block and its number there. */
final class PackedRecords implements Records {

    private final FileBytes bytes;
    private final StoredFences fences;
    private final PackedBlock.Source source;
    private final BlockPool pool = new BlockPool();

    /**
     * Knows how long blocks can be.
     *
     * @param seed of the checksums
     * @param longestValueBytes length of the longest value
     */
    PackedRecords(FileBytes bytes, StoredFences fences, long seed, BlockCodec codec, int longestValueBytes) {
        this.bytes = bytes;
        this.fences = fences;
        this.source = new PackedBlock.Source(
                bytes.path(),
                seed,
                codec,
                BlockFormat.mostPayload(
                        BlockFormat.MOST_BLOCK_BYTES, (long) KeyOrder.MAX_KEY_BYTES + longestValueBytes),
                FileBytes.REMEDY);
    }

    @Override
    public byte @Nullable [] valueOf(byte[] key, long place) throws IOException {
        long number = BlockFormat.blockOf(place);
        int record = BlockFormat.recordOf(place);
        if (number < 0 || number >= fences.count()) {
            throw bytes.corrupt(bytes.size(), "the locator leads to block " + number + " of " + fences.count());
        }
        PackedBlock block = pool.take(source);
        try {
            StoredFences.Extent extent = fences.extent(number, source.mostBytes() + BlockFormat.FRAME_BYTES);
            if (record >= extent.records() || extent.records() > BlockFormat.MOST_RECORDS) {
                throw bytes.corrupt(
                        extent.start(), "the locator leads to record " + record + " of " + extent.records());
            }
            bytes.read(extent.start(), block.room(extent.bytes()), extent.bytes());
            block.unpack(extent.start(), extent.bytes(), record, (int) extent.records());
            fences.requireRecords(extent, block.count());
            long head = block.head(record);
            int start = block.keyStart(record, head);
            int end = start + RecordHead.keyBytes(head);
            return Arrays.equals(block.array(), start, end, key, 0, key.length)
                    ? Arrays.copyOfRange(block.array(), end, end + RecordHead.valueBytes(head))
                    : null;
        } finally {
            pool.give(block);
        }
    }

    private void read(long number, PackedBlock into) throws IOException {
        StoredFences.Extent extent = fences.extent(number, source.mostBytes() + BlockFormat.FRAME_BYTES);
        bytes.read(extent.start(), into.room(extent.bytes()), extent.bytes());
        into.unpack(extent.start(), extent.bytes());
        fences.requireRecords(extent, into.count());
    }

    @Override
    public void load(long number, RecordBlock into) throws IOException {
        PackedBlock block = into.packed(source);
        read(number, block);
        for (int record = 0; record < block.count(); record++) {
            long head = block.head(record);
            into.add(block.keyStart(record, head), head);
        }
        into.show(block.array());
    }

    @Override
    public long placeOf(RecordBlock block, int record) {
        return BlockFormat.place(block.number(), record);
    }
}
