package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.Findings;
import io.kvstore.engine.ReadView;
import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.Seeds;
import io.kvstore.testkit.SimStorage;
import io.kvstore.value.policy.ValueGarbage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Values in segments of their own: where they go, how their space comes back, and what damage does. */
final class LsmValueTest {

    private static final String DIRECTORY = EngineHarness.DIRECTORY + "/";
    private static final int MEM_TABLE_BYTES = 65_536;
    private static final Map<String, ?> APART =
            Map.of("MEM_CACHE_SIZE", MEM_TABLE_BYTES, "SPARSE_INDEX_SIZE", 8, "VALUE_THRESHOLD_BYTES", 100);

    private final SimStorage disk = new SimStorage();
    private final List<EngineHarness> tables = new ArrayList<>();

    private EngineHarness open(Map<String, ?> properties) throws IOException {
        EngineHarness table = EngineHarness.create(new LsmEngineProvider(), properties, disk);
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

    private static byte[] value(SplittableRandom random, int length) {
        byte[] value = new byte[length];
        random.nextBytes(value);
        return value;
    }

    private static double measure(EngineHarness table, String name) {
        return Measures.of(table.engine().stats(), name);
    }

    private static List<Findings.Finding> findings(EngineHarness table) throws IOException {
        Findings findings = new Findings();
        table.engine().verify(findings);
        return findings.kept();
    }

    private static List<String> segments(SimStorage storage) throws IOException {
        return storage.list(EngineHarness.DIRECTORY).stream()
                .filter(name -> name.endsWith(".val"))
                .toList();
    }

    /** Every key by itself, through the filters. */
    private static void checkGets(EngineHarness table, int keys) throws IOException {
        for (int i = 0; i < keys; i++) {
            assertArrayEquals(table.model().get(key(i)), table.engine().get(key(i), ReadView.LATEST));
        }
    }

    @Test
    void values_from_the_threshold_on_go_apart() throws IOException {
        EngineHarness table = open(APART);
        table.put(key(1), new byte[99]);
        table.engine().flush();
        assertEquals(List.of(), segments(disk));
        table.put(key(2), new byte[100]);
        table.engine().flush();
        assertEquals(1, segments(disk).size());
        table.put(key(3), new byte[101]);
        table.engine().flush();
        assertEquals(2, measure(table, "value_segments"));
        table.check();
        table.reopen();
        table.check();
        checkGets(table, 5);
    }

    @Test
    void threshold_of_zero_keeps_even_empty_values_apart() throws IOException {
        EngineHarness table = open(Map.of("VALUE_THRESHOLD_BYTES", 0));
        table.put(key(1), new byte[0]);
        table.put(new byte[0], new byte[1]);
        table.put(key(2), new byte[2_000_000]);
        table.remove(key(3));
        table.engine().flush();
        assertEquals(1, segments(disk).size());
        table.check();
        table.reopen();
        table.check();
        checkGets(table, 5);
        assertEquals(List.of(), findings(table));
    }

    @Test
    void random_work_with_snapshots_and_openings() {
        Seeds.each(1, 4, seed -> {
            EngineHarness table = EngineHarness.create(new LsmEngineProvider(), APART);
            SplittableRandom random = new SplittableRandom(seed);
            List<EngineHarness.Snap> open = new ArrayList<>();
            for (int i = 0; i < 6_000; i++) {
                byte[] key = key(random.nextInt(700));
                if (random.nextInt(4) == 0) {
                    table.remove(key);
                } else {
                    table.put(key, value(random, random.nextInt(400)));
                }
                if (random.nextInt(40) == 0) {
                    table.background().runNext();
                }
                if (random.nextInt(600) == 0) {
                    open.add(table.openSnapshot());
                }
                if (random.nextInt(1_000) == 0) {
                    table.background().runAll();
                    for (EngineHarness.Snap snapshot : open) {
                        table.check(snapshot);
                        table.close(snapshot);
                    }
                    open.clear();
                    table.check();
                    assertEquals(List.of(), findings(table));
                    table.reopen();
                }
            }
            for (EngineHarness.Snap snapshot : open) {
                table.check(snapshot);
                table.close(snapshot);
            }
            checkGets(table, 700);
            table.engine().optimize((done, total) -> true);
            table.check();
            assertEquals(List.of(), findings(table));
            table.close();
        });
    }

    /** A compaction moves keys; it writes a value anew only to empty a segment. */
    @Test
    void compactions_leave_values_where_they_are() throws IOException {
        EngineHarness table = open(APART);
        for (int i = 0; i < 12_000; i++) {
            table.put(key(i * 7_919 % 12_000), new byte[500]);
        }
        table.engine().flush();
        table.background().runAll();
        assertTrue(measure(table, "compactions") > 2, "the test needs compactions");
        double written = measure(table, "compacted_bytes");
        assertTrue(written < 12_000 * 500 / 4.0, written + " bytes were written by compactions");
        table.check();
    }

    @Test
    void space_comes_back_after_overwrites_and_removals() throws IOException {
        EngineHarness table = open(APART);
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 2_000; i++) {
                table.put(key(random.nextInt(2_000)), value(random, 400));
                if (i % 20 == 0) {
                    table.background().runNext();
                }
            }
        }
        table.engine().flush();
        table.background().runAll();
        checkDeadBytes(table);
        for (int i = 0; i < 2_000; i++) {
            if (i % 10 != 0) {
                table.remove(key(i));
            }
        }
        table.engine().optimize((done, total) -> true);
        checkDeadBytes(table);
        checkDiskBytes(table, 200 * 420.0);
        table.check();
        assertEquals(List.of(), findings(table));
    }

    /** What is dead shows when level 0 meets what it overwrites, and that may be long until level 0 is large enough. */
    @Test
    void overwritten_values_go_when_writes_have_ended() throws IOException {
        EngineHarness table = open(APART);
        SplittableRandom random = new SplittableRandom(5);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 300; i++) {
                table.put(key(i), value(random, 500));
            }
            table.engine().flush();
        }
        table.background().runAll();
        checkDeadBytes(table);
        checkDiskBytes(table, 300 * 540.0);
        table.check();
    }

    /** Where nothing is overwritten, the files of level 0 stay until there are as many as usual. */
    @Test
    void files_of_level_0_stay_where_little_can_be_dead() throws IOException {
        EngineHarness table = open(APART);
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 2_000; i++) {
            table.put(key(i), value(random, 500));
        }
        table.engine().flush();
        table.engine().optimize((done, total) -> true);
        for (int i = 0; i < 200; i++) {
            table.put(key(2_000 + i), value(random, 500));
        }
        table.engine().flush();
        table.background().runAll();
        assertEquals(1, measure(table, "level0_files"));
    }

    private static void checkDiskBytes(EngineHarness table, double live) {
        double disk = table.engine().stats().diskBytes();
        assertTrue(disk < 1.5 * live + MEM_TABLE_BYTES, disk + " bytes on disk for " + live);
    }

    private void checkDeadBytes(EngineHarness table) throws IOException {
        double live = measure(table, "value_live_bytes");
        double dead = measure(table, "value_bytes") - live;
        assertFalse(
                ValueGarbage.knownLate(MEM_TABLE_BYTES).isTooMuch((long) dead, (long) live),
                dead + " dead bytes beside " + live + " live ones");
        assertEquals(measure(table, "value_segments"), segments(disk).size(), "files that no version has are left");
    }

    /** Many small flushes leave many small segments; what is compacted together is put together. */
    @Test
    void small_segments_are_merged() throws IOException {
        EngineHarness table = open(Map.of("VALUE_THRESHOLD_BYTES", 10));
        SplittableRandom random = new SplittableRandom(4);
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < 5; i++) {
                table.put(key(random.nextInt(100_000)), value(random, 50));
            }
            table.engine().flush();
            table.background().runAll();
        }
        assertTrue(measure(table, "value_segments") < 20, measure(table, "value_segments") + " segments");
        assertTrue(measure(table, "compacted_bytes") < 40 * 1_000 * 80, "values are moved too often");
        table.check();
        assertEquals(List.of(), findings(table));
    }

    /** As before, with keys that ascend: the SSTables could be moved as they are. */
    @Test
    void small_segments_of_ascending_keys_are_merged() throws IOException {
        EngineHarness table = open(Map.of("VALUE_THRESHOLD_BYTES", 10));
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < 5; i++) {
                table.put(key(round * 5 + i), new byte[50]);
            }
            table.engine().flush();
            table.background().runAll();
        }
        assertTrue(measure(table, "value_segments") <= 60, measure(table, "value_segments") + " segments");
        table.check();
    }

    @Test
    void open_cursor_reads_values_of_segments_that_are_gone() throws IOException {
        EngineHarness table = open(APART);
        for (int i = 0; i < 300; i++) {
            table.put(key(i), new byte[300]);
        }
        table.engine().flush();
        List<String> before = segments(disk);
        EngineHarness.Snap snapshot = table.openSnapshot();
        try (EngineCursor cursor = table.engine().scan(KeyRange.all(), snapshot.view())) {
            table.close(snapshot);
            for (int i = 0; i < 300; i++) {
                table.put(key(i), new byte[200]);
            }
            table.engine().optimize((done, total) -> true);
            table.background().runAll();
            assertEquals(0, measure(table, "value_bytes") - measure(table, "value_live_bytes"), 200);
            int count = 0;
            while (cursor.next()) {
                assertEquals(300, cursor.value().length);
                count++;
            }
            assertEquals(300, count);
        }
        table.put(key(0), new byte[1]);
        table.engine().flush();
        table.put(key(0), new byte[2]);
        table.engine().flush();
        assertTrue(segments(disk).stream().noneMatch(before::contains), segments(disk) + " after " + before);
    }

    private EngineHarness withTwoSegments() throws IOException {
        EngineHarness table = open(APART);
        SplittableRandom random = new SplittableRandom(8);
        for (int flush = 0; flush < 2; flush++) {
            for (int i = 0; i < 40; i++) {
                table.put(key(flush * 40 + i), value(random, 200));
            }
            table.engine().flush();
        }
        assertEquals(List.of("00000001.val", "00000003.val"), segments(disk));
        return table;
    }

    @Test
    void missing_swapped_and_left_over_segments() throws IOException {
        EngineHarness table = withTwoSegments();
        SimStorage missing = disk.crash(new CrashChoice.KeepAll());
        missing.delete(DIRECTORY + "00000003.val");
        CorruptionException failure =
                assertThrows(CorruptionException.class, () -> table.after(missing, table.lastLsn()));
        assertEquals(DIRECTORY + "00000003.val", failure.file());
        SimStorage swapped = disk.crash(new CrashChoice.KeepAll());
        byte[] second = swapped.bytes(DIRECTORY + "00000001.val");
        swapped.replace(DIRECTORY + "00000001.val", swapped.bytes(DIRECTORY + "00000003.val"));
        swapped.replace(DIRECTORY + "00000003.val", second);
        assertThrows(CorruptionException.class, () -> table.after(swapped, table.lastLsn()));
        assertEquals(0, swapped.openResources());
        SimStorage leftover = disk.crash(new CrashChoice.KeepAll());
        try (var file = leftover.create(DIRECTORY + "00000009.val")) {
            file.sync();
        }
        try (EngineHarness left = table.after(leftover, table.lastLsn())) {
            left.check();
            assertEquals(2, segments(leftover).size());
            left.put(key(0), new byte[500]);
            left.engine().flush();
            assertTrue(segments(leftover).contains("00000010.val"), "a number is used twice: " + segments(leftover));
        }
    }

    /** Whatever bit of a value's record is flipped: the get that needs it says so, and the others are answered. */
    @Test
    void damaged_value_fails_its_own_get_alone() throws IOException {
        EngineHarness table = withTwoSegments();
        SplittableRandom random = new SplittableRandom(9);
        byte[] whole = disk.bytes(DIRECTORY + "00000003.val");
        for (int round = 0; round < 60; round++) {
            byte[] damaged = whole.clone();
            damaged[random.nextInt(32, whole.length)] ^= (byte) (1 << random.nextInt(8));
            disk.replace(DIRECTORY + "00000003.val", damaged);
            int refused = 0;
            for (int i = 0; i < 80; i++) {
                try {
                    assertArrayEquals(table.model().get(key(i)), table.engine().get(key(i), ReadView.LATEST));
                } catch (CorruptionException e) {
                    assertEquals(DIRECTORY + "00000003.val", e.file());
                    assertTrue(e.offset() >= 32 && e.offset() < whole.length, e.toString());
                    refused++;
                }
            }
            assertEquals(1, refused);
            List<Findings.Finding> findings = findings(table);
            assertTrue(findings.stream().allMatch(finding -> finding.file().endsWith("3.val")), findings.toString());
            assertEquals(2, findings.size(), "by the pointer and by the segment: " + findings);
        }
        disk.replace(DIRECTORY + "00000003.val", whole);
        table.check();
    }
}
