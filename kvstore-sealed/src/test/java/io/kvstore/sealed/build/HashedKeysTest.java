package io.kvstore.sealed.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.error.InvalidRequestException;
import io.kvstore.sealed.perfect.PerfectHash;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What waits in temporary files until a perfect hash is built. */
final class HashedKeysTest {

    private static final int KEYS = 300_000;

    private final SimStorage disk = new SimStorage();

    /** Fewer parts than streams, as many, and more. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 13})
    void keys_come_by_parts_with_their_numbers(int partBits) throws IOException {
        Random random = new Random(partBits);
        Map<Long, Long> added = new HashMap<>();
        try (BuildFiles files = BuildFiles.begin(disk, "table.sealed")) {
            HashedKeys keys = new HashedKeys(files, "keys", 2);
            for (int i = 0; i < KEYS; i++) {
                long hash = i < KEYS / 2 ? random.nextLong() : (long) i << 56 | random.nextLong() >>> 8;
                int stream = keys.add(hash);
                keys.addNumber(stream, i);
                keys.addNumber(stream, ~hash);
                added.put(hash, (long) i);
            }
            int[] parts = {0};
            keys.eachPart(partBits, part -> {
                for (int key = 0; key < part.count(); key++) {
                    long hash = part.hashes()[key];
                    assertEquals(parts[0], PerfectHash.part(hash, partBits));
                    assertEquals(added.remove(hash), part.number(key, 0));
                    assertEquals(~hash, part.number(key, 1));
                }
                parts[0]++;
            });
            assertEquals(1 << partBits, parts[0]);
            assertEquals(Map.of(), added);
            keys.drop();
        }
        assertEquals(List.of(), disk.files());
    }

    /** Slots up to the greatest number of 4 bytes. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 255, 256, 257, 100_000})
    void slots_come_in_the_order_of_keys(int count) throws IOException {
        long[] slots = new long[count];
        Arrays.setAll(slots, i -> 0xFFFF_FFFFL - 31_013L * i);
        try (BuildFiles files = BuildFiles.begin(disk, "table.sealed")) {
            SlotOrder order = new SlotOrder(files, "slots", count);
            for (int i = 0; i < count; i++) {
                int ordinal = (int) (i * 7_919L % count);
                order.add(ordinal, slots[ordinal]);
            }
            SealedOutput out = new SealedOutput(files.create("out"));
            order.write(out);
            out.flush();
            String name = disk.files().stream()
                    .filter(file -> file.contains("-out"))
                    .findFirst()
                    .orElseThrow();
            ByteBuffer written = ByteBuffer.wrap(disk.bytes(name)).order(ByteOrder.LITTLE_ENDIAN);
            for (long slot : slots) {
                assertEquals(slot, Integer.toUnsignedLong(written.getInt()));
            }
            assertEquals(0, written.remaining());
        }
    }

    @Test
    void more_entries_than_slots_have_numbers_are_refused() {
        EqualLengths lengths = new EqualLengths(3);
        byte[] four = new byte[4];
        lengths.require(four, four, 0);
        lengths.require(four, four, 2);
        InvalidRequestException refused =
                assertThrows(InvalidRequestException.class, () -> lengths.require(four, four, 3));
        assertEquals(
                "the layout POINT has at most 3 entries; take the layout PERFECT or LINES, which have entries of any"
                        + " lengths",
                refused.getMessage());
    }
}
