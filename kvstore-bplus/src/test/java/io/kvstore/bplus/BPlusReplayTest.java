package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.file.PageStore;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineStats;
import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A log is replayed in the order of keys, part by part; what comes out is what the operations made, one after the other. */
final class BPlusReplayTest {

    private static final int KEYS = 3_000;
    private static final int LOG_SEGMENT_BYTES = 64 << 10;
    private static final int SUPERBLOCK_SLOTS = 3;

    /** Pages that are not of the tree have an id of so much or more. */
    private static final long LEAST_OTHER_ID = 1L << 41;

    private final StepClock clock = new StepClock();
    private SimStorage disk = new SimStorage();
    private KVStore store = open();
    private final TreeMap<byte[], byte[]> model = new TreeMap<>(KeyOrder.COMPARATOR);

    /** Parts of the log are as large as a segment of it. */
    private KVStore open() {
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(disk)
                        .withClock(clock)
                        .withWalSegmentBytes(LOG_SEGMENT_BYTES)
                        .withBackground(new StepBackground(clock)));
    }

    private Table create(int order, long bufferBytes) {
        store.createDB("db");
        Properties properties = new Properties();
        properties.put(BPlusConfParamsEnum.BTREE_ORDER, order);
        properties.put(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES, bufferBytes);
        return store.createTable("db", "t", "BPLUS", properties);
    }

    private Table killAndOpen() {
        SimStorage left = disk.kill();
        store.close();
        disk = left;
        store = open();
        return store.table("db", "t");
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(10).putShort((short) 5).putLong(number).array();
    }

    private static byte[] value(SplittableRandom random) {
        byte[] value = new byte[random.nextInt(10) == 0 ? 3_000 : random.nextInt(400)];
        random.nextBytes(value);
        return value;
    }

    private void change(Table table, SplittableRandom random) {
        WriteBatch batch = new WriteBatch();
        for (int i = random.nextInt(4); i >= 0; i--) {
            byte[] key = key(random.nextInt(KEYS));
            if (random.nextInt(4) == 0) {
                batch.remove(table, key);
                model.remove(key);
            } else {
                byte[] value = value(random);
                batch.put(table, key, value);
                model.put(key, value);
            }
        }
        store.write(batch);
    }

    private void assertSame(Table table) {
        assertEquals(0, table.verify().total());
        try (Cursor cursor = table.scan(KeyRange.all())) {
            for (Map.Entry<byte[], byte[]> entry : model.entrySet()) {
                assertTrue(cursor.next(), "an entry is missing");
                assertArrayEquals(entry.getKey(), cursor.key());
                assertArrayEquals(entry.getValue(), cursor.value());
            }
            assertFalse(cursor.next());
        }
        EngineStats stats = Objects.requireNonNull(table.stats().engine());
        assertEquals(model.size(), stats.entries());
    }

    /** Pages of three entries are many, so each write reads some; fewer writes make as many parts of a log there. */
    @ParameterizedTest
    @CsvSource({"3, 65536, 500", "7, 262144, 1500", "400, 65536, 1500", "400, 1048576, 1500"})
    void what_was_killed_comes_back_again_and_again(int order, long bufferBytes, int writes) {
        SplittableRandom random = new SplittableRandom(order + bufferBytes);
        Table table = create(order, bufferBytes);
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < writes; i++) {
                change(table, random);
                if (random.nextInt(2 * writes / 3) == 0) {
                    store.checkpoint();
                }
            }
            table = killAndOpen();
            assertSame(table);
            if (round == 2) {
                table.flush(); // the state has the lsn of the last operation, or else the next opening would go wrong
            }
        }
    }

    @Test
    void an_operation_that_is_too_large_to_be_held_is_there_as_a_whole() {
        SplittableRandom random = new SplittableRandom(3);
        Table table = create(400, 64 << 10);
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < 60_000; i++) {
            byte[] key = key(random.nextInt());
            byte[] value = new byte[random.nextInt(60)];
            batch.put(table, key, value);
            model.put(key, value);
        }
        store.write(batch);
        change(table, random);
        table = killAndOpen();
        assertSame(table);
        table = killAndOpen();
        assertSame(table);
    }

    @Test
    void a_table_that_was_emptied_is_empty() {
        SplittableRandom random = new SplittableRandom(4);
        Table table = create(7, 64 << 10);
        for (int i = 0; i < 1_000; i++) {
            change(table, random);
        }
        store.checkpoint();
        for (byte[] key : model.keySet()) {
            table.remove(key);
        }
        model.clear();
        table = killAndOpen();
        assertSame(table);
        change(table, random);
        assertSame(table);
    }

    @Test
    void of_the_changes_of_one_key_only_the_last_leaves_a_value() {
        Table table = create(400, 1 << 20);
        byte[] key = key(1);
        for (int i = 0; i < 200; i++) {
            byte[] value = new byte[2_000];
            value[0] = (byte) i;
            table.put(key, value);
            model.put(key, value);
        }
        table = killAndOpen();
        assertSame(table);
        table.put(key, new byte[5]);
        model.put(key, new byte[5]);
        assertSame(table);
    }

    @Test
    void a_table_whose_pages_are_damaged_fails_alone_and_comes_back_with_its_pages() throws IOException {
        SplittableRandom random = new SplittableRandom(6);
        Table table = create(400, 64 << 10);
        Table other = store.createTable("db", "other", "BPLUS", new Properties());
        for (int i = 0; i < 1_000; i++) {
            change(table, random);
        }
        store.checkpoint();
        for (int i = 0; i < 1_000; i++) {
            change(table, random);
            other.put(key(i), key(i));
        }
        SimStorage left = disk.kill();
        store.close();
        disk = left;
        byte[] right = damagePages();
        store = open();
        Table damaged = store.table("db", "t");
        assertThrows(CorruptionException.class, () -> damaged.get(key(1)));
        assertThrows(CorruptionException.class, () -> damaged.put(key(1), key(1)));
        for (int i = 0; i < 1_000; i++) {
            assertArrayEquals(key(i), store.table("db", "other").get(key(i)));
        }
        store.table("db", "other").put(key(-1), key(-1));
        store.checkpoint(); // the log keeps what the damaged table has not got
        store.close();
        disk.replace(pathOfPages(), right);
        store = open();
        assertSame(store.table("db", "t"));
        assertArrayEquals(key(-1), store.table("db", "other").get(key(-1)));
    }

    /** The larger of the two tables' files. */
    private String pathOfPages() {
        return disk.files().stream()
                .filter(file -> file.endsWith(PageStore.NAME))
                .max(Comparator.comparingLong(this::sizeOf))
                .orElseThrow();
    }

    private long sizeOf(String path) {
        try {
            return disk.bytes(path).length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Changes a byte of every page of the tree, but none of the superblocks and the page map; returns the file as it was. */
    private byte[] damagePages() throws IOException {
        byte[] right = disk.bytes(pathOfPages());
        ByteBuffer wrong = ByteBuffer.wrap(right.clone()).order(ByteOrder.LITTLE_ENDIAN);
        int changed = 0;
        for (int at = SUPERBLOCK_SLOTS * PageFile.UNIT_BYTES; at < right.length; at += PageFile.UNIT_BYTES) {
            if (wrong.getLong(at + Long.BYTES) < LEAST_OTHER_ID) {
                wrong.put(at + PageFile.UNIT_BYTES / 2, (byte) (wrong.get(at + PageFile.UNIT_BYTES / 2) ^ 1));
                changed++;
            }
        }
        assertTrue(changed > 3, "only " + changed + " pages are in the file");
        disk.replace(pathOfPages(), wrong.array());
        return right;
    }
}
