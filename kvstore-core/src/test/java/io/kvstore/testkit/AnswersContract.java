package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Entry;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.Findings;
import io.kvstore.engine.ReadView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Contract of an engine, part one: what it answers in one thread, without failures. */
abstract class AnswersContract extends EngineContract {

    @Test
    void empty_table_answers_nothing() throws IOException {
        EngineHarness table = open();
        assertNull(table.engine().get(bytes("a"), ReadView.LATEST));
        assertEquals(0, table.engine().durableLsn());
        table.check();
    }

    @Test
    void put_overwrite_and_remove() throws IOException {
        EngineHarness table = open();
        table.put(bytes("a"), bytes("1"));
        table.check();
        table.put(bytes("a"), bytes("22"));
        table.check();
        table.remove(bytes("a"));
        assertNull(table.engine().get(bytes("a"), ReadView.LATEST));
        table.check();
        table.remove(bytes("never there"));
        table.put(bytes("a"), bytes("3"));
        table.check();
    }

    @Test
    void smallest_and_largest_keys_and_values() throws IOException {
        EngineHarness table = open();
        byte[] longest = value(1, KeyOrder.MAX_KEY_BYTES);
        byte[] almost = value(1, KeyOrder.MAX_KEY_BYTES - 1);
        table.put(new byte[0], new byte[0]);
        table.put(longest, bytes("longest"));
        table.put(almost, new byte[0]);
        table.put(new byte[] {0}, value(2, 1_000_000));
        assertArrayEquals(new byte[0], table.engine().get(new byte[0], ReadView.LATEST));
        assertArrayEquals(bytes("longest"), table.engine().get(longest, ReadView.LATEST));
        table.check();
        table.engine().flush();
        table.check();
        table.remove(longest);
        table.remove(new byte[0]);
        table.check();
        table.reopen();
        table.check();
    }

    @Test
    void value_lengths_around_every_threshold() throws IOException {
        EngineHarness table = open();
        int key = 0;
        for (int edge : new int[] {0, 127, 128, 255, 256, 4095, 4096, 16_383, 16_384, 65_535, 65_536}) {
            for (int length = Math.max(edge - 1, 0); length <= edge + 1; length++) {
                table.put(new byte[] {1, (byte) key++}, value(key, length));
            }
        }
        table.check();
        table.engine().flush();
        table.check();
        table.reopen();
        table.check();
    }

    @Test
    void last_of_several_mutations_of_one_key_wins() throws IOException {
        EngineHarness table = open();
        table.write(List.of(
                new Mutation.Put(bytes("a"), bytes("1")),
                new Mutation.Put(bytes("b"), bytes("1")),
                new Mutation.Remove(bytes("a")),
                new Mutation.Put(bytes("a"), bytes("2")),
                new Mutation.Remove(bytes("b")),
                new Mutation.Remove(bytes("c")),
                new Mutation.Put(bytes("c"), value(3, 300))));
        table.check();
        table.engine().checkpoint();
        table.reopen();
        table.check();
    }

    @Test
    void many_entries_in_random_order() throws IOException {
        EngineHarness table = open();
        for (int i = 0; i < 3000; i++) {
            int number = i * 1009 % 3001;
            table.put(bytes("key-" + number), value(number, number % 50));
            if (i % 700 == 699) {
                table.engine().flush();
            }
        }
        for (int i = 0; i < 1000; i++) {
            table.remove(bytes("key-" + i * 3));
        }
        table.check();
        table.engine().optimize((done, total) -> true);
        table.check();
        table.reopen();
        table.check();
    }

    @Test
    void snapshot_keeps_its_state_while_later_writes_go_on() throws IOException {
        EngineHarness table = open();
        EngineHarness.Snap empty = table.openSnapshot();
        for (int i = 0; i < 50; i++) {
            table.put(bytes("k" + i), value(i, 10));
        }
        EngineHarness.Snap first = table.openSnapshot();
        for (int i = 0; i < 50; i += 2) {
            table.put(bytes("k" + i), value(-i, 400));
            table.remove(bytes("k" + (i + 1)));
        }
        table.engine().flush();
        EngineHarness.Snap second = table.openSnapshot();
        for (int i = 0; i < 60; i++) {
            table.put(bytes("k" + i), value(i * 3, 20));
        }
        table.engine().checkpoint();
        table.check(empty);
        table.check(first);
        table.check(second);
        table.close(first);
        table.engine().optimize((done, total) -> true);
        table.check(second);
        table.check(empty);
        table.close(empty);
        table.close(second);
        table.check();
    }

    @Test
    void cursor_of_a_snapshot_does_not_see_writes_made_while_it_walks() throws IOException {
        EngineHarness table = open();
        for (int i = 0; i < 300; i++) {
            table.put(bytes(String.format(Locale.ROOT, "k%03d", i)), value(i, 30));
        }
        EngineHarness.Snap snapshot = table.openSnapshot();
        for (KeyRange range : wholes(table)) {
            List<Entry> found = new ArrayList<>();
            try (EngineCursor cursor = table.engine().scan(range, snapshot.view())) {
                while (cursor.next()) {
                    found.add(new Entry(cursor.key(), cursor.value()));
                    int number = found.size() * 37 % 300;
                    table.put(bytes(String.format(Locale.ROOT, "k%03d", number)), value(-number, 50));
                    table.remove(bytes(String.format(Locale.ROOT, "k%03d", (number + 1) % 300)));
                    table.put(bytes(String.format(Locale.ROOT, "k%03dx", number)), value(number, 5));
                    if (found.size() % 100 == 50) {
                        table.engine().flush();
                    }
                }
                assertFalse(cursor.next(), "a cursor stays at its end");
            }
            if (!table.isOrdered()) {
                found.sort(Comparator.comparing(Entry::key, KeyOrder.COMPARATOR));
            }
            assertEquals(snapshot.model().scan(range), found);
        }
        table.close(snapshot);
        table.check();
    }

    /** The ways to walk over a whole table. */
    private static List<KeyRange> wholes(EngineHarness table) {
        return table.isOrdered() ? List.of(KeyRange.all(), KeyRange.all().reverse()) : List.of(KeyRange.all());
    }

    @Test
    void arrays_that_were_answered_belong_to_the_caller() throws IOException {
        EngineHarness table = open();
        table.put(bytes("a"), bytes("value"));
        byte[] value = table.engine().get(bytes("a"), ReadView.LATEST);
        assertNotNull(value);
        value[0] = 'X';
        Entry entry = table.scan(KeyRange.all()).get(0);
        entry.key()[0] = 'X';
        entry.value()[0] = 'X';
        table.check();
    }

    @Test
    void canceled_reservation_leaves_no_trace() throws IOException {
        EngineHarness table = open();
        table.put(bytes("a"), bytes("1"));
        List<Mutation> mutations =
                List.of(new Mutation.Put(bytes("a"), value(1, 500)), new Mutation.Remove(bytes("b")));
        for (int i = 0; i < 100; i++) {
            if (table.engine().reserve(mutations) == null) {
                table.engine().cancel(mutations);
            }
        }
        table.check();
        table.put(bytes("b"), bytes("2"));
        table.check();
    }

    @Test
    void answers_wait_for_the_log_and_unwaited_reads_do_not() throws IOException {
        EngineHarness table = open();
        long first = table.put(bytes("a"), bytes("1"));
        long last = table.put(bytes("b"), bytes("2"));
        WatchedBarrier barrier = table.barrier();
        barrier.recordAnswers(true);
        table.engine().get(bytes("a"), ReadView.LATEST_UNWAITED);
        table.engine().get(bytes("none"), ReadView.LATEST_UNWAITED);
        assertEquals(List.of(), barrier.answers());
        table.engine().get(bytes("a"), ReadView.LATEST);
        assertWaited(barrier, first, last);
        table.engine().get(bytes("b"), ReadView.LATEST);
        assertWaited(barrier, last, last);
        long removed = table.remove(bytes("a"));
        table.engine().get(bytes("a"), ReadView.LATEST);
        assertWaited(barrier, removed, removed);
        table.engine().count(KeyRange.all(), ReadView.LATEST);
        assertWaited(barrier, removed, removed);
        assertEquals(1, table.scan(KeyRange.all()).size());
        assertWaited(barrier, removed, removed);
        barrier.recordAnswers(false);
    }

    private static void assertWaited(WatchedBarrier barrier, long least, long most) {
        long waited =
                barrier.answers().stream().mapToLong(Long::longValue).max().orElse(-1);
        assertTrue(waited >= least, "the answer rests on lsn " + least + ", the barrier was asked for " + waited);
        assertTrue(waited <= most, "the barrier was asked for lsn " + waited + ", which does not exist");
        barrier.recordAnswers(true);
    }

    @Test
    void statistics_and_verification_of_a_sound_table() throws IOException {
        EngineHarness table = open();
        for (int i = 0; i < 500; i++) {
            table.put(bytes("k" + i), value(i, 100));
        }
        long durable = table.engine().checkpoint();
        EngineStats stats = table.engine().stats();
        assertEquals(durable, stats.durableLsn());
        assertTrue(stats.diskBytes() > 0);
        assertTrue(stats.entries() > 0);
        Findings findings = new Findings();
        table.engine().verify(findings);
        assertEquals(List.of(), findings.kept());
    }

    @Test
    void admission_makes_room_by_itself() throws IOException {
        EngineHarness table = open();
        for (int i = 0; i < 300; i++) {
            table.put(bytes("k" + i % 100), value(i, 10_000));
        }
        table.check();
        assertTrue(table.memory().usedBytes() < table.memory().totalBytes());
    }
}
