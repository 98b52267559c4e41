package io.kvstore.hash.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.engine.ParallelReads;
import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Walks over 200 entries, of which each takes a while or none. */
final class ReadAheadTest {

    private static final int ENTRIES = 200;
    private static final int AT_A_TIME = 64;

    private final StepClock clock = new StepClock();
    private final ParallelReads files = new ParallelReads(new StepBackground(clock), clock);
    private final ReadAhead ahead = new ReadAhead(clock, files);
    private final List<Integer> touched = new ArrayList<>();
    private boolean isSlow;

    private void pass() {
        if (isSlow) {
            clock.advance(1);
        }
    }

    private void touch(int entry) {
        touched.add(entry);
        pass();
    }

    private void walk() throws IOException {
        ahead.restart();
        for (int at = 0; at < ENTRIES; at++) {
            ahead.before(at, ENTRIES, this::touch);
            pass();
        }
    }

    private static List<Integer> from(int first) {
        return IntStream.range(first, ENTRIES).boxed().toList();
    }

    @Test
    void nothing_is_read_ahead_from_memory() throws IOException {
        walk();
        walk();
        assertEquals(List.of(), touched);
    }

    @Test
    void entries_that_come_from_the_disk_are_read_ahead_once() throws IOException {
        isSlow = true;
        walk();
        assertEquals(from(AT_A_TIME), touched, "the first ones say that it is slow");
        touched.clear();
        walk();
        assertEquals(from(0), touched, "and the next page goes on as this one ended");
    }

    @Test
    void reading_ahead_ends_where_entries_are_in_memory_again() throws IOException {
        isSlow = true;
        walk();
        touched.clear();
        isSlow = false;
        walk();
        assertEquals(IntStream.range(0, AT_A_TIME).boxed().toList(), touched);
    }

    @Test
    void reads_of_others_that_are_fast_do_not_end_reading_ahead() throws IOException {
        isSlow = true;
        walk();
        touched.clear();
        files.of(AT_A_TIME, new ParallelReads.Pace(), _ -> {}).run();
        walk();
        assertEquals(from(0), touched);
    }

    @Test
    void what_cannot_be_read_is_left_to_the_walk() throws IOException {
        isSlow = true;
        ahead.restart();
        int failed = 0;
        for (int at = 0; at < ENTRIES; at++) {
            ahead.before(at, ENTRIES, entry -> {
                touch(entry);
                if (entry % 2 == 0) {
                    throw new CorruptionException("file", entry, "planted");
                }
                throw new IOException("planted");
            });
            pass();
            failed++;
        }
        assertEquals(ENTRIES, failed);
        assertEquals(from(AT_A_TIME), touched);
    }
}
