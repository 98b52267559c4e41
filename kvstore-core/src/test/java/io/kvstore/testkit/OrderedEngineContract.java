package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.kvstore.data.Entry;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.ReadView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Everything that an engine with an order of keys owes to the store: what every engine owes, and ranges. Such an engine has one
 * test class for each of its interesting settings that extends this one and names provider and parameters.
 */
public abstract class OrderedEngineContract extends TableEngineContract {

    @Test
    void keys_are_ordered_as_unsigned_bytes() throws IOException {
        EngineHarness table = open();
        List<byte[]> keys = new ArrayList<>();
        keys.add(new byte[0]);
        for (int first : new int[] {0, 1, 0x7F, 0x80, 0xFE, 0xFF}) {
            keys.add(new byte[] {(byte) first});
            for (int second : new int[] {0, 0x7F, 0x80, 0xFF}) {
                keys.add(new byte[] {(byte) first, (byte) second});
            }
        }
        for (int i = 0; i < keys.size(); i++) {
            table.put(keys.get(i * 7 % keys.size()), value(i, i));
        }
        table.check();
        List<Entry> found = table.scan(KeyRange.all());
        for (int i = 0; i < keys.size(); i++) {
            assertArrayEquals(keys.get(i), found.get(i).key());
        }
        table.engine().flush();
        table.check();
    }

    @Test
    void every_kind_of_bound_at_below_between_and_above_keys() throws IOException {
        EngineHarness table = open();
        for (String key : List.of("b", "d", "da", "f")) {
            table.put(bytes(key), bytes("value of " + key));
        }
        List<String> bounds = List.of("", "a", "b", "c", "d", "d\0", "da", "db", "f", "g");
        for (int round = 0; round < 2; round++) {
            for (String lower : bounds) {
                for (String upper : bounds) {
                    checkBounds(table, bytes(lower), bytes(upper));
                }
                table.answers().checkScan(ReadView.LATEST, table.model(), KeyRange.prefix(bytes(lower)));
            }
            table.engine().flush();
        }
    }

    private static void checkBounds(EngineHarness table, byte[] lower, byte[] upper) throws IOException {
        for (boolean lowerIn : new boolean[] {true, false}) {
            for (boolean upperIn : new boolean[] {true, false}) {
                KeyRange range = KeyRange.all().from(lower, lowerIn).to(upper, upperIn);
                for (KeyRange each : List.of(range, range.reverse(), range.limit(1), range.withoutValues())) {
                    table.answers().checkScan(ReadView.LATEST, table.model(), each);
                }
            }
        }
    }

    @Test
    void prefixes_of_high_bytes_have_no_upper_bound() throws IOException {
        EngineHarness table = open();
        for (int i = 0; i < 4; i++) {
            table.put(new byte[] {(byte) 0xFF, (byte) (0xFC + i)}, value(i, 3));
            table.put(new byte[] {(byte) 0xFE, (byte) i}, value(i, 3));
        }
        for (byte[] prefix :
                List.of(new byte[] {(byte) 0xFF}, new byte[] {(byte) 0xFF, (byte) 0xFF}, new byte[] {(byte) 0xFE})) {
            table.answers().checkScan(ReadView.LATEST, table.model(), KeyRange.prefix(prefix));
            table.answers()
                    .checkScan(
                            ReadView.LATEST,
                            table.model(),
                            KeyRange.prefix(prefix).reverse());
        }
    }
}
