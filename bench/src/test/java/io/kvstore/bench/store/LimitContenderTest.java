package io.kvstore.bench.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the loop without a store gives back is what it was given, wherever it is by then. */
final class LimitContenderTest {

    private static final Shape SHAPE = Shape.WIDE;
    private static final int ENTRIES = 1_000;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void entries_are_found_in_memory_and_in_the_file() throws IOException {
        StoreSetup setup = new StoreSetup(directory, Logging.OFF, 1 << 20, false, SHAPE, 1);
        byte[] key = new byte[SHAPE.keyBytes()];
        byte[] value = new byte[SHAPE.valueBytes()];
        try (LimitContender limit = new LimitContender(setup, 2);
                Session session = limit.session()) {
            for (int round = 0; round < 2; round++) {
                for (int number = 0; number < ENTRIES; number++) {
                    SHAPE.fillKey(number, key);
                    SHAPE.fillValue(number + round, value);
                    session.put(key, value);
                }
                if (round == 0) {
                    check(session, 0);
                }
                limit.flush();
                check(session, round);
            }
            SHAPE.fillKey(ENTRIES, key);
            assertNull(session.get(key));
        }
    }

    private static void check(Session session, int round) throws IOException {
        byte[] key = new byte[SHAPE.keyBytes()];
        byte[] value = new byte[SHAPE.valueBytes()];
        for (int number = 0; number < ENTRIES; number++) {
            SHAPE.fillKey(number, key);
            SHAPE.fillValue(number + round, value);
            assertArrayEquals(value, session.get(key));
        }
    }
}
