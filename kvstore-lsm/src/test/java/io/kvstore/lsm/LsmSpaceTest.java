package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.Findings;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.OverloadedException;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the files of a table take beside what is alive, at every moment. */
final class LsmSpaceTest {

    private static final long CAPACITY = 1L << 40;
    private static final long SLACK = 4 << 20;
    private static final long LIVE = 2 << 20;

    private final SimStorage disk = new SimStorage();
    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private final SplittableRandom random = new SplittableRandom(4);

    private LsmEngine open() throws IOException {
        return open(256 << 10);
    }

    private LsmEngine open(long memTableBytes) throws IOException {
        disk.createDirectory(LoneTable.DIRECTORY);
        disk.setCapacity(CAPACITY);
        LsmOptions options = new LsmOptions(memTableBytes, 100, 0.01, 24, 256, null, SLACK);
        return LsmEngine.open(LoneTable.on(disk, new MemoryBudget(64 << 20), clock, background), options);
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(8).putInt(number * 0x9E3779B1).putInt(number).array();
    }

    private static void put(TableEngine table, long lsn, byte[] key, byte[] value) throws IOException {
        List<Mutation> mutations = List.of(new Mutation.Put(key, value));
        table.admit(value.length);
        for (TableEngine.Load load = table.reserve(mutations); load != null; load = table.reserve(mutations)) {
            load.run();
        }
        table.apply(lsn, mutations);
    }

    private long usedBytes() throws IOException {
        return CAPACITY - disk.freeBytes();
    }

    /** Background work that has no more turns than this leaves it to the waits of the writer to make room. */
    @ParameterizedTest
    @ValueSource(ints = {100, 1_000, 20_000})
    void files_take_at_most_twice_what_is_alive_and_the_slack(int valueBytes) throws IOException {
        LsmEngine table = open();
        int keys = (int) (LIVE / (valueBytes + 30));
        byte[] value = new byte[valueBytes];
        long lsn = 0;
        long most = 0;
        for (int put = 0; put < 12 * keys; put++) {
            random.nextBytes(value);
            put(table, ++lsn, key(put < keys ? put : random.nextInt(keys)), value);
            if (put % Math.max(1, keys / 100) == 0) {
                background.runNext();
                most = Math.max(most, usedBytes());
                long bound = 2 * LIVE + SLACK;
                assertTrue(most <= bound, most + " bytes after " + put + " puts, and not more than " + bound);
            }
        }
        assertTrue(most > 3 * LIVE / 2, most + " bytes at most: it is no bound that is never met");
        assertEquals(keys, table.count(KeyRange.all(), ReadView.LATEST));
        assertEquals(0, Measures.of(table.stats(), "failed_jobs"));
        table.close();
    }

    /** A writer that never fills a memtable, because checkpoints end them before, waits for space all the same. */
    @Test
    void memtables_that_checkpoints_end_are_counted() throws IOException {
        LsmEngine table = open();
        int keys = (int) (LIVE / 1_030);
        byte[] value = new byte[1_000];
        long most = 0;
        for (int put = 0; put < 20 * keys; put++) {
            random.nextBytes(value);
            put(table, put + 1, key(put < keys ? put : random.nextInt(keys)), value);
            if (put % 700 == 0) { // of about 1,000 that fill one
                table.checkpoint();
                most = Math.max(most, usedBytes());
                long bound = 2 * LIVE + SLACK;
                assertTrue(most <= bound, most + " bytes after " + put + " puts, and not more than " + bound);
            }
        }
        assertTrue(most > 3 * LIVE / 2, most + " bytes at most: it is no bound that is never met");
        table.close();
    }

    /** Few large values in a memtable: what is known of each of them is what is known of much. */
    @Test
    void what_few_large_values_overwrite_is_known() throws IOException {
        LsmEngine table = open();
        byte[] value = new byte[100_000];
        for (int put = 0; put < 200; put++) {
            random.nextBytes(value);
            put(table, put + 1, key(put < 20 ? put : random.nextInt(20)), value);
            if (put % 3 == 2) {
                table.flush();
                double live = Measures.of(table.stats(), "space_live_bytes");
                double most = 20 * 100_200;
                assertTrue(
                        live <= most,
                        live + " bytes are thought to be alive after " + put + " puts of at most " + most);
            }
        }
        table.close();
    }

    private LsmEngine loaded(int keys) throws IOException {
        LsmEngine table = open(4 << 20);
        byte[] value = new byte[1_000];
        for (int i = 0; i < keys; i++) {
            random.nextBytes(value);
            put(table, i + 1, key(i), value);
        }
        table.flush();
        background.runAll();
        return table;
    }

    private static void remove(TableEngine table, long lsn, List<Mutation> mutations) throws IOException {
        table.admit(0);
        assertNull(table.reserve(mutations));
        table.apply(lsn, mutations);
    }

    /** The table rests after the removals. */
    private void rest() {
        for (int seconds = 0; seconds < 5; seconds++) {
            background.tick(1_000);
            background.runAll();
        }
    }

    /** Tombstones that a memtable has room for bring the space of what they remove back, without a flush that is asked for. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void removals_bring_space_back_soon(boolean atOnce) throws IOException {
        int keys = 20_000;
        LsmEngine table = loaded(keys);
        long loaded = usedBytes();
        List<Mutation> removed = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            if (i % 10 != 0) {
                removed.add(new Mutation.Remove(key(i)));
            }
        }
        if (atOnce) {
            remove(table, keys + 1, removed);
        } else {
            for (int i = 0; i < removed.size(); i++) {
                remove(table, keys + 1 + i, List.of(removed.get(i)));
            }
        }
        rest();
        long bound = 2 * loaded / 10 + SLACK;
        assertTrue(usedBytes() <= bound, usedBytes() + " of " + loaded + " bytes are left; the bound is " + bound);
        assertEquals(keys / 10, table.count(KeyRange.all(), ReadView.LATEST));
        assertEquals(0, Measures.of(table.stats(), "failed_jobs"));
        table.close();
    }

    /** Removals of keys that are not there, or were put a moment ago, make no file after file. */
    @Test
    void removals_of_nothing_make_few_files() throws IOException {
        int keys = 1_000;
        LsmEngine table = loaded(keys);
        double before = Measures.of(table.stats(), "flushes");
        for (int i = 0; i < 50_000; i++) {
            remove(table, keys + 1 + i, List.of(new Mutation.Remove(key(keys + i))));
            if (i % 5_000 == 0) {
                background.runAll();
            }
        }
        double flushes = Measures.of(table.stats(), "flushes") - before;
        assertTrue(flushes <= 2, flushes + " flushes without a second between them");
        table.close();
    }

    /** Others fill the disk: writes are refused, and taken as soon as there is room, without a call. */
    @Test
    void a_full_disk_passes() throws IOException {
        LsmEngine table = open();
        byte[] value = new byte[1_000];
        long lsn = 0;
        for (int i = 0; i < 2_000; i++) {
            put(table, ++lsn, key(i), value);
        }
        disk.setCapacity(usedBytes());
        int taken = 0;
        boolean isRefused = false;
        while (!isRefused && taken < 100_000) {
            try {
                put(table, ++lsn, key(random.nextInt(2_000)), value);
                taken++;
            } catch (DiskFullException | OverloadedException e) {
                isRefused = true;
            }
        }
        assertTrue(isRefused, "nothing was refused");
        disk.setCapacity(CAPACITY);
        for (int i = 0; i < 4_000; i++) {
            put(table, ++lsn, key(random.nextInt(2_000)), value);
        }
        table.flush();
        assertEquals(2_000, table.count(KeyRange.all(), ReadView.LATEST));
        table.close();
    }

    /** What is new is alive, so nobody waits for space while a table grows. */
    @Test
    void new_keys_are_no_debt() throws IOException {
        LsmEngine table = open();
        byte[] value = new byte[1_000];
        for (int i = 0; i < 20_000; i++) {
            random.nextBytes(value);
            put(table, i + 1, key(i), value);
            background.runNext();
        }
        assertEquals(0, Measures.of(table.stats(), "stalls"));
        double live = Measures.of(table.stats(), "space_live_bytes");
        assertTrue(live > 0.9 * 15_000 * 1_030, live + " bytes are thought to be alive");
        table.close();
    }

    private static EngineHarness tiny(SimStorage disk) throws IOException {
        Map<String, ?> properties = Map.of("MEM_CACHE_SIZE", 65_536, "SPARSE_INDEX_SIZE", 8);
        return EngineHarness.create(new LsmEngineProvider(), properties, disk);
    }

    private EngineHarness withWhatASnapshotSaw() throws IOException {
        EngineHarness table = tiny(disk);
        for (int i = 0; i < 500; i++) {
            table.put(key(i), new byte[400]);
        }
        table.engine().flush();
        table.background().runAll();
        EngineHarness.Snap snapshot = table.openSnapshot();
        for (int i = 0; i < 500; i++) {
            table.remove(key(i));
        }
        table.engine().flush();
        table.engine().optimize((done, total) -> true);
        table.check(snapshot);
        assertTrue(Measures.of(table.engine().stats(), "space_kept_bytes") > 500 * 400);
        table.close(snapshot);
        return table;
    }

    @Test
    void what_a_snapshot_kept_goes_after_it_without_a_call() throws IOException {
        EngineHarness table = withWhatASnapshotSaw();
        assertTrue(table.engine().stats().diskBytes() > 500 * 400);
        table.background().tick(60_000);
        long left = table.engine().stats().diskBytes();
        assertTrue(left < 500 * 400 / 10, left + " bytes are left");
        table.check();
        table.close();
    }

    @Test
    void what_a_snapshot_kept_goes_when_the_table_is_opened_again() throws IOException {
        EngineHarness table = withWhatASnapshotSaw();
        table.reopen();
        table.background().tick(60_000);
        long left = table.engine().stats().diskBytes();
        assertTrue(left < 500 * 400 / 10, left + " bytes are left");
        table.close();
    }

    /** While it is open, the same file is not written anew again and again. */
    @Test
    void what_an_open_snapshot_sees_is_left_alone() throws IOException {
        EngineHarness table = tiny(disk);
        EngineHarness.Snap older = table.openSnapshot();
        for (int i = 0; i < 500; i++) {
            table.put(key(i), new byte[400]);
        }
        EngineHarness.Snap snapshot = table.openSnapshot();
        for (int i = 0; i < 500; i++) {
            table.put(key(i), new byte[300]);
        }
        table.engine().optimize((done, total) -> true);
        table.background().runAll();
        double compactions = Measures.of(table.engine().stats(), "compactions");
        table.close(older);
        table.background().tick(60_000);
        assertEquals(compactions, Measures.of(table.engine().stats(), "compactions"));
        table.check(snapshot);
        table.close(snapshot);
        table.background().tick(60_000);
        assertTrue(Measures.of(table.engine().stats(), "compactions") > compactions);
        assertEquals(0, Measures.of(table.engine().stats(), "space_kept_bytes"));
        table.check();
        table.close();
    }

    /** What is written while it works is not its business, or else it would never end. */
    @Test
    void optimize_ends_beside_a_writer() throws IOException {
        EngineHarness table = tiny(disk);
        for (int i = 0; i < 2_000; i++) {
            table.put(key(i), new byte[200]);
        }
        int[] steps = {0};
        table.engine().optimize((done, total) -> {
            steps[0]++;
            for (int i = 0; i < 400; i++) {
                putUnchecked(table, key(random.nextInt(2_000)));
            }
            return steps[0] < 300;
        });
        assertTrue(steps[0] < 300, "it has no end");
        table.check();
        Findings findings = new Findings();
        table.engine().verify(findings);
        assertEquals(List.of(), findings.kept());
        table.close();
    }

    private static void putUnchecked(EngineHarness table, byte[] key) {
        try {
            table.put(key, new byte[200]);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A change of the files costs the same whatever their keys are. */
    @Test
    void the_manifest_has_no_keys() throws IOException {
        EngineHarness table = tiny(disk);
        for (int i = 0; i < 60; i++) {
            byte[] key = Arrays.copyOf(key(i), 60_000);
            key[59_999] = 1;
            table.put(key, new byte[10]);
        }
        table.engine().flush();
        table.background().runAll();
        long files = disk.list(EngineHarness.DIRECTORY).size();
        assertTrue(files > 10, files + " files");
        int bytes = disk.bytes(EngineHarness.DIRECTORY + "/MANIFEST").length;
        assertTrue(bytes < 60 * files, bytes + " bytes for " + files + " files");
        table.check();
        table.reopen();
        table.check();
        assertNull(table.failure());
        table.close();
    }
}
