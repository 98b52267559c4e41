package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import io.kvstore.engine.BlockCodec;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import io.kvstore.sealed.format.BlockFormat;
import io.kvstore.sealed.format.PackedBlock;
import io.kvstore.sealed.format.RecordHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The records of the blocks in a part of a file. */
final class BlockRun implements Run {

    private static final String REMEDY = "build the file again";

    private final StorageFile file;
    private final PackedBlock block;
    private final ByteBuffer front =
            ByteBuffer.allocate(BlockFormat.FRAME_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final long end;
    private final long mostBytes;
    private long next;
    private int record = -1;
    private long head;

    /**
     * Begins before the first record.
     *
     * @param mostBytes of the payload of a block; a longer one is damage, and takes no memory
     */
    BlockRun(FileRun.Part part, BlockCodec codec, long mostBytes) {
        this.file = part.file();
        this.mostBytes = mostBytes;
        this.block = new PackedBlock(new PackedBlock.Source(file.path(), part.seed(), codec, mostBytes, REMEDY));
        this.next = part.start();
        this.end = part.end();
    }

    @Override
    public boolean next() throws IOException {
        record++;
        if (record == block.count()) {
            if (next >= end) {
                return false;
            }
            readBlock();
            record = 0;
        }
        head = block.head(record);
        return true;
    }

    private void readBlock() throws IOException {
        long most = end - next;
        if (most < BlockFormat.FRAME_BYTES) {
            throw damaged();
        }
        file.readFully(front.clear(), next);
        long length = Integer.toUnsignedLong(front.getInt(Integer.BYTES)) + BlockFormat.FRAME_BYTES;
        if (length > Math.min(most, mostBytes + BlockFormat.FRAME_BYTES)) {
            throw damaged();
        }
        byte[] bytes = block.room((int) length);
        file.readFully(ByteBuffer.wrap(bytes, 0, (int) length), next);
        block.unpack(next, (int) length);
        next += length;
    }

    private CorruptionException damaged() {
        return new CorruptionException(file.path(), next, "a temporary block is damaged; " + REMEDY);
    }

    @Override
    public byte[] key() {
        int start = block.keyStart(record, head);
        return Arrays.copyOfRange(block.array(), start, start + RecordHead.keyBytes(head));
    }

    @Override
    public Slice value() {
        int start = block.keyStart(record, head) + RecordHead.keyBytes(head);
        return new Slice(block.array(), start, RecordHead.valueBytes(head));
    }
}
