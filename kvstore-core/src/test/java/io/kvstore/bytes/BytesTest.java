package io.kvstore.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.CorruptionException;
import io.kvstore.error.StorageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Writer, reader, checksum and header: what every format is made of. */
final class BytesTest {

    private static final FileHeader HEADER = new FileHeader("KVTEST01", "test file", 3);

    @Test
    void what_was_written_is_read() {
        byte[] bytes = new ByteWriter(1)
                .u8(0xFE)
                .u16(0xFEDC)
                .u32(0xFEDCBA98)
                .u64(0xFEDCBA9876543210L)
                .sized(new byte[] {1, 2})
                .text("gr\u00fcn")
                .raw(new byte[] {5, 6, 7}, 1, 1)
                .checksumFrom(3)
                .toArray();
        ByteReader in = new ByteReader("f", bytes);
        assertEquals(0xFE, in.u8());
        assertEquals(0xFEDC, in.u16());
        assertEquals(0xFEDCBA98, in.u32());
        assertEquals(0xFEDCBA9876543210L, in.u64());
        assertArrayEquals(new byte[] {1, 2}, in.sized());
        assertEquals("gr\u00fcn", in.text());
        assertArrayEquals(new byte[] {6}, in.raw(1));
        in.checksumFrom(3);
        in.end();
        assertEquals((byte) 0xDC, bytes[1], "little-endian");
    }

    @Test
    void varints_of_every_length_round_trip() {
        ByteWriter out = new ByteWriter();
        for (int bits = 0; bits <= 64; bits++) {
            long value = bits == 0 ? 0 : -1L >>> (64 - bits);
            int before = out.size();
            out.varint(value);
            assertEquals(Math.max((bits + 6) / 7, 1), out.size() - before);
        }
        ByteReader in = new ByteReader("f", out.toArray());
        for (int bits = 0; bits <= 64; bits++) {
            assertEquals(bits == 0 ? 0 : -1L >>> (64 - bits), in.varint());
        }
        in.end();
    }

    @Test
    void varints_of_any_value_round_trip() {
        Random random = new Random(7);
        ByteWriter out = new ByteWriter();
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            values.add(random.nextLong() >>> random.nextInt(64));
        }
        values.forEach(out::varint);
        ByteReader in = new ByteReader("f", out.toArray());
        for (long value : values) {
            assertEquals(value, in.varint());
        }
        in.end();
    }

    @Test
    void long_forms_of_numbers_are_damage() {
        for (byte[] bytes : new byte[][] {
            {(byte) 0x80, 0},
            {(byte) 0x80},
            {},
            {-1, -1, -1, -1, -1, -1, -1, -1, -1, 2},
            {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0}
        }) {
            assertThrows(CorruptionException.class, () -> new ByteReader("f", bytes).varint());
        }
    }

    @Test
    void declared_sizes_beyond_what_remains_are_damage_and_allocate_nothing() {
        for (long size : new long[] {4, 1 << 30, Integer.MAX_VALUE, Long.MAX_VALUE, -1}) {
            byte[] bytes = new ByteWriter().varint(size).raw(new byte[3]).toArray();
            CorruptionException damage =
                    assertThrows(CorruptionException.class, () -> new ByteReader("f", bytes).sized());
            assertEquals("f", damage.file());
        }
        assertThrows(CorruptionException.class, () -> new ByteReader("f", new byte[3]).raw(-1));
        assertThrows(CorruptionException.class, () -> new ByteReader("f", new byte[3]).skip(4));
    }

    @Test
    void part_of_an_array_is_all_that_is_read_and_offsets_are_of_the_file() {
        ByteReader in = new ByteReader("f", 1000, new byte[] {9, 9, 1, 2, 9}, 2, 2);
        assertEquals(2, in.remaining());
        assertEquals(1, in.u8());
        CorruptionException damage = assertThrows(CorruptionException.class, in::u16);
        assertEquals(1001, damage.offset());
        assertThrows(CorruptionException.class, in::end);
        assertEquals(2, in.u8());
        assertThrows(IndexOutOfBoundsException.class, () -> new ByteReader("f", 0, new byte[3], 2, 2));
    }

    @Test
    void random_bytes_give_a_value_or_damage() {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[random.nextInt(24)];
            random.nextBytes(bytes);
            ByteReader in = new ByteReader("f", bytes);
            try {
                in.varint();
                in.sized();
                in.text();
                in.u16();
                in.checksumFrom(0);
            } catch (CorruptionException e) {
                assertTrue(e.offset() <= bytes.length);
            }
        }
    }

    @Test
    void writer_replaces_and_cuts() {
        ByteWriter out = new ByteWriter().u32(0).u8(1);
        out.setU32(0, 7);
        assertThrows(IndexOutOfBoundsException.class, () -> out.setU32(2, 7));
        out.cut(4);
        assertThrows(IndexOutOfBoundsException.class, () -> out.cut(5));
        assertArrayEquals(new byte[] {7, 0, 0, 0}, out.toArray());
        assertEquals(ByteBuffer.wrap(out.toArray()), out.toBuffer());
    }

    @Test
    void checksum_is_one_for_arrays_buffers_and_segments() {
        byte[] check = "123456789".getBytes(StandardCharsets.US_ASCII);
        assertEquals(0xE3069283, Checksum.of(check), "the check value of CRC32C");
        byte[] within = "xx123456789y".getBytes(StandardCharsets.US_ASCII);
        assertEquals(0xE3069283, Checksum.of(within, 2, 9));
        ByteBuffer buffer = ByteBuffer.wrap(within, 2, 9);
        assertEquals(0xE3069283, Checksum.of(buffer));
        assertEquals(2, buffer.position());
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, within);
            assertEquals(0xE3069283, Checksum.of(memory, 2, 9));
        }
        assertEquals(0xE3069283, Checksum.of(MemorySegment.ofArray(within), 2, 9));
    }

    @Test
    void seeds_decide_the_checksum() {
        byte[] bytes = {1, 2, 3};
        int sum = Checksum.seeded(1, 2, bytes, 0, 3);
        assertEquals(sum, Checksum.seeded(1, 2, ByteBuffer.wrap(bytes)));
        assertNotEquals(sum, Checksum.seeded(2, 1, bytes, 0, 3));
        assertNotEquals(sum, Checksum.seeded(1, 3, bytes, 0, 3));
        assertNotEquals(Checksum.seeded(0, 0, bytes, 0, 3), Checksum.of(bytes));
    }

    @Test
    void header_is_read_and_every_flipped_bit_is_damage() {
        ByteWriter out = new ByteWriter();
        HEADER.write(out, 0x8001);
        byte[] bytes = out.toArray();
        assertEquals(FileHeader.BYTES, bytes.length);
        assertEquals(new FileHeader.Found(3, 0x8001), HEADER.read(new ByteReader("f", bytes), "f"));
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThrows(CorruptionException.class, () -> HEADER.read(new ByteReader("f", flipped), "f"));
        }
        assertThrows(CorruptionException.class, () -> HEADER.read(new ByteReader("f", new byte[15]), "f"));
    }

    @Test
    void older_versions_are_read_and_newer_ones_refused() {
        ByteWriter older = new ByteWriter();
        new FileHeader("KVTEST01", "test file", 1).write(older, 0);
        assertEquals(1, HEADER.read(new ByteReader("f", older.toArray()), "f").version());
        ByteWriter newer = new ByteWriter();
        new FileHeader("KVTEST01", "test file", 4).write(newer, 0);
        StorageException refused =
                assertThrows(StorageException.class, () -> HEADER.read(new ByteReader("f", newer.toArray()), "f"));
        assertTrue(String.valueOf(refused.getMessage()).contains("version 4"));
        assertThrows(IllegalArgumentException.class, () -> new FileHeader("short", "x", 1));
        assertThrows(IllegalArgumentException.class, () -> new FileHeader("KVTEST01", "x", 0));
    }
}
