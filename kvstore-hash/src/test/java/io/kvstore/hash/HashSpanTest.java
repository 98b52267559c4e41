package io.kvstore.hash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.error.OverloadedException;
import io.kvstore.testkit.SimStorage;
import io.kvstore.value.segment.ValueSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Numbers of segments that pass 2^18, of which a place has the low bits only. */
final class HashSpanTest {

    private static final int SPAN = 1 << 18;
    private static final int KEYS = 1_000;
    private static final int ROUNDS = 100;
    private static final int VALUE_BYTES = 300;

    private final SimStorage disk = new SimStorage();

    private KVStore open() {
        return new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(disk));
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(int number) {
        return ByteBuffer.allocate(VALUE_BYTES).putInt(0, number).array();
    }

    private List<Long> numbers() {
        return disk.files().stream()
                .filter(name -> name.endsWith(".val"))
                .map(name -> ValueSegment.NAME.numberIn(name.substring(name.lastIndexOf('/') + 1)))
                .toList();
    }

    /** The next segment of a table gets a number behind that of a file which a crash left. */
    private void leaveFile(long number) throws IOException {
        String some = disk.files().stream()
                .filter(name -> name.endsWith(".val"))
                .findFirst()
                .orElseThrow();
        String directory = some.substring(0, some.lastIndexOf('/') + 1);
        disk.create(directory + ValueSegment.fileName(number)).close();
    }

    private static void check(Table table, int added) {
        assertEquals(KEYS, table.count(KeyRange.all()));
        for (int i = 0; i < KEYS; i++) {
            assertArrayEquals(value(i + added), table.get(key(i)));
        }
    }

    /** Old segments are emptied first, and the places behind 2^18 are none of theirs. */
    @Test
    void numbers_of_segments_pass_the_span_of_places() throws IOException {
        try (KVStore store = open()) {
            store.createDB("db");
            Properties unlogged = new Properties();
            unlogged.put("ENABLE_WAL", false);
            Table table = store.createTable("db", "t", CrowdedEngineProvider.NAME, unlogged);
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i), value(i));
            }
            table.flush();
        }
        leaveFile(SPAN - 500);
        try (KVStore store = open()) {
            Table table = store.table("db", "t");
            check(table, 0);
            OverloadedException refused =
                    assertThrows(OverloadedException.class, () -> table.put(key(KEYS), value(KEYS)));
            assertTrue(String.valueOf(refused.getMessage()).contains("than old ones can be emptied"));
            table.optimize((done, total) -> true);
            check(table, 0);
            for (int round = 1; round <= ROUNDS; round++) {
                for (int i = 0; i < KEYS; i++) {
                    table.put(key(i), value(i + round));
                }
                if (round % 5 == 0) {
                    check(table, round);
                }
            }
            assertEquals(0, store.verify().total());
            table.optimize((done, total) -> true);
            assertTrue(numbers().stream().allMatch(number -> number > SPAN), () -> numbers() + " are left");
            check(table, ROUNDS);
        }
        try (KVStore store = open()) {
            Table table = store.table("db", "t");
            check(table, ROUNDS);
            assertEquals(0, store.verify().total());
        }
    }
}
