package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.io.Storage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LogBytes;
import io.kvstore.testkit.SimStorage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The log keeps its bound at every moment, whoever does not make a checkpoint. */
final class LogBoundTest {

    private static final long SEGMENT_BYTES = 64 << 10;
    private static final long CHECKPOINT_BYTES = 256 << 10;
    private static final int ROUNDS = 1_500;
    private static final Logger LOGGER = Logger.getLogger("io.kvstore.durability.LogRelease");

    private final SimStorage disk = new SimStorage();
    private final LogBytes log = new LogBytes(disk);

    private static KVStoreOptions options(Storage storage, Durability durability) {
        return KVStoreOptions.defaults()
                .withStorage(storage)
                .withDurability(durability)
                .withWalSegmentBytes(SEGMENT_BYTES)
                .withCheckpointLogBytes(CHECKPOINT_BYTES)
                .withCheckpointIntervalMillis(3_600_000)
                .withMemoryBytes(64 << 20);
    }

    private static KVStore open(Storage storage, Durability durability) {
        return new KVStore(Path.of("unused"), options(storage, durability));
    }

    private static byte[] key(int i) {
        return ("k" + i % 500).getBytes(StandardCharsets.US_ASCII);
    }

    private void assertBounded() {
        long limit = CHECKPOINT_BYTES + CHECKPOINT_BYTES / 2 + 2 * SEGMENT_BYTES;
        assertTrue(log.most() <= limit, "the log had " + log.most() + " bytes, more than " + limit);
        assertTrue(
                log.most() > CHECKPOINT_BYTES / 2, "the log had " + log.most() + " bytes only, so this tests nothing");
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void while_all_tables_make_theirs(Durability durability) {
        try (KVStore store = open(disk, durability)) {
            store.createDB("d");
            Table first = store.createTable("d", "a", "MODEL");
            Table second = store.createTable("d", "b", "MODEL");
            log.sample();
            for (int i = 0; i < ROUNDS; i++) {
                (i % 10 == 0 ? second : first).put(key(i), new byte[100 + i % 1_700], Durability.BUFFERED);
            }
        }
        assertBounded();
    }

    /** The option takes any number of bytes: with so many, no table ever has too much in the log. */
    @ParameterizedTest
    @ValueSource(longs = {1L << 61, (1L << 62) - 1, Long.MAX_VALUE})
    void a_limit_that_is_never_reached_refuses_no_write(long checkpointBytes) {
        KVStoreOptions options = options(disk, Durability.SYNC).withCheckpointLogBytes(checkpointBytes);
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("d");
            Table table = store.createTable("d", "a", "MODEL");
            table.put(key(0), new byte[1]);
            store.checkpoint();
            table.put(key(1), new byte[1]);
            assertEquals(2, table.count(KeyRange.all()));
        }
    }

    /** One table's checkpoint hangs in its storage: the others are written on, and what it has in the log is kept beside it. */
    @ParameterizedTest
    @EnumSource(Durability.class)
    void while_a_table_hangs_in_its_checkpoint(Durability durability) {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        boolean[] hangs = {false};
        Storage storage = HookedStorage.over(disk, (name, path, rest) -> {
            if (hangs[0] && name.equals("create") && path.startsWith("tables/0000000001")) {
                begun.countDown();
                assertTrue(release.await(1, TimeUnit.MINUTES));
            }
            return rest.call();
        });
        Told told = new Told();
        LOGGER.setLevel(Level.WARNING);
        LOGGER.addHandler(told);
        try (KVStore store = open(storage, durability)) {
            store.createDB("d");
            Table stuck = store.createTable("d", "stuck", "MODEL");
            Table other = store.createTable("d", "other", "MODEL");
            log.sample();
            hangs[0] = true;
            for (int i = 0; i < 20; i++) {
                stuck.put(key(i), new byte[] {(byte) i}, Durability.BUFFERED);
            }
            for (int i = 0; i < ROUNDS; i++) {
                other.put(key(i), new byte[1_000], Durability.BUFFERED);
            }
            assertEquals(0, begun.getCount(), "no checkpoint was begun");
            assertTrue(store.stats().keptBytes() > 0, "nothing was kept beside the log");
            assertEquals(1, told.texts.size(), () -> "it is told once, not " + told.texts);
            assertTrue(told.texts.getFirst().contains("makes no checkpoint"), told.texts.getFirst());
            assertNull(store.failure());
            assertKept(durability);
            release.countDown();
            store.checkpoint();
            assertEquals(0, store.stats().keptBytes());
        } finally {
            release.countDown();
            LOGGER.removeHandler(told);
            LOGGER.setLevel(null);
        }
        assertBounded();
        try (KVStore store = open(disk, durability)) {
            assertStuckIsWhole(store);
        }
    }

    /** What a logger was given of the table. */
    private static final class Told extends Handler {

        private final List<String> texts = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord record) {
            if (record.getMessage().startsWith("d/stuck")) {
                texts.add(record.getMessage());
            }
        }

        @Override
        public void flush() {
            // keeps nothing back
        }

        @Override
        public void close() {
            // has nothing
        }
    }

    private void assertKept(Durability durability) {
        try (KVStore after = open(disk.kill(), durability)) {
            assertStuckIsWhole(after);
            assertEquals(500, after.table("d", "other").count(KeyRange.all()));
        }
    }

    private static void assertStuckIsWhole(KVStore store) {
        for (int i = 0; i < 20; i++) {
            assertArrayEquals(new byte[] {(byte) i}, store.get("d", "stuck", key(i)));
        }
    }
}
