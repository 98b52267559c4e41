package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.bytes.Checksum;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.io.MemoryStorage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code Table.read}: the reader sees what a get answers, may do anything, and harms nobody. In a store in memory a buffer is
 * direct if it shows the value where it lies.
 */
public abstract class ReadsInPlaceContract {

    private static final int LARGE = 64 << 10;
    private static final int[] LENGTHS = {0, 1, 100, 255, 256, 300, 8_191, 8_192, 8_193, LARGE, 1 << 20};
    private static final int KEYS = 64;
    private static final long MEMORY_BYTES = 16L << 20;
    private static final int REPLACEMENTS = Sweeps.count(5_000, 12_000);

    @TempDir
    private Path temp;

    protected abstract TableEngineProvider provider();

    /** Properties with which values are kept apart, and a table writes files early. */
    protected abstract Properties small();

    /** Whether values are kept apart, so that they can be shown where they lie. */
    protected boolean lends() {
        return true;
    }

    private static KVStoreOptions options() {
        return KVStoreOptions.defaults().withMemoryBytes(MEMORY_BYTES);
    }

    private KVStore inMemory() {
        return KVStore.inMemory(options());
    }

    private Table table(KVStore store) {
        store.createDB("db");
        return store.createTable("db", "t", provider().name(), small());
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(SplittableRandom random, int length) {
        byte[] value = new byte[length];
        random.nextBytes(value);
        return value;
    }

    private static byte[] bytes(@Nullable ByteBuffer shown) {
        byte[] copy = new byte[Objects.requireNonNull(shown, "a value").remaining()];
        shown.duplicate().get(copy);
        return copy;
    }

    private static boolean shows(Table table, byte[] key, Predicate<@Nullable ByteBuffer> what) {
        return table.read(key, what::test);
    }

    private static boolean isInPlace(@Nullable ByteBuffer shown) {
        return shown != null && shown.isDirect();
    }

    /** Reads until a segment is mapped, in the background, and the value is shown where it lies. */
    private void awaitInPlace(Table table, byte[] key) {
        while (lends() && !shows(table, key, ReadsInPlaceContract::isInPlace)) {
            Thread.onSpinWait();
        }
    }

    private static void checkAll(Table table) {
        for (int i = 0; i < LENGTHS.length; i++) {
            byte[] expected = table.get(key(i));
            assertNotNull(expected);
            assertEquals(LENGTHS[i], expected.length);
            boolean isSame = table.read(key(i), shown -> {
                assertNotNull(shown);
                assertTrue(shown.isReadOnly());
                assertFalse(shown.hasArray());
                assertEquals(0, shown.position());
                assertEquals(ByteOrder.BIG_ENDIAN, shown.order());
                assertThrows(
                        ReadOnlyBufferException.class, () -> shown.duplicate().put(new byte[1]));
                return shown.equals(ByteBuffer.wrap(expected));
            });
            assertTrue(isSame, "length " + LENGTHS[i]);
        }
        assertTrue(shows(table, key(9_999), Objects::isNull));
        assertNull(table.read(key(0), shown -> null));
    }

    @Test
    void it_shows_what_a_get_answers() {
        SplittableRandom random = new SplittableRandom(1);
        try (KVStore store = inMemory()) {
            Table table = table(store);
            assertTrue(shows(table, key(0), Objects::isNull));
            for (int i = 0; i < LENGTHS.length; i++) {
                table.put(key(i), value(random, LENGTHS[i]));
            }
            checkAll(table);
            table.flush();
            awaitInPlace(table, key(LENGTHS.length - 1));
            awaitInPlace(table, key(7));
            checkAll(table);
            assertFalse(shows(table, key(6), ReadsInPlaceContract::isInPlace), "8,191 bytes are copied");
            table.optimize((done, total) -> true);
            checkAll(table);
            for (int i = 0; i < LENGTHS.length; i++) {
                table.put(key(i), value(random, LENGTHS[i]));
            }
            checkAll(table);
            table.remove(key(LENGTHS.length - 1));
            assertTrue(shows(table, key(LENGTHS.length - 1), Objects::isNull));
        }
    }

    @Test
    void bad_input_is_refused() {
        try (KVStore store = inMemory()) {
            Table table = table(store);
            assertThrows(InvalidRequestException.class, () -> table.read(new byte[65_536], shown -> 1));
            assertTrue(shows(table, new byte[65_535], Objects::isNull));
            assertThrows(NullPointerException.class, () -> table.read(key(1), absentReader()));
        }
    }

    @SuppressWarnings("NullAway") // callers without such a check pass null
    private static Function<@Nullable ByteBuffer, Integer> absentReader() {
        return null;
    }

    /** What the reader threw is thrown, and everything was left: the table can be dropped, and its memory comes back. */
    @Test
    void a_reader_that_throws() {
        MemoryStorage storage = new MemoryStorage(256L << 20);
        try (KVStore store = new KVStore(Path.of("unused"), options().withStorage(storage))) {
            Table table = filled(store);
            long emptied = storage.usedBytes() / 2;
            for (Throwable thrown :
                    List.of(new IllegalArgumentException("no"), new StackOverflowError(), new Error())) {
                assertSame(
                        thrown,
                        assertThrows(
                                Throwable.class,
                                () -> table.read(key(1), shown -> {
                                    throw ReadsInPlaceContract.<RuntimeException>unchecked(thrown);
                                })));
            }
            store.dropTable("db", "t");
            while (storage.usedBytes() > emptied) {
                Thread.onSpinWait(); // it is given back in the background
            }
        }
        assertEquals(0, storage.openResources());
        storage.close();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // so that any throwable can be thrown
    private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
        throw (E) thrown;
    }

    /** A table whose large values are shown where they lie. */
    private Table filled(KVStore store) {
        Table table = table(store);
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < KEYS; i++) {
            table.put(key(i), value(random, LARGE));
        }
        table.flush();
        awaitInPlace(table, key(1));
        return table;
    }

    @Test
    void a_reader_calls_the_store_again() {
        try (KVStore store = inMemory()) {
            Table table = filled(store);
            byte[] before = Objects.requireNonNull(table.get(key(1)));
            int seen = table.read(key(1), shown -> {
                assertEquals(3, nested(table, 3));
                table.put(key(1), new byte[LARGE]);
                store.write(new WriteBatch().put(table, key(2), new byte[1]).remove(table, key(3)));
                assertEquals(KEYS - 1, table.count(KeyRange.all()));
                try (Cursor cursor = table.scan(KeyRange.all())) {
                    assertTrue(cursor.next());
                }
                table.flush();
                table.optimize((done, total) -> true);
                store.checkpoint();
                assertThrows(InvalidRequestException.class, store::close);
                assertArrayEquals(before, bytes(shown));
                return bytes(shown).length;
            });
            assertEquals(LARGE, seen);
            assertArrayEquals(new byte[LARGE], table.get(key(1)));
        }
    }

    private static int nested(Table table, int depth) {
        return depth == 0 ? 0 : 1 + table.read(key(depth), shown -> nested(table, depth - 1));
    }

    /** Memory that writers wait for is not held by a reader. It would be, if the reader were in the engine's epochs. */
    @Test
    void a_reader_writes_more_than_the_memory_holds() {
        try (KVStore store = inMemory()) {
            Table table = filled(store);
            byte[] before = Objects.requireNonNull(table.get(key(1)));
            byte[] small = new byte[100];
            int many = (int) (2 * MEMORY_BYTES / small.length);
            boolean isSame = table.read(key(1), shown -> {
                for (int i = 0; i < many; i++) {
                    table.put(key(1_000 + i % 50_000), small);
                }
                return Objects.requireNonNull(shown).equals(ByteBuffer.wrap(before));
            });
            assertTrue(isSame);
        }
    }

    @Test
    void closing_waits_for_a_reader() throws Exception {
        KVStore store = inMemory();
        Table table = filled(store);
        byte[] expected = Objects.requireNonNull(table.get(key(1)));
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
            Future<byte[]> reading = pool.submit(() -> table.read(key(1), shown -> {
                inside.countDown();
                awaitQuietly(goesOn);
                while (!refuses(table)) {
                    Thread.onSpinWait(); // until closing has begun
                }
                return bytes(shown);
            }));
            inside.await();
            Future<?> closing = pool.submit(store::close);
            goesOn.countDown();
            assertArrayEquals(expected, reading.get());
            closing.get();
        }
        assertThrows(StoreClosedException.class, () -> table.read(key(1), shown -> 1));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean refuses(Table table) {
        try {
            table.read(key(1), shown -> 1);
            return false;
        } catch (StoreClosedException e) {
            return true;
        }
    }

    @Test
    void a_kept_buffer_shows_nothing_after_a_store_in_memory_was_closed() {
        keepsNothing(inMemory());
    }

    @Test
    void a_kept_buffer_shows_nothing_after_a_store_was_closed() {
        keepsNothing(new KVStore(temp.resolve("store"), options()));
    }

    private void keepsNothing(KVStore store) {
        ByteBuffer[] kept = new ByteBuffer[1];
        try (store) {
            Table table = filled(store);
            byte[] value = table.read(key(1), shown -> {
                kept[0] = Objects.requireNonNull(shown);
                byte[] copy = new byte[shown.remaining()];
                shown.duplicate().get(copy);
                return copy;
            });
            assertEquals(ByteBuffer.wrap(value), kept[0]);
        }
        requireGone(kept[0]);
    }

    private void requireGone(ByteBuffer kept) {
        if (lends()) {
            assertThrows(IllegalStateException.class, () -> kept.get(0));
            assertThrows(IllegalStateException.class, () -> kept.duplicate().get(new byte[LARGE]));
            assertThrows(IllegalStateException.class, () -> Checksum.of(kept));
        }
    }

    /** A value that says whether it is whole: a checksum of the rest, then its key, then noise. */
    private static byte[] sound(int number, SplittableRandom random, int length) {
        byte[] value = value(random, length);
        ByteBuffer.wrap(value).putInt(Integer.BYTES, number);
        ByteBuffer.wrap(value).putInt(0, Checksum.of(value, Integer.BYTES, length - Integer.BYTES));
        return value;
    }

    private static boolean isSound(ByteBuffer shown, int number) {
        ByteBuffer rest = shown.duplicate().position(Integer.BYTES);
        return shown.getInt(0) == Checksum.of(rest) && shown.getInt(Integer.BYTES) == number;
    }

    @Tag("races")
    @Test
    void beside_writers_and_moved_values_in_memory() throws Exception {
        besideWriters(inMemory());
    }

    @Tag("races")
    @Test
    void beside_writers_and_moved_values_in_files() throws Exception {
        besideWriters(new KVStore(temp.resolve("store"), options()));
    }

    /** Values are replaced and moved, so that segments go, while readers look at them, and at what they have kept. */
    private void besideWriters(KVStore store) throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        try (store;
                ExecutorService pool = Executors.newFixedThreadPool(3)) {
            Table table = table(store);
            SplittableRandom first = new SplittableRandom(3);
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i), sound(i, first, 10_000));
            }
            List<Future<Integer>> readers = new ArrayList<>();
            for (int seed = 0; seed < 3; seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                readers.add(pool.submit(() -> readUntil(ends, table, random)));
            }
            try {
                for (int i = 0; i < REPLACEMENTS; i++) {
                    int number = first.nextInt(KEYS);
                    table.put(key(number), sound(number, first, 7_000 + first.nextInt(8_000)));
                    if (i % 1_000 == 999) {
                        table.flush();
                        table.optimize((done, total) -> true);
                    }
                }
            } finally {
                ends.set(true);
            }
            for (Future<Integer> reader : readers) {
                assertTrue(reader.get() > 0 || !lends(), "values were shown where they lie");
            }
        }
    }

    private static int readUntil(AtomicBoolean ends, Table table, SplittableRandom random) {
        Deque<ByteBuffer> kept = new ArrayDeque<>();
        int inPlace = 0;
        while (!ends.get()) {
            int number = random.nextInt(KEYS);
            inPlace += table.read(key(number), shown -> {
                assertNotNull(shown);
                assertTrue(isSound(shown, number));
                kept.add(shown);
                return shown.isDirect() ? 1 : 0;
            });
            if (kept.size() > 200) {
                lookAtKept(kept.removeFirst());
            }
        }
        return inPlace;
    }

    private static void lookAtKept(ByteBuffer kept) {
        try {
            assertTrue(isSound(kept, kept.getInt(Integer.BYTES)), "a kept buffer shows other bytes");
        } catch (IllegalStateException e) {
            assertTrue(kept.isDirect(), "only what was shown in place goes");
        }
    }
}
