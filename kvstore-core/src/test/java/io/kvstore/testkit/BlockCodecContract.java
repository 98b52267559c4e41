package io.kvstore.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.bytes.Slice;
import io.kvstore.engine.BlockCodec;
import io.kvstore.engine.BlockCodecs;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What every codec does, alone and in a table of {@code LSM}. */
public abstract class BlockCodecContract {

    private static final int GUARD_BYTES = 8;
    private static final int ENTRIES = 2_000;

    /** The codec. */
    protected abstract BlockCodec codec();

    @Test
    void what_was_compressed_comes_back() {
        Random random = new Random(1);
        for (int length : new int[] {1, 2, 13, 255, 4_095, 4_096, 70_000, 1 << 20}) {
            for (int distinct : new int[] {1, 4, 256}) {
                byte[] bytes = bytes(random, length, distinct);
                byte[] packed = compress(bytes);
                byte[] target = new byte[length + 2 * GUARD_BYTES];
                assertTrue(codec().decompress(Slice.of(packed), new Slice(target, GUARD_BYTES, length)));
                assertArrayEquals(bytes, Arrays.copyOfRange(target, GUARD_BYTES, GUARD_BYTES + length));
                checkGuards(target);
            }
        }
    }

    @Test
    void the_front_of_a_block_is_right_as_far_as_it_is_wanted() {
        Random random = new Random(4);
        for (int round = 0; round < 1_000; round++) {
            int length = 1 + random.nextInt(5_000);
            byte[] bytes = bytes(random, length, 1 + random.nextInt(6));
            int wanted = random.nextInt(length + 1);
            byte[] target = new byte[length + 2 * GUARD_BYTES];
            int there =
                    codec().decompressFront(Slice.of(compress(bytes)), new Slice(target, GUARD_BYTES, length), wanted);
            assertTrue(there >= wanted && there <= length, there + " of " + length + ", wanted " + wanted);
            assertArrayEquals(
                    Arrays.copyOf(bytes, there), Arrays.copyOfRange(target, GUARD_BYTES, GUARD_BYTES + there));
            checkGuards(target);
        }
    }

    @Test
    void another_length_is_refused() {
        byte[] packed = compress(bytes(new Random(2), 1_000, 4));
        for (int length : new int[] {0, 1, 999, 1_001, 4_000}) {
            byte[] target = new byte[length + 2 * GUARD_BYTES];
            assertFalse(codec().decompress(Slice.of(packed), new Slice(target, GUARD_BYTES, length)), "as " + length);
            checkGuards(target);
        }
    }

    @Test
    void a_damaged_source_writes_nothing_outside_of_the_target() {
        Random random = new Random(3);
        byte[] packed = compress(bytes(random, 2_000, 4));
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = Arrays.copyOf(packed, i % 2 == 0 ? packed.length : random.nextInt(packed.length));
            for (int flips = random.nextInt(3) + 1; damaged.length > 0 && flips > 0; flips--) {
                damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            }
            byte[] target = new byte[2_000 + 2 * GUARD_BYTES];
            refused += codec().decompress(Slice.of(damaged), new Slice(target, GUARD_BYTES, 2_000)) ? 0 : 1;
            checkGuards(target);
        }
        assertTrue(refused > 10_000, refused + " refused");
    }

    @Test
    void a_table_that_uses_it_is_smaller_and_answers_the_same() {
        SimStorage disk = new SimStorage();
        long plainBytes;
        long packedBytes;
        try (KVStore store = open(disk)) {
            store.createDB("db");
            plainBytes = fill(store.createTable("db", "plain", "LSM", parameters(BlockCodecs.NONE)));
            packedBytes = fill(store.createTable("db", "packed", "LSM", parameters(codec().name())));
        }
        assertTrue(packedBytes < plainBytes / 2, packedBytes + " bytes of " + plainBytes);
        try (KVStore store = open(disk)) {
            Table packed = store.table("db", "packed");
            assertEquals("4096", packed.properties().text("VALUE_THRESHOLD_BYTES"));
            for (int i = 0; i < ENTRIES; i++) {
                assertArrayEquals(value(i), packed.get("key" + i), "of " + i);
            }
            assertEquals(0, packed.verify().total());
        }
    }

    private Properties parameters(String codec) {
        Properties properties = new Properties();
        properties.setProperty("COMPRESSION", codec.toLowerCase(Locale.ROOT));
        properties.setProperty("MEM_CACHE_SIZE", "65536");
        return properties;
    }

    private static KVStore open(SimStorage disk) {
        return new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(disk));
    }

    private static long fill(Table table) {
        for (int i = 0; i < ENTRIES; i++) {
            table.put("key" + i, value(i));
        }
        table.flush();
        table.optimize((done, total) -> true);
        return Objects.requireNonNull(table.stats().engine()).diskBytes();
    }

    private static byte[] value(int i) {
        return ("{\"id\": " + i + ", \"name\": \"somebody " + i + "\", \"city\": \"a town by the sea\"}")
                .repeat(5)
                .getBytes(UTF_8);
    }

    private byte[] compress(byte[] bytes) {
        byte[] target = new byte[codec().maxCompressedBytes(bytes.length)];
        return Arrays.copyOf(target, codec().compress(Slice.of(bytes), target));
    }

    private static byte[] bytes(Random random, int length, int distinct) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (random.nextInt(distinct) + 1);
        }
        return bytes;
    }

    private static void checkGuards(byte[] target) {
        for (int i = 0; i < GUARD_BYTES; i++) {
            assertEquals(0, target[i], "a byte before the target");
            assertEquals(0, target[target.length - 1 - i], "a byte behind the target");
        }
    }
}
