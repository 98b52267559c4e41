package io.kvstore.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class KeyHashTest {

    private static final int KEYS = 20_000;
    private static final long FIRST_FACTOR = 0xFF51AFD7ED558CCDL;
    private static final long SECOND_FACTOR = 0xC4CEB9FE1A85EC53L;

    /** Who knows the seed makes as many keys of one hash as he likes; with any other seed they are like all keys. */
    @Test
    void keys_that_were_chosen_for_one_seed_do_not_collide_with_another() {
        SplittableRandom random = new SplittableRandom(1);
        Set<Long> chosenFor = new HashSet<>();
        Set<Long> hashes = new HashSet<>();
        Set<Integer> heads = new HashSet<>();
        KeyHash known = new KeyHash(0);
        KeyHash secret = new KeyHash(random.nextLong());
        for (long i = 0; i < KEYS; i++) {
            byte[] key = chosen(i);
            chosenFor.add(known.of(key));
            hashes.add(secret.of(key));
            heads.add((int) (secret.of(key) >>> Integer.SIZE));
        }
        assertEquals(1, chosenFor.size(), "they were to collide");
        assertEquals(KEYS, hashes.size());
        assertTrue(heads.size() > KEYS - 10, heads.size() + " in the half that chooses a slot");
    }

    /** Sixteen bytes: the first half is free, the second is solved for. */
    private static byte[] chosen(long number) {
        long before = mix(ofLength(16) ^ number);
        return ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(number)
                .putLong(unmix(0x1234_5678_90AB_CDEFL) ^ before)
                .array();
    }

    private static long ofLength(int bytes) {
        return bytes * 0x9E3779B97F4A7C15L;
    }

    private static long mix(long given) {
        long mixed = (given ^ (given >>> 33)) * FIRST_FACTOR;
        mixed = (mixed ^ (mixed >>> 33)) * SECOND_FACTOR;
        return mixed ^ (mixed >>> 33);
    }

    private static long unmix(long given) {
        long mixed = (given ^ (given >>> 33)) * inverse(SECOND_FACTOR);
        mixed = (mixed ^ (mixed >>> 33)) * inverse(FIRST_FACTOR);
        return mixed ^ (mixed >>> 33);
    }

    /** The factor that undoes an odd one, by Newton's method. */
    private static long inverse(long odd) {
        long factor = odd;
        for (int i = 0; i < 6; i++) {
            factor *= 2 - odd * factor;
        }
        return factor;
    }
}
