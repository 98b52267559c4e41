package io.kvstore.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Keys in order as a comparator has them, without many comparisons. */
final class KeySortTest {

    private static final int MANY = 20_000;

    private final List<byte[]> keys = new ArrayList<>();
    private int compared;

    private int[] sort() {
        return KeySort.sorted(IntStream.range(0, keys.size()).toArray(), new KeySort.Keys() {
            @Override
            public long headFrom(int item, int from) {
                byte[] key = keys.get(item);
                return from >= key.length ? 0 : KeyHead.of(key, from, key.length);
            }

            @Override
            public int keyLength(int item) {
                return keys.get(item).length;
            }

            @Override
            public int compare(int left, int right) {
                compared++;
                int order = KeyOrder.compare(keys.get(left), keys.get(right));
                return order != 0 ? order : Integer.compare(left, right);
            }
        });
    }

    private void assertSorted() {
        int[] expected = IntStream.range(0, keys.size())
                .boxed()
                .sorted((left, right) -> {
                    int order = KeyOrder.compare(keys.get(left), keys.get(right));
                    return order != 0 ? order : Integer.compare(left, right);
                })
                .mapToInt(Integer::intValue)
                .toArray();
        assertArrayEquals(expected, sort());
    }

    @Test
    void sorts_keys_of_every_kind() {
        Seeds.each(1, 60, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            keys.clear();
            int letters = random.nextInt(1, 5);
            int longest = random.nextInt(1, 40);
            for (int i = random.nextInt(3) == 0 ? random.nextInt(40) : random.nextInt(3_000); i > 0; i--) {
                byte[] key = new byte[random.nextInt(longest)];
                for (int at = 0; at < key.length; at++) {
                    key[at] = (byte) (random.nextInt(letters) * 0x55);
                }
                keys.add(key);
            }
            assertSorted();
        });
    }

    @Test
    void nothing_and_one_are_sorted() {
        assertEquals(0, sort().length);
        keys.add(new byte[9]);
        assertArrayEquals(new int[1], sort());
    }

    /** 40 bits behind what all keys have in common are little but the beginnings, of which there are two. */
    @Test
    void keys_of_few_beginnings_are_hardly_compared() {
        for (int i = 0; i < MANY; i++) {
            String key = (i % 2 == 0 ? "user/with-a-long-beginning/" : "order/")
                    + String.format(Locale.ROOT, "%07d", i * 7_919 % MANY);
            keys.add(key.getBytes(StandardCharsets.UTF_8));
        }
        keys.add(new byte[] {'m'});
        assertSorted();
        compared = 0;
        assertEquals(keys.size(), sort().length);
        assertTrue(compared < 4 * MANY, compared + " comparisons");
    }

    /** Each step leaves out one key: it ends all the same. */
    @Test
    void keys_that_begin_with_each_other_are_sorted() {
        for (int i = 0; i < 2_000; i++) {
            byte[] key = new byte[i + 1];
            key[i] = 1;
            keys.add(key);
        }
        assertSorted();
    }
}
