package io.kvstore.lsm.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Slice;
import io.kvstore.engine.BlockCodec;
import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.DeflateCodec;
import org.junit.jupiter.api.Test;

/** Lengths that a block claims, and blocks that do not shrink. */
final class BlockUnpackerTest {

    private static final int PACKED_BYTES = 100;

    private final BlockCodec codec = new DeflateCodec();
    private final BlockUnpacker unpacker = new BlockUnpacker(codec);

    private String refusal(ByteWriter block) {
        SsTableFormat.frame(block, SsTableFormat.DATA | codec.id() << 8, 1, 0);
        SsTableFormat.BlockPlace place = new SsTableFormat.BlockPlace("f", 1, 0, block.size());
        DataBlock target = new DataBlock();
        CorruptionException failure =
                assertThrows(CorruptionException.class, () -> unpacker.unpack(place, block.toArray(), 0, target));
        assertTrue(target.unpackBytes() <= PACKED_BYTES * BlockUnpacker.MAX_RATIO, "memory was taken");
        return String.valueOf(failure.getMessage());
    }

    @Test
    void a_length_is_not_believed_beyond_the_greatest_ratio() {
        int most = PACKED_BYTES * BlockUnpacker.MAX_RATIO;
        for (int claimed : new int[] {0, most + 1, 1 << 30, Integer.MIN_VALUE, -1}) {
            String refusal = refusal(emptyBlock().u32(claimed).raw(new byte[PACKED_BYTES]));
            assertTrue(refusal.contains("claims to have " + Integer.toUnsignedString(claimed)), refusal);
        }
        for (int claimed : new int[] {1, most - 1, most}) {
            String refusal = refusal(emptyBlock().u32(claimed).raw(new byte[PACKED_BYTES]));
            assertTrue(refusal.contains("cannot be decompressed"), refusal);
        }
    }

    @Test
    void a_block_without_room_for_its_length_is_damaged() {
        assertTrue(refusal(emptyBlock().u16(1)).contains("ends"));
    }

    @Test
    void a_block_that_hardly_shrinks_stays_as_it_is() {
        int payload = 8 << 10;
        int enough = payload - payload / 8 - Integer.BYTES;
        assertEquals(SsTableFormat.NO_CODEC, codecOf(payload, enough + 1));
        assertEquals(Fixed.ID, codecOf(payload, enough));
        assertEquals(Fixed.ID, codecOf(payload, enough - 1));
    }

    @Test
    void a_block_that_shrinks_more_than_readers_believe_stays_as_it_is() {
        int payload = 8 << 10;
        int least = payload / BlockUnpacker.MAX_RATIO;
        assertEquals(Fixed.ID, codecOf(payload, least + 1));
        assertEquals(Fixed.ID, codecOf(payload, least));
        assertEquals(SsTableFormat.NO_CODEC, codecOf(payload, least - 1));
    }

    private static int codecOf(int payload, int packedBytes) {
        BlockPacker packer = new BlockPacker(new Fixed(packedBytes));
        return packer.codecOf(packer.pack(emptyBlock().raw(new byte[payload])));
    }

    /** Makes so many bytes of anything. */
    private record Fixed(int packedBytes) implements BlockCodec {

        static final int ID = 7;

        @Override
        public String name() {
            return "FIXED";
        }

        @Override
        public int id() {
            return ID;
        }

        @Override
        public int maxCompressedBytes(int bytes) {
            return bytes;
        }

        @Override
        public int compress(Slice source, byte[] target) {
            return packedBytes;
        }

        @Override
        public boolean decompress(Slice source, Slice target) {
            return false;
        }
    }

    private static ByteWriter emptyBlock() {
        return new ByteWriter().u64(0).u32(0);
    }
}
