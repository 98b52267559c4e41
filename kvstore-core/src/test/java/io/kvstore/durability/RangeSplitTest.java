package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.data.KeyRange;
import io.kvstore.engine.TableEngine;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The keys of an engine are proposals: some are outside of the range, or come twice. */
final class RangeSplitTest {

    private static byte[] key(int number) {
        return new byte[] {(byte) number};
    }

    private static List<KeyRange> split(KeyRange range, int parts, int... proposed) throws IOException {
        List<byte[]> keys = new ArrayList<>();
        for (int number : proposed) {
            keys.add(key(number));
        }
        TableEngine engine = (TableEngine) Proxy.newProxyInstance(
                TableEngine.class.getClassLoader(),
                new Class<?>[] {TableEngine.class},
                (proxy, method, arguments) -> keys);
        return RangeSplit.of(range, parts, engine);
    }

    @Test
    void keys_outside_of_the_range_and_keys_that_come_twice_are_left_out() throws IOException {
        KeyRange range = KeyRange.between(key(10), key(20));
        assertEquals(List.of(range), split(range, 9, 5, 9, 10, 20, 30));
        List<KeyRange> halves = List.of(KeyRange.between(key(10), key(15)), KeyRange.between(key(15), key(20)));
        assertEquals(halves, split(range, 9, 5, 10, 15, 15, 20, 25));
        assertEquals(halves.reversed().stream().map(KeyRange::reverse).toList(), split(range.reverse(), 2, 15));
    }

    @Test
    void the_last_key_of_a_range_may_be_a_part() throws IOException {
        KeyRange range = KeyRange.all().from(key(10), false).to(key(20), true);
        assertEquals(List.of(range.to(key(20), false), range.from(key(20), true)), split(range, 2, 10, 20));
    }

    @Test
    void parts_have_equal_numbers_of_proposed_keys() throws IOException {
        assertEquals(
                List.of(
                        KeyRange.all().to(key(4), false),
                        KeyRange.between(key(4), key(8)),
                        KeyRange.all().from(key(8), true)),
                split(KeyRange.all(), 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    }
}
