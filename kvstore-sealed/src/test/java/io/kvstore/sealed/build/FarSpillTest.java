package io.kvstore.sealed.build;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyHash;
import io.kvstore.data.KeyOrder;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.io.MemoryStorage;
import io.kvstore.io.Storage;
import io.kvstore.sealed.format.FileIdentity;
import io.kvstore.sealed.format.LocatorLine;
import io.kvstore.sealed.read.SealedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys whose hashes agree in many bits, so that their words lie far behind their home, and have equal tags. */
final class FarSpillTest {

    private static final String PATH = "table.sealed";
    private static final long SEED = 1;
    private static final int TAGS = 2;

    /** Keys whose hashes fit, of which those with even numbers will be in the file. */
    private static List<byte[]> keys(int count, LongPredicate fits) {
        KeyHash hashes = new KeyHash(SEED);
        List<byte[]> keys = new ArrayList<>();
        for (long i = 0; keys.size() < count; i++) {
            byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(i).array();
            if (fits.test(hashes.of(key))) {
                keys.add(key);
            }
        }
        return keys;
    }

    private static void check(List<byte[]> keys) throws IOException {
        check(keys, TableFileSettings.USUAL);
        check(keys, TableFileSettings.USUAL.withCodec("DEFLATE", 1 << 10));
        check(keys, TableFileSettings.USUAL.withLayout(Layout.PERFECT));
        check(keys, TableFileSettings.USUAL.withLayout(Layout.PERFECT).withCodec("DEFLATE", 1 << 10));
        check(keys, TableFileSettings.USUAL.withLayout(Layout.POINT));
    }

    private static void check(List<byte[]> keys, TableFileSettings settings) throws IOException {
        Storage storage = new MemoryStorage(1L << 30);
        try (SealedFileWriter writer = SealedFileWriter.create(
                storage, PATH, settings, (layout, codec) -> new FileIdentity(2, 3, SEED, layout, codec))) {
            for (int i = 0; i < keys.size(); i += 2) {
                writer.put(keys.get(i), new byte[] {(byte) i});
            }
            writer.finish(Progress.NONE);
        }
        try (SealedFile file = SealedFile.open(storage, PATH, storage::mapReadOnly)) {
            for (int i = 0; i < keys.size(); i++) {
                byte[] key = keys.get(i);
                if (i % 2 == 0) {
                    assertArrayEquals(new byte[] {(byte) i}, file.get(key), () -> KeyOrder.display(key));
                } else {
                    assertNull(file.get(key), () -> KeyOrder.display(key));
                }
            }
            Findings findings = new Findings();
            file.verify(findings, Progress.NONE);
            assertEquals(List.of(), findings.kept());
        }
    }

    /** The last home's words go to lines that are no home. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 128, 254, 255})
    void all_homes_in_one_part(int part) throws IOException {
        check(keys(2_000, hash -> hash >>> 56 == part));
    }

    /** As many words as fit into a line, one more, and one less. */
    @ParameterizedTest
    @ValueSource(ints = {7, 8, 9, 16, 17})
    void lines_that_are_just_full(int words) throws IOException {
        check(keys(2 * words, hash -> hash >>> 56 == 7));
        check(keys(2 * words, hash -> hash >>> 56 == 255));
    }

    @Test
    void equal_tags() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            long hash = (3L << 62) | ((random.nextLong() >>> 2) & (-1L << 16)) | random.nextInt(TAGS);
            keys.add(keyOf(unmix(unmix(hash)), i));
            assertEquals(hash, new KeyHash(SEED).of(keys.getLast()));
        }
        keys.sort(KeyOrder.COMPARATOR);
        check(keys);
    }

    /** A word of the least place with the least tag is not that of a free slot. */
    @Test
    void the_first_record_with_an_empty_tag() throws IOException {
        check(keys(20, hash -> (hash & 0xFFFF) == 0));
    }

    /** Some of the absent ones lead to slots that are 0, as their bits of the hash are. */
    @Test
    void slots_that_are_empty_and_hashes_that_end_with_zeros() throws IOException {
        check(keys(2_000, hash -> (hash & 0xFFF) == 0));
    }

    @Test
    void homes_that_are_spread_thin_beside_one_that_is_crowded() throws IOException {
        List<byte[]> keys = keys(3_000, hash -> hash >>> 56 == 100 || hash % 400 == 0);
        assertTrue(LocatorLine.homes(keys.size()) > 300);
        check(keys);
    }

    /** All keys have one hash, or there are some for each of several hashes. Those that are absent have them, too. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 300})
    void equal_hashes(int each) throws IOException {
        List<byte[]> keys = new ArrayList<>();
        for (long hash = 1; hash <= 600 / each; hash++) {
            for (int i = 0; i < each; i++) {
                keys.add(keyOf(hash * 0x9E3779B97F4A7C15L, i));
            }
        }
        keys.sort(KeyOrder.COMPARATOR);
        check(keys);
    }

    /** A key of 16 bytes with a hash: whatever the first half is, there is a second one. */
    private static byte[] keyOf(long hash, long first) {
        ByteBuffer key = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long before = mix(SEED ^ key.capacity() * 0x9E3779B97F4A7C15L ^ first);
        byte[] made = key.putLong(first).putLong(before ^ hash).array();
        assertEquals(mix(mix(hash)), new KeyHash(SEED).of(made));
        return made;
    }

    /** What {@link #mix} makes the given number of. */
    private static long unmix(long given) {
        long before = (given ^ (given >>> 33)) * 0x9CB4B2F8129337DBL;
        before = (before ^ (before >>> 33)) * 0x4F74430C22A54005L;
        return before ^ (before >>> 33);
    }

    private static long mix(long given) {
        long mixed = (given ^ (given >>> 33)) * 0xFF51AFD7ED558CCDL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xC4CEB9FE1A85EC53L;
        return mixed ^ (mixed >>> 33);
    }
}
