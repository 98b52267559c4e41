package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.ReadView;
import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Damage in the files that background work reads: it costs what is in the file, and neither writes nor other files. */
final class LsmDamagedFilesTest {

    private static final int KEYS = 400;

    private final SimStorage disk = new SimStorage();
    private final SplittableRandom random = new SplittableRandom(11);

    private EngineHarness open(int maxLevel0Files, int thresholdBytes) throws IOException {
        Map<String, Object> properties = new HashMap<>();
        properties.put("MEM_CACHE_SIZE", 65_536);
        properties.put("SPARSE_INDEX_SIZE", 8);
        properties.put("MAX_SSTABLES", maxLevel0Files);
        properties.put("VALUE_THRESHOLD_BYTES", thresholdBytes);
        return EngineHarness.create(new LsmEngineProvider(), properties, disk);
    }

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key-%06d", number).getBytes(StandardCharsets.UTF_8);
    }

    private void putAll(EngineHarness table, int length) throws IOException {
        for (int i = 0; i < KEYS; i++) {
            byte[] value = new byte[length];
            random.nextBytes(value);
            table.put(key(i * 7 % KEYS), value);
        }
    }

    private void damage(String file) throws IOException {
        byte[] bytes = disk.bytes(file);
        bytes[bytes.length / 3] ^= 4;
        disk.replace(file, bytes);
    }

    private List<String> files(String suffix) throws IOException {
        return disk.list(EngineHarness.DIRECTORY).stream()
                .filter(name -> name.endsWith(suffix))
                .map(name -> EngineHarness.DIRECTORY + "/" + name)
                .sorted()
                .toList();
    }

    /** Every key has its newest value, or the file is named. */
    private static int checkGets(EngineHarness table, String damaged) throws IOException {
        int refused = 0;
        for (int i = 0; i < KEYS; i++) {
            try {
                assertArrayEquals(table.model().get(key(i)), table.engine().get(key(i), ReadView.LATEST));
            } catch (CorruptionException e) {
                assertEquals(damaged, e.file());
                refused++;
            }
        }
        return refused;
    }

    private void overwriteBeside(EngineHarness table, String damaged, int mostFiles) throws IOException {
        for (int round = 0; round < 30; round++) {
            putAll(table, 300);
            table.engine().flush();
            table.background().runAll();
            double level0 = Measures.of(table.engine().stats(), "level0_files");
            assertTrue(level0 <= mostFiles, level0 + " files in level 0 after round " + round);
        }
        assertEquals(1, Measures.of(table.engine().stats(), "damaged_files"));
        assertTrue(disk.exists(damaged), damaged + " is gone, and something in it may count");
        assertEquals(0, checkGets(table, damaged), "what was put since is not in the damaged file");
        table.engine().optimize((done, total) -> true);
        assertEquals(0, checkGets(table, damaged));
        assertNull(table.failure());
    }

    @Test
    void writes_go_on_above_a_damaged_file_of_level_1() throws IOException {
        EngineHarness table = open(2, 100_000);
        putAll(table, 50);
        table.engine().optimize((done, total) -> true);
        String damaged = files(".sst").getFirst();
        damage(damaged);
        assertTrue(checkGets(table, damaged) > 0);
        overwriteBeside(table, damaged, 4);
        table.close();
    }

    @Test
    void writes_go_on_above_a_damaged_file_of_level_0() throws IOException {
        EngineHarness table = open(4, 100);
        putAll(table, 90);
        table.engine().flush();
        String damaged = files(".sst").getFirst();
        damage(damaged);
        overwriteBeside(table, damaged, 6);
        table.close();
    }

    /** Levels that the damaged file does not overlap are compacted as before. */
    @Test
    void other_files_are_compacted() throws IOException {
        EngineHarness table = open(4, 100_000);
        for (int i = 0; i < 4; i++) {
            table.put(key(1_000_000 + i), new byte[40]);
        }
        table.engine().optimize((done, total) -> true);
        String damaged = files(".sst").getFirst();
        damage(damaged);
        for (int round = 0; round < 10; round++) {
            putAll(table, 300);
        }
        table.engine().flush();
        table.background().runAll();
        assertTrue(Measures.of(table.engine().stats(), "level0_files") < 4);
        assertEquals(0, checkGets(table, damaged));
        assertEquals(0, Measures.of(table.engine().stats(), "damaged_files"), "nobody had to read it");
        table.engine().optimize((done, total) -> true);
        assertEquals(0, checkGets(table, damaged));
        table.close();
    }

    /** The segment of a damaged value stays until that value is overwritten, and not a moment longer. */
    @Test
    void segment_of_a_damaged_value_goes_with_it() throws IOException {
        EngineHarness table = open(4, 100);
        putAll(table, 500);
        table.engine().flush();
        table.background().runAll();
        String damaged = files(".val").getFirst();
        damage(damaged);
        assertEquals(1, checkGets(table, damaged));
        int rotten = rottenKey(table);
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < KEYS; i++) {
                if (i != rotten) {
                    table.put(key(i), new byte[500]);
                }
            }
            table.engine().flush();
            table.background().runAll();
        }
        table.engine().optimize((done, total) -> true);
        assertTrue(disk.exists(damaged));
        assertEquals(1, checkGets(table, damaged));
        assertEquals(1, Measures.of(table.engine().stats(), "damaged_files"));
        assertEquals(0, Measures.of(table.engine().stats(), "failed_jobs"));
        table.put(key(rotten), new byte[500]);
        table.engine().optimize((done, total) -> true);
        assertFalse(disk.exists(damaged));
        table.check();
        table.close();
    }

    private static int rottenKey(EngineHarness table) throws IOException {
        for (int i = 0; i < KEYS; i++) {
            try {
                table.engine().get(key(i), ReadView.LATEST);
            } catch (CorruptionException e) {
                return i;
            }
        }
        throw new AssertionError("nothing is damaged");
    }
}
