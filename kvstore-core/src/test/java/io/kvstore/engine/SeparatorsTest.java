package io.kvstore.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyOrder;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** However many keys are proposed, few are kept, and these are at equal distances. */
final class SeparatorsTest {

    private static Separators of(int wanted, int proposals, int keyBytes) {
        Separators separators = new Separators(wanted);
        int next = 0;
        while (proposals - next > separators.passing()) {
            next += (int) separators.passing();
            separators.pass(separators.passing());
            next++;
            separators.add(ByteBuffer.allocate(keyBytes).putInt(next).array());
        }
        separators.pass(proposals - next);
        return separators;
    }

    private static List<Integer> numbers(Separators separators) {
        return separators.keys().stream()
                .map(key -> ByteBuffer.wrap(key).getInt())
                .toList();
    }

    @Test
    void as_many_as_are_wanted_and_fewer_than_twice_as_many() {
        for (int wanted : new int[] {1, 2, 3, 8, 100}) {
            for (int proposals = 0; proposals < 1_000; proposals++) {
                List<Integer> numbers = numbers(of(wanted, proposals, 4));
                int most = Math.min(proposals, 2 * wanted - 1);
                int least = Math.min(proposals, wanted);
                assertTrue(numbers.size() >= least && numbers.size() <= most, numbers::toString);
                int stride = numbers.isEmpty() ? 1 : numbers.getFirst();
                for (int i = 0; i < numbers.size(); i++) {
                    assertEquals((i + 1) * stride, numbers.get(i));
                }
                assertTrue(proposals < (numbers.size() + 1) * stride, numbers::toString);
            }
        }
    }

    @Test
    void fewer_are_kept_of_long_keys() {
        int longest = KeyOrder.MAX_KEY_BYTES;
        int most = Separators.MOST_BYTES / longest;
        assertEquals(most, numbers(of(8_192, most, longest)).size());
        assertEquals(most / 2, numbers(of(8_192, most + 1, longest)).size());
        for (int proposals : new int[] {2 * most, 2 * most + 1, 1_000, 1_001, 100_000}) {
            List<Integer> numbers = numbers(of(8_192, proposals, longest));
            assertTrue(numbers.size() >= most / 2 && numbers.size() <= most, numbers::toString);
            for (int i = 0; i < numbers.size(); i++) {
                assertEquals((i + 1) * numbers.getFirst(), numbers.get(i));
            }
        }
    }

    @Test
    void half_of_what_is_wanted_is_enough() {
        assertEquals(false, of(8, 3, 4).isEnough());
        assertEquals(true, of(8, 4, 4).isEnough());
        assertEquals(true, of(8_192, 65, KeyOrder.MAX_KEY_BYTES).isEnough());
    }
}
