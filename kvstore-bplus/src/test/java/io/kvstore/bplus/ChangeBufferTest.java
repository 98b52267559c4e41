package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bplus.file.PageStore;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.Findings;
import io.kvstore.engine.ReadView;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.Storage;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What was put and is not in the tree yet is seen by everybody as if it were. */
final class ChangeBufferTest {

    private static final Map<String, ?> SMALL =
            Map.of("BTREE_ORDER", 8, "BTREE_PAGE_BUFFER_SIZE_BYTES", 64 << 10, "VALUE_THRESHOLD_BYTES", 100);

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(int number, int bytes) {
        return ByteBuffer.allocate(Math.max(bytes, Integer.BYTES))
                .putInt(number)
                .array();
    }

    /** Writers add to layers; snapshots and cursors are opened between any two of them. */
    @Test
    void snapshots_between_any_two_puts_show_what_they_should() throws IOException {
        try (EngineHarness table = EngineHarness.create(new BPlusEngineProvider(), SMALL)) {
            SplittableRandom random = new SplittableRandom(5);
            List<EngineHarness.Snap> open = new ArrayList<>();
            for (int i = 0; i < 4_000; i++) {
                int number = random.nextInt(300);
                if (random.nextInt(4) == 0) {
                    table.remove(key(number));
                } else {
                    table.put(key(number), value(i, random.nextInt(200)));
                }
                if (random.nextInt(40) == 0) {
                    open.add(table.openSnapshot());
                }
                if (open.size() > 5) {
                    EngineHarness.Snap one = open.remove(random.nextInt(open.size()));
                    table.check(one);
                    table.close(one);
                }
                if (random.nextInt(200) == 0) {
                    table.background().runAll();
                }
                if (random.nextInt(500) == 0) {
                    table.engine().checkpoint();
                }
            }
            for (EngineHarness.Snap one : open) {
                table.check(one);
                table.close(one);
            }
            table.check();
            assertWhole(table);
        }
    }

    /** An operation of far more changes than a layer should have is in several layers. */
    @Test
    void large_operation_is_seen_as_a_whole() throws IOException {
        try (EngineHarness table = EngineHarness.create(new BPlusEngineProvider(), SMALL)) {
            table.put(key(1), value(0, 10));
            EngineHarness.Snap before = table.openSnapshot();
            List<Mutation> many = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) {
                many.add(new Mutation.Put(key(i), value(i, i % 150)));
            }
            table.write(many);
            table.check(before);
            table.check();
            EngineHarness.Snap after = table.openSnapshot();
            table.write(many.subList(0, 3_000).reversed());
            table.put(key(2), value(7, 10));
            table.check(after);
            table.close(after);
            table.check(before);
            table.close(before);
            table.check();
        }
    }

    private interface Work {
        void of(EngineHarness table) throws IOException;
    }

    /** Of a large operation that is applied while a checkpoint merges, the state has all or nothing. */
    @Test
    void large_operation_beside_a_checkpoint() throws IOException {
        beside(large(), ChangeBufferTest::checkpoint);
    }

    /** Values that are put while a checkpoint merges are not counted by it: after a crash the log has them. */
    @Test
    void values_of_puts_beside_a_checkpoint() throws IOException {
        List<Mutation> two = List.of(new Mutation.Put(key(6), value(7, 500)), new Mutation.Put(key(7), value(8, 500)));
        beside(two, ChangeBufferTest::checkpoint);
    }

    /** What is put after a scan began to look belongs to another; and no scan has anything merged. */
    @Test
    void scan_sees_what_was_put_before_it_and_waits_for_no_merge() throws IOException {
        beside(large(), table -> {
            assertEquals(3_001, table.scan(KeyRange.all()).size());
            assertEquals(2_001, Measures.of(table.engine().stats(), "waiting_changes"));
        });
    }

    private static void checkpoint(EngineHarness table) throws IOException {
        table.engine().checkpoint();
        assertTrue(table.engine().durableLsn() < table.lastLsn(), "the checkpoint has what came later");
    }

    private static List<Mutation> large() {
        List<Mutation> many = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            many.add(new Mutation.Put(key(3 * i), value(i, 90)));
        }
        return many;
    }

    /** Changes of a table are written at the first page that is read for some work on it. */
    private static void beside(List<Mutation> written, Work work) throws IOException {
        Deque<Runnable> atReads = new ArrayDeque<>();
        Storage storage = HookedStorage.over(new SimStorage(), (name, path, proceed) -> {
            if (path.endsWith(PageStore.NAME) && name.startsWith("read") && !atReads.isEmpty()) {
                atReads.remove().run();
            }
            return proceed.call();
        });
        try (EngineHarness table = EngineHarness.create(new BPlusEngineProvider(), SMALL, storage)) {
            for (int i = 0; i < 3_000; i++) {
                table.put(key(2 * i), value(i, 60));
            }
            table.engine().flush();
            table.put(key(9), value(1, 300));
            atReads.add(() -> assertDoesNotThrow(() -> table.write(written)));
            work.of(table);
            assertEquals(0, atReads.size(), "no page was read");
            table.check();
            table.reopen();
            table.check();
            assertWhole(table);
        }
    }

    private static void assertWhole(EngineHarness table) throws IOException {
        Findings findings = new Findings();
        table.engine().verify(findings);
        assertEquals(0, findings.total(), findings::toString);
    }

    /** What was put after a checkpoint looked and before it wrote belongs to the next one. */
    @Test
    void reopening_finds_what_was_put_after_a_checkpoint_in_the_log() throws IOException {
        try (EngineHarness table = EngineHarness.create(new BPlusEngineProvider(), SMALL)) {
            for (int i = 0; i < 3_000; i++) {
                table.put(key(i % 700), value(i, 120));
                if (i % 450 == 449) {
                    table.engine().checkpoint();
                    table.put(key(i), value(i, 120));
                    table.reopen();
                    table.check();
                }
            }
            assertWhole(table);
        }
    }

    /** An acknowledged put that a damaged page keeps out of the tree: no wrong answer, and nothing is lost. */
    @Test
    void acknowledged_put_whose_page_is_damaged_stays_in_the_log() throws IOException {
        SimStorage disk = new SimStorage();
        EngineHarness table = EngineHarness.create(new BPlusEngineProvider(), SMALL, new FaultyStorage(disk));
        for (int i = 0; i < 3_000; i++) {
            table.put(key(2 * i), value(i, 60));
        }
        table.engine().flush();
        table.close();
        String pages = EngineHarness.DIRECTORY + "/" + PageStore.NAME;
        byte[] whole = disk.bytes(pages);
        table.reopen();
        disk.replace(pages, withDamagedLeaf(whole, value(1_500, 60)));
        table.put(key(3_001), value(1, 60));
        table.put(key(9), value(2, 60));
        table.put(key(5_999), value(3, 60));
        assertArrayEquals(value(1, 60), table.engine().get(key(3_001), ReadView.LATEST));
        assertThrows(CorruptionException.class, () -> table.engine().checkpoint());
        assertThrows(CorruptionException.class, () -> table.engine().scan(KeyRange.all(), ReadView.LATEST));
        assertThrows(CorruptionException.class, () -> table.engine().get(key(3_001), ReadView.LATEST));
        assertThrows(CorruptionException.class, () -> table.engine().get(key(3_000), ReadView.LATEST));
        assertThrows(CorruptionException.class, () -> table.put(key(3_001), value(4, 60)));
        assertThrows(CorruptionException.class, () -> table.engine().checkpoint());
        assertArrayEquals(value(2, 60), table.engine().get(key(9), ReadView.LATEST));
        assertArrayEquals(value(3, 60), table.engine().get(key(5_999), ReadView.LATEST));
        assertEquals(6, table.scan(KeyRange.between(key(0), key(10))).size());
        table.put(key(11), value(5, 60));
        assertArrayEquals(value(5, 60), table.engine().get(key(11), ReadView.LATEST));
        disk.replace(pages, whole);
        assertThrows(CorruptionException.class, () -> table.engine().get(key(3_001), ReadView.LATEST));
        table.reopen();
        table.check();
        table.close();
    }

    /** Writers that were all admitted while there was room, and then come one after the other, wait for the disk. */
    @Test
    void writers_that_were_admitted_together_do_not_pile_up_values() throws IOException {
        // with a page buffer whose slack of space is no bound here
        Map<String, ?> ample = Map.of("BTREE_PAGE_BUFFER_SIZE_BYTES", 64 << 20, "VALUE_THRESHOLD_BYTES", 100);
        try (EngineHarness table = EngineHarness.create(new BPlusEngineProvider(), ample)) {
            List<Mutation> large = List.of(new Mutation.Put(key(1), value(1, 6 << 20)));
            int admitted = 1;
            table.put(key(1), value(1, 6 << 20));
            table.put(key(2), value(1, 60)); // looks at the disk, because much waits
            long lsn = 2;
            while (admitted < 20 && table.engine().reserve(large) == null) {
                table.engine().apply(++lsn, large);
                admitted++;
            }
            assertTrue(admitted > 1 && admitted < 6, admitted + " values of 6 MiB wait for the disk");
            assertTrue(Measures.of(table.engine().stats(), "value_waiting_bytes") < 24 << 20);
        }
    }

    /** Flips a byte of a value that is in a leaf. */
    private static byte[] withDamagedLeaf(byte[] pages, byte[] value) {
        byte[] damaged = pages.clone();
        int found = 0;
        for (int i = 0; i + value.length <= damaged.length; i++) {
            if (Arrays.equals(pages, i, i + value.length, value, 0, value.length)) {
                damaged[i] ^= 1;
                found++;
            }
        }
        assertTrue(found > 0, "the value is nowhere");
        return damaged;
    }
}
