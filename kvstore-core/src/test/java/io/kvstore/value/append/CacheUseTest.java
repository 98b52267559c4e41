package io.kvstore.value.append;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyHash;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class CacheUseTest {

    private static final int UNREAD = 64 << 10;
    private static final int LOADED = 640 << 10;
    private static final int PIECE = 4 << 10;

    private final CacheUse use = new CacheUse(new CacheUse.Limits(UNREAD, LOADED), new KeyHash(7));

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    /** Puts values of a length, and writes each 4 KiB of them. */
    private void put(CacheUse to, int from, int end, int length) {
        for (int i = from; i < end; i++) {
            to.reserve();
            to.notePut(key(i), length);
            if (length >= PIECE || i % (PIECE / length) == 0) {
                to.noteWritten(Math.max(length, PIECE), 0);
            }
        }
    }

    @Test
    void small_values_pass_the_cache_after_the_bytes_of_one_segment() {
        put(use, 1, UNREAD / 1_024, 1_024);
        assertFalse(use.passesCache());
        put(use, UNREAD / 1_024, UNREAD / 1_024 + 1, 1_024);
        assertTrue(use.passesCache());
    }

    @Test
    void large_values_for_new_keys_pass_the_cache_when_the_load_is_larger_than_its_limit() {
        put(use, 0, LOADED / PIECE - 1, PIECE);
        assertFalse(use.passesCache());
        put(use, LOADED / PIECE - 1, LOADED / PIECE, PIECE);
        assertTrue(use.passesCache());
        use.noteRead();
        assertFalse(use.passesCache());
        put(use, 2_000, 2_000 + LOADED / PIECE - 1, PIECE);
        assertFalse(use.passesCache());
        put(use, 3_000, 3_001, PIECE);
        assertTrue(use.passesCache());
    }

    /** The border between small and large: half of the bytes are in values of 2,048 bytes at least. */
    @Test
    void values_of_2048_bytes_are_large() {
        for (int length : new int[] {CacheUse.LARGE_BYTES - 1, CacheUse.LARGE_BYTES, CacheUse.LARGE_BYTES + 1}) {
            CacheUse one = new CacheUse(new CacheUse.Limits(UNREAD, LOADED), new KeyHash(7));
            for (int i = 0; i <= UNREAD / PIECE; i++) {
                one.reserve();
                one.notePut(key(2 * i), length);
                one.notePut(key(2 * i + 1), length);
                one.noteWritten(2L * length, 0);
            }
            assertEquals(length < CacheUse.LARGE_BYTES, one.passesCache(), length + " bytes");
        }
    }

    @Test
    void large_values_that_replace_others_pass_the_cache() {
        int keys = 50_000;
        CacheUse large = new CacheUse(new CacheUse.Limits(UNREAD, Long.MAX_VALUE), new KeyHash(7));
        put(large, 0, keys, PIECE);
        assertFalse(large.passesCache(), "it is a load");
        put(large, 0, keys / 4, PIECE);
        assertTrue(large.passesCache(), "the same keys once more");
        put(large, keys, keys + keys / 4, PIECE);
        assertFalse(large.passesCache(), "and new ones");
    }

    /** More keys than the sample can tell apart still are a load. */
    @Test
    void a_load_of_many_keys_stays_a_load() {
        CacheUse large = new CacheUse(new CacheUse.Limits(UNREAD, Long.MAX_VALUE), new KeyHash(7));
        for (int i = 0; i < 30; i++) {
            put(large, i * 100_000, (i + 1) * 100_000, PIECE);
            assertFalse(large.passesCache(), i + " parts of the load");
        }
    }
}
