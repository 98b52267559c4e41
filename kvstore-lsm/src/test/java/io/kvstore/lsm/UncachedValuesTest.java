package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.ReadView;
import io.kvstore.io.Storage;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.value.append.CacheUse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values of a table that nobody reads go past the system's cache of files; who reads it comes to know of it. */
final class UncachedValuesTest {

    private static final int VALUE_BYTES = 64 << 10;

    /** Fifteen fit into a segment of this table; these fill some, so that nothing moves values of short ones together. */
    private static final int SOME_SEGMENTS = 3 * 15;

    private final List<String> read = new ArrayList<>();
    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private final LsmEngine table;
    private int next;
    private long lsn;

    UncachedValuesTest() throws IOException {
        SimStorage disk = new SimStorage();
        disk.createDirectory(LoneTable.DIRECTORY);
        Storage watched = HookedStorage.over(disk, (name, path, proceed) -> {
            if (name.equals("read")) {
                read.add(path);
            }
            return proceed.call();
        });
        // so few bytes may be mapped that large values pass the cache like others
        MemoryBudget memory = new MemoryBudget(64 << 20, 2 << 20);
        table = LsmEngine.open(
                LoneTable.on(watched, memory, clock, background),
                new LsmOptions(1 << 20, 100, 0.01, 24, 256, null, LsmOptions.usualSlackBytes(1 << 20)));
    }

    @BeforeEach
    void load() throws IOException {
        putMore();
        putMore();
    }

    @AfterEach
    void close() throws IOException {
        table.close();
    }

    private void putMore() throws IOException {
        for (int i = 0; i < SOME_SEGMENTS; i++) {
            put();
        }
        table.flush();
    }

    private void put() throws IOException {
        put(next++);
    }

    private void put(int key) throws IOException {
        put(key, VALUE_BYTES);
    }

    private void put(int key, int valueBytes) throws IOException {
        List<Mutation> mutations = List.of(new Mutation.Put(key(key), new byte[valueBytes]));
        table.admit(valueBytes);
        assertNull(table.reserve(mutations));
        lsn++;
        table.apply(lsn, mutations);
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private long uncachedBytes() {
        return (long) Measures.of(table.stats(), "value_uncached_bytes");
    }

    private void walk(KeyRange range) throws IOException {
        try (EngineCursor cursor = table.scan(range, ReadView.LATEST)) {
            assertTrue(cursor.next());
        }
    }

    @Test
    void a_get_and_a_cursor_that_wants_values_end_it_and_a_count_does_not() throws IOException {
        long loaded = uncachedBytes();
        assertTrue(loaded > 5 * VALUE_BYTES, loaded + " bytes");
        assertEquals(next, table.count(KeyRange.all(), ReadView.LATEST));
        put();
        table.flush();
        long once = uncachedBytes();
        assertTrue(once > loaded);

        table.get(key(0), ReadView.LATEST);
        put();
        table.flush();
        assertEquals(once, uncachedBytes());
        putMore();
        putMore();
        long again = uncachedBytes();
        assertTrue(again > once);

        walk(KeyRange.all());
        put();
        table.flush();
        assertEquals(again, uncachedBytes());
    }

    /** It reads them in the order of their keys, from pages with other values, and will read later ones so. */
    @ParameterizedTest
    @ValueSource(ints = {CacheUse.LARGE_BYTES - 1, CacheUse.LARGE_BYTES, CacheUse.LARGE_BYTES + 1})
    void a_compaction_that_moves_small_values_ends_it(int valueBytes) throws IOException {
        int keys = SOME_SEGMENTS * VALUE_BYTES / valueBytes;
        for (int i = 0; i < 3 * keys; i++) {
            put(next + (i < 2 * keys ? i : 2 * (i - 2 * keys)), valueBytes);
            if (i % (keys / 4) == 0) {
                table.flush();
            }
        }
        table.flush();
        long before = uncachedBytes();
        put();
        table.flush();
        assertTrue(uncachedBytes() > before, "puts without reads go past the cache");
        double compacted = Measures.of(table.stats(), "compacted_bytes");
        table.optimize((done, total) -> true);
        assertTrue(Measures.of(table.stats(), "compacted_bytes") > compacted + keys / 2.0 * valueBytes);
        long moved = uncachedBytes();
        put();
        table.flush();
        assertEquals(valueBytes >= CacheUse.LARGE_BYTES, uncachedBytes() > moved);
    }

    /** The memtable that wrote the segment is gone. */
    @Test
    void who_reads_through_an_sstable_brings_a_segment_to_the_cache() throws IOException {
        background.runAll();
        read.clear();
        for (int i = 0; i < 128; i++) {
            table.get(key(next - 1), ReadView.LATEST);
            assertEquals(List.of(), read, "after " + i);
        }
        background.runAll();
        assertTrue(!read.isEmpty() && read.stream().allMatch(path -> path.endsWith(".val")), read.toString());
        assertEquals(1, read.stream().distinct().count());
    }
}
