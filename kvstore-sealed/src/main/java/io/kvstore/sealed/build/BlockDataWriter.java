package io.kvstore.sealed.build;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.Slice;
import io.kvstore.engine.BlockCodec;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.StorageFile;
import io.kvstore.sealed.format.BlockFormat;
import io.kvstore.sealed.format.RecordHead;
import io.kvstore.sealed.format.SealedFormat;
import java.io.IOException;

/** Writes records in blocks, each of which a codec packs. A fence stands before each block. */
final class BlockDataWriter implements DataWriter {

    private static final int KEPT_BYTES = 4 << 20;

    private final StorageFile file;
    private final long seed;
    private final SealedOutput out;
    private final FenceBuilder fences;
    private final Packing packing;
    private final BlockPacker packer;
    private final int[] offsets = new int[BlockFormat.MOST_RECORDS];

    /** The block that grows, with room for its frame. */
    private ByteWriter block = newBlock();

    private int count;
    private long blocks;

    /**
     * How blocks are made.
     *
     * @param blockBytes of records, before they are packed
     */
    record Packing(BlockCodec codec, int blockBytes) {}

    /** @param seed of the checksums */
    BlockDataWriter(StorageFile file, long seed, SealedOutput out, FenceBuilder fences, Packing packing) {
        this.file = file;
        this.seed = seed;
        this.out = out;
        this.fences = fences;
        this.packing = packing;
        this.packer = new BlockPacker(packing.codec());
    }

    private static ByteWriter newBlock() {
        return new ByteWriter(8 << 10).u64(0).u32(0);
    }

    @Override
    public long put(byte[] key, Slice value, long ordinal) throws IOException {
        long recordBytes =
                (long) RecordHead.groups(key.length) + RecordHead.groups(value.length()) + key.length + value.length();
        if (count == BlockFormat.MOST_RECORDS || (count > 0 && recordsBytes() + recordBytes > packing.blockBytes())) {
            end();
        }
        fences.note(key);
        if (count == 0) {
            requireRoom();
            fences.add(key, out.position(), ordinal);
        }
        offsets[count] = recordsBytes();
        block.varint(key.length).varint(value.length()).raw(key);
        block.raw(value.array(), value.offset(), value.length());
        return BlockFormat.place(blocks, count++);
    }

    private void requireRoom() {
        if (blocks == BlockFormat.MOST_BLOCKS) {
            throw new InvalidRequestException("the file has " + blocks
                    + " blocks, and a table file has no more; build several files, or take longer blocks");
        }
    }

    private int recordsBytes() {
        return block.size() - BlockFormat.FRAME_BYTES;
    }

    @Override
    public void end() throws IOException {
        if (count == 0) {
            return;
        }
        boolean isShort = BlockFormat.offsetBytes(recordsBytes()) == Short.BYTES;
        for (int record = 0; record < count; record++) {
            if (isShort) {
                block.u16(offsets[record]);
            } else {
                block.u32(offsets[record]);
            }
        }
        block.u16(count);
        ByteWriter framed = packer.pack(block);
        framed.setU32(Integer.BYTES, framed.size() - BlockFormat.FRAME_BYTES);
        framed.setU32(2 * Integer.BYTES, BlockFormat.kind(packer.codecOf(framed)));
        byte[] bytes = framed.toBuffer().array();
        int length = framed.size();
        framed.setU32(0, Checksum.seeded(seed, out.position(), bytes, Integer.BYTES, length - Integer.BYTES));
        out.append(bytes, 0, length);
        blocks++;
        count = 0;
        if (length > KEPT_BYTES) {
            block = newBlock();
        } else {
            block.cut(BlockFormat.FRAME_BYTES);
        }
    }

    @Override
    public Run.Source written(long end) {
        FileRun.Part part = new FileRun.Part(file, seed, SealedFormat.HEADER_BYTES, end);
        return (_, mostEntryBytes) ->
                new BlockRun(part, packing.codec(), BlockFormat.mostPayload(packing.blockBytes(), mostEntryBytes));
    }
}
