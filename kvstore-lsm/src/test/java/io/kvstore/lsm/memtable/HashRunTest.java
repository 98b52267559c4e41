package io.kvstore.lsm.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyHash;
import io.kvstore.data.KeyHead;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.Mutation;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.value.ValueLog;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Entries in no order, and what is sorted of them beside their writer. */
final class HashRunTest {

    private static final KeyHash HASH = new KeyHash(7);
    private static final int KEYS = 40_000;

    private final MemTableMemory memory = new MemTableMemory(new MemoryBudget(256L << 20), true);
    private final Arena arena = Arena.ofShared();
    private final ChunkArena index = new ChunkArena(arena, memory, 1 << 14, 1 << 14, 0);
    private final ChunkArena values = new ChunkArena(arena, memory, 1 << 14, 1 << 14, 0);
    private final EntryArena entries = new EntryArena(index, values, log(), Integer.MAX_VALUE);
    private final HashRun run = new HashRun(index, entries, HASH);

    private static ValueLog log() {
        StepClock clock = new StepClock();
        return new ValueLog(
                LoneTable.on(new SimStorage(), new MemoryBudget(1 << 20), clock, new StepBackground(clock)),
                1 << 20,
                () -> 1);
    }

    @AfterEach
    void close() {
        arena.close();
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES)
                .putInt(Integer.reverse(number))
                .array();
    }

    private void add(byte[] key, long lsn) {
        Mutation mutation = new Mutation.Remove(key);
        assertTrue(index.ensure(run.reserveBytes(1) + EntryArena.entryBytes(mutation)));
        run.prepare(1);
        long head = KeyHead.of(key);
        run.moveTo(key, head, lsn);
        assertFalse(run.holds(key, head, lsn));
        run.insert(head, entries.add(lsn, head, mutation));
    }

    /** How many entries there are in order up to an operation. */
    private int count(Run.Leaves leaves, long lsn) {
        MemTableCursor cursor = new MemTableCursor(leaves, entries, false);
        int count = 0;
        for (boolean more = cursor.seek(null, true); more; more = cursor.advance()) {
            count += cursor.lsn() <= lsn ? 1 : 0;
        }
        return count;
    }

    @Test
    void what_is_sorted_is_sorted_once() {
        add(key(2), 1);
        add(key(1), 2);
        Run.Leaves leaves = run.leaves();
        assertSame(leaves, run.leaves());
        add(key(3), 3);
        assertEquals(2, count(leaves, Long.MAX_VALUE));
        assertEquals(3, count(run.leaves(), Long.MAX_VALUE));
    }

    /** Of what is added meanwhile, one may be found and an older one not: no more is sure than what was there before. */
    @Test
    void what_was_found_beyond_the_first_ones_is_not_all_there_was() {
        add(key(1), 1);
        add(key(2), 2);
        add(key(3), 3);
        int second = run.find(key(2), KeyHead.of(key(2)), 2);
        int third = run.find(key(3), KeyHead.of(key(3)), 3);
        SortedRun found = new SortedRun(entries, new int[] {third, second}, 1);
        assertEquals(2, count(found, Long.MAX_VALUE));
        assertTrue(found.hasFirst(1));
        assertFalse(found.hasFirst(2));
    }

    /** Two beginnings, and one key that has neither: the bits behind what all have in common tell few of them apart. */
    @Test
    void keys_that_agree_in_much_are_in_order() {
        List<byte[]> keys = new ArrayList<>();
        keys.add(new byte[] {'m'});
        for (int i = 0; i < 3_000; i++) {
            keys.add(String.format(Locale.ROOT, "user/with-a-long-beginning/%05d", i * 7 % 3_000)
                    .getBytes(StandardCharsets.UTF_8));
            keys.add(String.format(Locale.ROOT, "order/%05d", i * 11 % 3_000).getBytes(StandardCharsets.UTF_8));
            keys.add(new byte[i]); // zeros, which are behind the end of shorter ones too
        }
        long lsn = 0;
        for (byte[] key : keys) {
            add(key, ++lsn);
        }
        assertEquals(keys.size(), count(run.leaves(), Long.MAX_VALUE));
        MemTableCursor cursor = new MemTableCursor(run.leaves(), entries, false);
        keys.sort(KeyOrder.COMPARATOR);
        boolean more = cursor.seek(null, true);
        for (byte[] key : keys) {
            assertTrue(more);
            assertArrayEquals(key, cursor.key().toArray());
            more = cursor.advance();
        }
        assertFalse(more);
    }

    /** Keys that were chosen to have one hash: each search passes all of them. */
    @Test
    void keys_that_were_chosen_end_it() {
        byte[] first = key(1);
        int wanted = (int) HASH.of(first) & 0xFFF;
        int added = 0;
        for (int i = 1; !run.isDeep(); i++) {
            byte[] key = key(i);
            if (((int) HASH.of(key) & 0xFFF) == wanted) {
                add(key, i);
                added++;
            }
            assertTrue(added < 600, "it goes on");
        }
        assertTrue(added > 300, added + " keys were enough");
    }

    /** What a larger table would need is asked for once, not with each operation that needs none. */
    @Test
    void versions_at_the_threshold_of_growth_take_no_table_each() {
        for (int i = 1; i <= 3 << 15; i++) {
            add(key(i), i);
        }
        long before = index.takenBytes();
        for (int i = 0; i < 40; i++) {
            add(key(1), (3 << 15) + 1 + i);
        }
        assertTrue(index.takenBytes() - before < 5 << 20, index.takenBytes() - before + " bytes more");
    }

    @Test
    void it_is_full_with_a_million_entries() {
        for (int i = 0; i < HashRun.MAX_ENTRIES; i++) {
            assertFalse(run.isFull());
            add(key(i), i + 1);
        }
        assertTrue(run.isFull());
        assertEquals(HashRun.MAX_ENTRIES, count(run.leaves(), Long.MAX_VALUE));
    }

    /** Whoever begins after an entry was added finds it, and has it in what is sorted, whatever is added meanwhile. */
    @Test
    void readers_beside_the_writer_miss_nothing() throws InterruptedException {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        int[] added = new int[1];
        List<Thread> readers = new ArrayList<>();
        for (int r = 0; r < 2; r++) {
            boolean sorts = r == 0;
            readers.add(Thread.ofPlatform().start(() -> {
                try {
                    read(added, sorts);
                } catch (Throwable e) {
                    failure.set(e);
                }
            }));
        }
        for (int i = 1; i <= KEYS; i++) {
            add(key(i % 3 == 0 ? i / 3 : i), i);
            synchronized (added) {
                added[0] = i;
            }
        }
        for (Thread reader : readers) {
            reader.join();
        }
        if (failure.get() != null) {
            throw new AssertionError("a reader failed", failure.get());
        }
    }

    private void read(int[] added, boolean sorts) {
        int now = 0;
        for (int round = 1; now < KEYS; round++) {
            synchronized (added) {
                now = added[0];
            }
            if (sorts) {
                assertEquals(now, count(run.leaves(), now));
            } else if (now > 0) {
                int number = 1 + round * 7 % now;
                byte[] key = key(number % 3 == 0 ? number / 3 : number);
                int entry = run.find(key, KeyHead.of(key), number);
                assertEquals(number, entry == Run.NIL ? 0 : entries.lsn(entry));
            }
        }
    }
}
