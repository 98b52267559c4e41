package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.Findings;
import io.kvstore.engine.ReadView;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many small memtables and values in the SSTables, so that everything passes through several levels. */
final class LsmCompactionTest {

    private static final Map<String, ?> TINY =
            Map.of("MEM_CACHE_SIZE", 65_536, "SPARSE_INDEX_SIZE", 8, "VALUE_THRESHOLD_BYTES", Integer.MAX_VALUE);

    private final List<EngineHarness> tables = new ArrayList<>();

    private EngineHarness open(Map<String, ?> properties) throws IOException {
        EngineHarness table = EngineHarness.create(new LsmEngineProvider(), properties);
        tables.add(table);
        return table;
    }

    @AfterEach
    void closeAll() throws IOException {
        for (EngineHarness table : tables) {
            table.close();
        }
    }

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key-%06d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static double measure(EngineHarness table, String name) {
        return table.engine().stats().measures().stream()
                .filter(measure -> measure.name().equals(name))
                .mapToDouble(EngineStats.Measure::value)
                .findFirst()
                .orElse(0);
    }

    private static void verify(EngineHarness table) throws IOException {
        Findings findings = new Findings();
        table.engine().verify(findings);
        assertEquals(List.of(), findings.kept());
    }

    /** Gets every key, also those that are not there. */
    private static void checkGets(EngineHarness table, int keys) throws IOException {
        for (int i = 0; i < keys; i++) {
            assertArrayEquals(table.model().get(key(i)), table.engine().get(key(i), ReadView.LATEST));
        }
    }

    @Test
    void random_overwrites_and_removals_through_three_levels() {
        Seeds.each(1, 3, seed -> {
            EngineHarness table = open(TINY);
            SplittableRandom random = new SplittableRandom(seed);
            for (int i = 0; i < 12_000; i++) {
                byte[] key = key(random.nextInt(4_000));
                if (random.nextInt(5) == 0) {
                    table.remove(key);
                } else {
                    table.put(key, new byte[random.nextInt(600)]);
                }
                if (random.nextInt(30) == 0) {
                    table.background().runNext();
                }
            }
            assertTrue(measure(table, "level2_files") > 0, "nothing reached level 2");
            table.check();
            checkGets(table, 4_000);
            verify(table);
            table.background().runAll();
            table.check();
            table.reopen();
            table.check();
            table.engine().optimize((done, total) -> true);
            table.check();
            verify(table);
        });
    }

    /** Snapshots taken at random see their state through flushes, compactions and optimize. */
    @Test
    void snapshots_across_flush_and_compaction() {
        Seeds.each(1, 4, seed -> {
            EngineHarness table = open(TINY);
            SplittableRandom random = new SplittableRandom(seed);
            List<EngineHarness.Snap> open = new ArrayList<>();
            for (int i = 0; i < 4_000; i++) {
                byte[] key = key(random.nextInt(150));
                if (random.nextInt(3) == 0) {
                    table.remove(key);
                } else {
                    table.put(key, new byte[random.nextInt(300)]);
                }
                if (random.nextInt(300) == 0) {
                    open.add(table.openSnapshot());
                }
                if (random.nextInt(400) == 0 && !open.isEmpty()) {
                    table.close(open.remove(random.nextInt(open.size())));
                }
                if (random.nextInt(500) == 0) {
                    table.engine().flush();
                    table.background().runAll();
                    for (EngineHarness.Snap snapshot : open) {
                        table.check(snapshot);
                    }
                }
            }
            table.engine().optimize((done, total) -> true);
            for (EngineHarness.Snap snapshot : open) {
                table.check(snapshot);
                table.close(snapshot);
            }
            table.check();
            verify(table);
        });
    }

    /** A tombstone that goes too early brings back the value two levels below it. */
    @Test
    void removed_keys_stay_removed_while_older_values_lie_deeper() throws IOException {
        EngineHarness table = open(TINY);
        for (int i = 0; i < 500; i++) {
            table.put(key(i), new byte[400]);
        }
        table.engine().optimize((done, total) -> true);
        assertEquals(0, measure(table, "level0_files"));
        for (int i = 0; i < 500; i++) {
            table.remove(key(i));
            if (i % 100 == 99) {
                table.engine().flush();
                table.background().runAll();
                table.check();
                checkGets(table, 500);
            }
        }
        assertEquals(0, table.engine().count(KeyRange.all(), ReadView.LATEST));
        table.engine().optimize((done, total) -> true);
        table.check();
        assertEquals(0, table.engine().stats().diskBytes(), "tombstones of nothing are left");
    }

    /** Such as a view of a sealed table, or one that was opened before the first operation. */
    @Test
    void nothing_is_kept_for_a_view_that_sees_no_operation() throws IOException {
        EngineHarness table = open(TINY);
        EngineHarness.Snap empty = table.openSnapshot();
        assertEquals(0, empty.view().lsn());
        for (int i = 0; i < 500; i++) {
            table.put(key(i), new byte[400]);
        }
        EngineHarness.Snap full = table.openSnapshot();
        for (int i = 0; i < 500; i++) {
            table.remove(key(i));
        }
        table.engine().flush();
        table.background().runAll();
        table.check(full);
        table.close(full);
        table.engine().optimize((done, total) -> true);
        table.check(empty);
        table.check();
        assertEquals(0, table.engine().stats().diskBytes(), "tombstones of nothing are left");
        table.close(empty);
    }

    /** Enough files for a compaction, and too few for one that an optimize makes in passing. */
    @Test
    void what_is_flushed_beside_an_optimize_is_compacted_after_it() throws IOException {
        EngineHarness table = open(TINY);
        for (int i = 0; i < 2_000; i++) {
            table.put(key(i), new byte[300]);
        }
        int[] looks = new int[1];
        table.engine().optimize((done, total) -> {
            if (looks[0]++ == 0) {
                assertDoesNotThrow(() -> flushSome(table));
            }
            return true;
        });
        assertEquals(6, measure(table, "level0_files"));
        table.background().runAll();
        assertEquals(0, measure(table, "level0_files"));
        table.check();
    }

    private static void flushSome(EngineHarness table) throws IOException {
        for (int i = 0; i < 6; i++) {
            table.put(key(i), new byte[i]);
            table.engine().flush();
            table.background().runAll();
        }
    }

    @Test
    void sequential_writes_are_moved_not_rewritten() throws IOException {
        EngineHarness table = open(TINY);
        for (int i = 0; i < 4_000; i++) {
            table.put(key(i), new byte[300]);
        }
        table.engine().flush();
        table.background().runAll();
        assertTrue(measure(table, "compactions") > 3);
        assertEquals(0, measure(table, "compacted_bytes"));
        table.check();
        verify(table);
    }

    /** More files of level 0 than a byte can order wrongly: the newest value of a key is in the newest file. */
    @Test
    void newest_value_wins_over_many_files_and_openings() throws IOException {
        EngineHarness table = open(Map.of("MAX_SSTABLES", 10_000));
        for (int round = 0; round < 14; round++) {
            for (int i = 0; i < 60; i++) {
                table.put(key(i), new byte[] {(byte) round, (byte) i});
            }
            table.remove(key(round));
            table.engine().flush();
            if (round % 3 == 2) {
                table.reopen();
            }
            table.check();
        }
        assertTrue(measure(table, "level0_files") >= 12, "the test needs many files");
        table.reopen();
        table.check();
        table.background().runAll();
        assertEquals(0, measure(table, "level0_files"));
        table.check();
    }

    @Test
    void overwritten_values_across_many_openings() throws IOException {
        EngineHarness table = open(TINY);
        for (int round = 0; round < 25; round++) {
            for (int i = 0; i < 80; i++) {
                table.put(key((i * 7 + round) % 100), new byte[700 + round]);
            }
            if (round % 4 == 1) {
                table.background().runAll();
            }
            if (round % 5 == 4) {
                table.engine().optimize((done, total) -> true);
            }
            table.reopen();
            table.check();
        }
        table.engine().optimize((done, total) -> true);
        assertEquals(100, table.engine().count(KeyRange.all(), ReadView.LATEST));
        assertTrue(table.engine().stats().diskBytes() < 2 * 100 * 730, "overwritten values are still on disk");
        verify(table);
    }

    /** Whole batches larger than a memtable, and values larger than a file of a level. */
    @Test
    void large_batches_and_values() throws IOException {
        EngineHarness table = open(TINY);
        for (int round = 0; round < 6; round++) {
            List<Mutation> batch = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                batch.add(new Mutation.Put(key(i), new byte[round * 1000 + i]));
            }
            batch.add(new Mutation.Put(key(1000), new byte[400_000 + round]));
            batch.add(new Mutation.Remove(key(round)));
            table.write(batch);
            table.background().runAll();
        }
        table.check();
        table.engine().optimize((done, total) -> true);
        table.check();
        verify(table);
        table.reopen();
        table.check();
    }

    @Test
    void statistics_name_levels_and_work() throws IOException {
        EngineHarness table = open(TINY);
        for (int i = 0; i < 1_500; i++) {
            table.put(key(i * 31 % 900), new byte[300]);
        }
        table.background().runAll();
        EngineStats stats = table.engine().stats();
        assertTrue(measure(table, "flushes") > 3);
        assertTrue(measure(table, "flushed_bytes") > 200_000);
        assertTrue(measure(table, "compacted_bytes") > 0);
        assertTrue(measure(table, "memtable_bytes") <= stats.memoryBytes());
        assertTrue(stats.entries() >= 900 && stats.entries() <= 1_500, stats.entries() + " entries");
        assertEquals(stats.memoryBytes(), table.memory().usedBytes());
    }
}
