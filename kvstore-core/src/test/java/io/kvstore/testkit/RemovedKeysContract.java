package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.Entry;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.StoreClosedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cursors go past what was removed, and past nothing else. */
public abstract class RemovedKeysContract {

    protected abstract TableEngineProvider provider();

    /** Properties with which a table moves its entries to files early. */
    protected abstract Map<String, Object> small();

    private static final int KEYS = 1_500;

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static int number(byte[] key) {
        return ByteBuffer.wrap(key).getInt();
    }

    private static long passed(EngineHarness table) {
        return table.engine().stats().measures().stream()
                .filter(measure -> measure.name().equals("removed_passed"))
                .mapToLong(measure -> (long) measure.value())
                .sum();
    }

    /** A queue, or a stack: what was taken is not walked over by each that is taken later. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void taking_the_first_or_the_last_does_not_walk_over_all_that_are_gone(boolean reversed) throws IOException {
        try (EngineHarness table = EngineHarness.create(provider(), Map.of())) {
            int count = 6_000;
            for (int i = 0; i < count; i++) {
                table.put(key(i), new byte[10]);
            }
            KeyRange range = reversed ? KeyRange.all().reverse() : KeyRange.all();
            for (int i = 0; i < count; i++) {
                Entry taken = table.scan(range.limit(1)).getFirst();
                assertEquals(reversed ? count - 1 - i : i, number(taken.key()));
                table.remove(taken.key());
                if (i % 10 == 0) {
                    table.put(key(reversed ? -i - 1 : count + i), new byte[10]); // at the other end
                    table.remove(key(reversed ? -i - 1 : count + i));
                }
            }
            assertEquals(List.of(), table.scan(range));
            assertTrue(passed(table) < 20L * count, passed(table) + " removed keys were passed by " + count + " looks");
        }
    }

    /** A stack whose keys are never used again, at either end of a table. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void taking_what_was_put_last_does_not_walk_over_all_that_are_gone(boolean reversed) throws IOException {
        try (EngineHarness table = EngineHarness.create(provider(), Map.of())) {
            KeyRange range = (reversed ? KeyRange.all().reverse() : KeyRange.all()).limit(1);
            int put = 0;
            for (; put < 4_000; put++) {
                table.put(key(reversed ? 1_000_000 + put : 1_000_000 - put), new byte[10]);
            }
            for (int i = 0; i < 2_000; i++) {
                table.remove(table.scan(range).getFirst().key());
            }
            long before = passed(table);
            int takes = 0;
            for (int round = 0; round < 150; round++) {
                for (int i = 0; i < 10; i++, put++) {
                    table.put(key(reversed ? 1_000_000 + put : 1_000_000 - put), new byte[10]);
                }
                for (int i = 0; i < 11; i++, takes++) {
                    table.remove(table.scan(range).getFirst().key());
                }
            }
            long passed = passed(table) - before;
            assertTrue(passed < 20L * takes, passed + " removed keys were passed by " + takes + " looks");
        }
    }

    /** Ranges are removed and written again beside looks of all kinds at now and at snapshots. */
    @Test
    void looks_see_what_a_model_sees() {
        Seeds.each(1, 6, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            try (EngineHarness table = EngineHarness.create(provider(), small())) {
                for (int i = 0; i < KEYS; i++) {
                    table.put(key(i), new byte[random.nextInt(20)]);
                }
                List<EngineHarness.Snap> snapshots = new ArrayList<>();
                for (int step = 0; step < 60; step++) {
                    change(table, random);
                    if (random.nextInt(8) == 0) {
                        snapshots.add(table.openSnapshot());
                    }
                    if (random.nextInt(15) == 0) {
                        table.engine().flush();
                    }
                    look(table, random);
                }
                for (EngineHarness.Snap snapshot : snapshots) {
                    table.check(snapshot);
                    table.close(snapshot);
                }
                table.check();
                assertTrue(passed(table) > 0, "no gaps were met");
            }
        });
    }

    private static void change(EngineHarness table, SplittableRandom random) throws IOException {
        int from = random.nextInt(KEYS);
        int to = Math.min(KEYS, from + random.nextInt(1, 500));
        switch (random.nextInt(4)) {
            case 0 -> {
                for (int i = from; i < to; i++) {
                    table.remove(key(i));
                }
            }
            case 1 -> {
                List<Mutation> removed = new ArrayList<>();
                for (int i = from; i < to; i++) {
                    removed.add(new Mutation.Remove(key(i)));
                }
                table.write(removed);
            }
            case 2 -> table.write(List.of(new Mutation.Put(key(from), new byte[3]), new Mutation.Remove(key(to))));
            default -> {
                table.put(key(from), new byte[5]);
                table.put(key((from + to) / 2), new byte[6]);
            }
        }
    }

    /** Several times: what one look finds out, the next one uses. */
    private static void look(EngineHarness table, SplittableRandom random) throws IOException {
        int from = random.nextInt(KEYS);
        KeyRange some = KeyRange.between(key(from), key(from + random.nextInt(1, KEYS)));
        for (KeyRange range : List.of(KeyRange.all(), KeyRange.all().reverse(), some, some.reverse())) {
            List<Integer> expected = new ArrayList<>();
            for (Entry entry : table.model().scan(range)) {
                expected.add(number(entry.key()));
            }
            for (int i = 0; i < 3; i++) {
                List<Integer> seen = new ArrayList<>();
                table.scan(range).forEach(entry -> seen.add(number(entry.key())));
                assertTrue(expected.equals(seen), () -> expected.size() + " and not " + seen.size() + " in " + range);
            }
        }
    }

    /** A walk over many removed keys ends when the cursor is closed. */
    @Test
    void a_walk_over_removed_keys_ends_when_its_cursor_is_closed() throws IOException {
        try (EngineHarness table = EngineHarness.create(provider(), Map.of())) {
            for (int i = 0; i < 5_000; i++) {
                table.put(key(i), new byte[1]);
                table.remove(key(i));
            }
            for (boolean reversed : new boolean[] {false, true}) {
                KeyRange range = reversed ? KeyRange.all().reverse() : KeyRange.all();
                try (EngineCursor cursor = table.engine().scan(range, ReadView.LATEST)) {
                    cursor.stopWhen(() -> true);
                    assertThrows(StoreClosedException.class, cursor::next);
                }
            }
        }
    }

    /** An operation that had begun before the walks, and is applied after them, is seen. */
    @Test
    void a_put_that_is_under_way_while_cursors_walk_is_seen() throws IOException {
        try (EngineHarness table = EngineHarness.create(provider(), Map.of())) {
            removeMany(table);
            List<Mutation> put = List.of(new Mutation.Put(key(KEYS / 2), new byte[4]));
            table.admit(put);
            for (int i = 0; i < 3; i++) {
                assertEquals(List.of(), table.scan(KeyRange.all()));
                assertEquals(List.of(), table.scan(KeyRange.all().reverse()));
            }
            table.engine().apply(table.append(put), put);
            for (int i = 0; i < 3; i++) {
                assertEquals(1, table.scan(KeyRange.all()).size());
                assertEquals(1, table.scan(KeyRange.all().reverse()).size());
            }
        }
    }

    /** A caller that uses the array of a bound again harms no cursor but its own. */
    @Test
    void bounds_that_change_after_a_walk_hide_nothing_from_others() throws IOException {
        try (EngineHarness table = EngineHarness.create(provider(), Map.of())) {
            removeMany(table);
            table.put(key(KEYS), new byte[1]);
            table.put(key(-1), new byte[1]); // behind all others
            for (boolean reversed : new boolean[] {false, true}) {
                byte[] low = key(0);
                byte[] high = key(KEYS);
                KeyRange range = KeyRange.between(low, high);
                for (int i = 0; i < 3; i++) {
                    assertEquals(List.of(), table.scan(reversed ? range.reverse() : range));
                }
                System.arraycopy(key(-2), 0, high, 0, high.length);
                assertEquals(2, table.scan(KeyRange.all()).size());
                assertEquals(2, table.scan(KeyRange.all().reverse()).size());
            }
        }
    }

    /** The bound at which a walk begins may change before the walk does. */
    @Test
    void bounds_that_change_before_a_walk_hide_nothing_from_others() throws IOException {
        try (EngineHarness table = EngineHarness.create(provider(), Map.of())) {
            removeMany(table);
            table.put(key(5), new byte[1]);
            table.put(key(KEYS + 5), new byte[1]);
            for (int i = 0; i < 3; i++) {
                byte[] low = key(10);
                walkFromChangedBound(table, KeyRange.between(low, key(KEYS)), low, key(0));
                byte[] high = key(KEYS);
                walkFromChangedBound(table, KeyRange.between(key(10), high).reverse(), high, key(KEYS + 10));
            }
            assertEquals(2, table.scan(KeyRange.all()).size());
            assertEquals(2, table.scan(KeyRange.all().reverse()).size());
        }
    }

    private static void walkFromChangedBound(EngineHarness table, KeyRange range, byte[] bound, byte[] later)
            throws IOException {
        try (EngineCursor cursor = table.engine().scan(range, ReadView.LATEST)) {
            System.arraycopy(later, 0, bound, 0, bound.length);
            boolean _ = cursor.next(); // what it gives is the caller's own fault
        }
    }

    private static void removeMany(EngineHarness table) throws IOException {
        for (int i = 0; i < KEYS; i++) {
            table.put(key(i), new byte[1]);
            table.remove(key(i));
        }
    }

    /** Who puts a key is seen by who takes the first one, whatever was taken before. */
    @Test
    void what_is_put_beside_who_takes_is_taken_once() throws InterruptedException {
        int count = 20_000;
        KVStoreOptions options =
                KVStoreOptions.defaults().withStorage(new SimStorage()).withDurability(Durability.BUFFERED);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", provider().name());
            Thread writer = Thread.ofPlatform()
                    .uncaughtExceptionHandler((thread, e) -> failure.set(e))
                    .start(() -> {
                        for (int i = 0; i < count; i++) {
                            table.put(key(i % 10 == 9 ? i - 9 : i + 1_000_000), new byte[8]);
                        }
                    });
            BitSet taken = new BitSet();
            int all = 0;
            while (all < count && failure.get() == null) {
                boolean isOver = !writer.isAlive();
                try (Cursor cursor = table.scan(KeyRange.all().limit(1))) {
                    if (cursor.next()) {
                        taken.set(number(cursor.key()));
                        table.remove(cursor.key());
                        all++;
                    } else {
                        assertFalse(isOver, "only " + all + " of " + count + " were seen");
                    }
                }
            }
            writer.join();
            assertNull(failure.get());
            assertEquals(count, taken.cardinality());
        }
    }
}
