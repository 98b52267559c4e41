package io.kvstore.sealed.perfect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.ByteReader;
import io.kvstore.error.InvalidRequestException;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of a perfect hash: each key has a slot of its own, and the table leads to it. */
final class PerfectHashTest {

    private static final int PART_KEYS = 1 << 16;

    private static PartPlacing place(long[] hashes) {
        PartPlacing placing = new PartPlacing();
        placing.place(hashes, hashes.length);
        return placing;
    }

    /** Requires that unique hashes have slots of their own, and returns how many slots there are. */
    private static int check(PartPlacing placing, long[] hashes) {
        PerfectHash.Table table = new PerfectHash.Table();
        table.add(placing);
        PerfectHash hash = PerfectHash.read(new ByteReader("table", table.toBytes()), 0);
        assertEquals(placing.slots(), hash.slots());
        assertEquals(placing.buckets(), hash.buckets());
        BitSet taken = new BitSet();
        Set<Long> unique = new HashSet<>();
        int extras = 0;
        for (int key = 0; key < hashes.length; key++) {
            int slot = placing.slotOf(key);
            if (slot == PartPlacing.EXTRA) {
                extras++;
            } else {
                assertTrue(slot >= 0 && slot < placing.slots());
                assertFalse(taken.get(slot));
                taken.set(slot);
                assertTrue(unique.add(hashes[key]));
                long mixed = hash.mixed(0, hashes[key]);
                assertEquals(slot, hash.slotOf(0, mixed, placing.pilot((int) hash.bucketOf(0, mixed))));
            }
        }
        assertEquals(hashes.length - unique.size(), extras);
        assertEquals(extras, placing.extras(hashes).length);
        assertEquals(LongStream.of(hashes).distinct().count(), unique.size());
        return placing.slots();
    }

    @Test
    void few_keys() {
        Random random = new Random(1);
        PartPlacing placing = new PartPlacing();
        for (int keys = 400; keys >= 0; keys--) {
            long[] hashes = random.longs(keys).toArray();
            placing.place(hashes, keys);
            int slots = check(placing, hashes);
            assertTrue(slots <= keys + keys / 32 + 2, slots + " slots for " + keys);
            assertEquals(0, placing.extras(hashes).length);
        }
    }

    /** As many as a part has, and what they take. */
    @Test
    void many_keys() {
        for (int seed = 0; seed < 4; seed++) {
            long[] hashes = new Random(seed).longs(PART_KEYS).toArray();
            PartPlacing placing = place(hashes);
            assertTrue(check(placing, hashes) < PART_KEYS * 1.011);
            assertTrue(placing.buckets() <= PART_KEYS / 2 + 1);
        }
    }

    /** Hashes that agree in all bits but a few, or follow each other. */
    @Test
    void hashes_that_are_alike() {
        LongUnaryOperator[] kinds = {
            i -> i,
            i -> i << 48,
            i -> i << 32 | i,
            i -> ~i,
            i -> i * 0x9E3779B97F4A7C15L,
            i -> Long.reverse(i),
            i -> -i << 1
        };
        for (LongUnaryOperator kind : kinds) {
            long[] hashes = LongStream.range(0, 20_000).map(kind).toArray();
            check(place(hashes), hashes);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 17, 1_000})
    void equal_hashes_are_extras(int of) {
        Random random = new Random(of);
        long[] pool = random.longs(of).toArray();
        long[] hashes = new long[5_000];
        Arrays.setAll(hashes, i -> pool[random.nextInt(of)]);
        PartPlacing placing = place(hashes);
        check(placing, hashes);
        int[] extras = placing.extras(hashes);
        for (int i = 1; i < extras.length; i++) {
            assertTrue(Long.compareUnsigned(hashes[extras[i - 1]], hashes[extras[i]]) <= 0);
        }
        assertTrue(placing.slots() <= of + of / 32 + 2);
    }

    /** A part is tried with others if the first does not end, and with more slots from the fifth on. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 5, 63})
    void any_seed(int seed) {
        for (int keys : new int[] {1, 2, 63, 64, 5_000}) {
            long[] hashes = new Random(seed).longs(keys).toArray();
            PartPlacing placing = new PartPlacing(seed, PartPlacing.MOST_SEEDS);
            placing.place(hashes, keys);
            assertTrue(placing.seed() >= seed);
            int slots = check(placing, hashes);
            assertTrue(slots <= 2 * keys + 1 && (seed < 4 || slots > keys), slots + " slots for " + keys);
        }
    }

    @Test
    void a_part_that_cannot_be_placed_is_refused_with_what_can_be_done() {
        InvalidRequestException refused =
                assertThrows(InvalidRequestException.class, () -> new PartPlacing(0, 0).place(new long[] {1, 2}, 2));
        assertEquals(
                "a perfect hash of 2 keys was not found with 0 seeds; build the file again, which takes another hash of"
                        + " keys, or with the layout LINES",
                refused.getMessage());
    }

    @Test
    void several_parts() {
        int partBits = 3;
        Random random = new Random(5);
        Map<Long, Long> slots = new HashMap<>();
        PerfectHash.Table table = new PerfectHash.Table();
        PartPlacing placing = new PartPlacing();
        ByteArrayOutputStream pilots = new ByteArrayOutputStream();
        for (int part = 0; part < 1 << partBits; part++) {
            long front = (long) part << (Long.SIZE - partBits);
            int keys = part == 4 ? 0 : random.nextInt(3_000);
            long[] hashes =
                    random.longs(keys).map(hash -> hash >>> partBits | front).toArray();
            placing.place(hashes, keys);
            for (int key = 0; key < keys; key++) {
                slots.put(hashes[key], table.slots() + placing.slotOf(key));
            }
            table.add(placing);
            for (int bucket = 0; bucket < placing.buckets(); bucket++) {
                pilots.write(placing.pilot(bucket));
            }
        }
        PerfectHash hash = PerfectHash.read(new ByteReader("table", table.toBytes()), partBits);
        byte[] all = pilots.toByteArray();
        slots.forEach((of, slot) -> {
            int part = hash.partOf(of);
            long mixed = hash.mixed(part, of);
            assertEquals(slot, hash.slotOf(part, mixed, all[(int) hash.bucketOf(part, mixed)] & 0xFF));
        });
        assertEquals(slots.size(), new HashSet<>(slots.values()).size());
        assertEquals(-1, hash.bucketOf(4, 0));
        assertEquals(pilots.size(), hash.buckets());
    }

    @Test
    void parts_have_up_to_65536_keys_on_average() {
        assertEquals(0, PerfectHash.partBits(0));
        assertEquals(0, PerfectHash.partBits(1));
        assertEquals(0, PerfectHash.partBits(PART_KEYS));
        assertEquals(1, PerfectHash.partBits(PART_KEYS + 1));
        assertEquals(1, PerfectHash.partBits(2 * PART_KEYS));
        assertEquals(2, PerfectHash.partBits(2 * PART_KEYS + 1));
        assertEquals(15, PerfectHash.partBits(1L << 31));
        assertEquals(16, PerfectHash.partBits(1L << 32));
        assertEquals(17, PerfectHash.partBits((1L << 32) + 1));
        assertEquals(26, PerfectHash.partBits(Long.MAX_VALUE));
        for (long keys : new long[] {0, 1, PART_KEYS, PART_KEYS + 1, 1L << 32, Long.MAX_VALUE}) {
            assertTrue(PerfectHash.isBelievable(PerfectHash.partBits(keys), keys));
        }
        assertTrue(PerfectHash.isBelievable(1, 1_024));
        assertFalse(PerfectHash.isBelievable(1, 1_023));
        assertEquals(0, PerfectHash.part(-1, 0));
        assertEquals(255, PerfectHash.part(-1, 8));
        assertEquals(1, PerfectHash.part(1L << 63, 1));
    }

    @Test
    void slots_have_room_for_the_longest_place_and_eight_bits() {
        for (int bits = 1; bits <= 47; bits++) {
            for (long most : new long[] {1L << (bits - 1), (1L << bits) - 1}) {
                SlotFormat format = SlotFormat.of(most);
                assertTrue(format.isBelievable());
                assertEquals((bits + 15) / 8, format.bytes());
                for (long hash : new long[] {0, -1, 0x123456789ABCDEFL}) {
                    long slot = format.slot(hash, most);
                    assertEquals(slot, format.slot(slot | 0xFFL << 56));
                    assertEquals(most, format.place(slot));
                    assertTrue(format.isOf(slot, hash));
                    assertFalse(format.isOf(slot, hash ^ 1));
                    assertFalse(format.isOf(slot, hash ^ 0x80));
                }
            }
        }
        assertFalse(SlotFormat.RECORDS.isBelievable());
        assertFalse(new SlotFormat(7, 49).isBelievable());
        assertTrue(new SlotFormat(7, 48).isBelievable());
        assertFalse(new SlotFormat(8, 48).isBelievable());
    }
}
