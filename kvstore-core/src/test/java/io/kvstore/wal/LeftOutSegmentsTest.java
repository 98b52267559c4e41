package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.data.TableMutations;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.Operation;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.segment.LogConfig.Landing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Recovery leaves out the segments of which no table needs a record: tables need records of different parts of the log. */
final class LeftOutSegmentsTest {

    private static final int TABLES = 6;

    /** A table that was dropped. */
    private static final int DROPPED = 2;

    /** A table that was created when half of the log was there. */
    private static final int LATE = 5;

    private static final int PARTS = 24;
    private static final int RECORDS_A_PART = 100; // of some 700 bytes: a part takes more than a segment

    /** An operation of some tables in the log. */
    private record Logged(long lsn, long segment, Set<Integer> tables) {

        boolean isNeeded(Map<Integer, Long> held) {
            return tables.stream().anyMatch(table -> lsn > held.getOrDefault(table, -1L));
        }
    }

    private final SplittableRandom random = new SplittableRandom(31);

    @ParameterizedTest
    @EnumSource(Landing.class)
    void all_that_a_table_needs_is_replayed_and_segments_without_that_are_not_read(Landing landing) throws IOException {
        LogBench bench = LogBench.create(landing);
        WriteAheadLog log = bench.open();
        List<Logged> all = new ArrayList<>();
        for (int part = 0; part < PARTS; part++) {
            write(log, part, all);
        }
        assertTrue(log.sync(log.lastLsn()));
        bench.clock.advance(60);
        log.tick(); // which states it
        long least = filesOpened(bench, landing, all, heldByAll());
        long most = filesOpened(bench, landing, all, Map.of());
        assertTrue(most - least > PARTS, most + " files are opened, and " + least + " if nothing is needed");
        for (int round = 0; round < 30; round++) {
            Map<Integer, Long> held = new HashMap<>();
            for (int table = 1; table <= TABLES; table++) {
                held.put(table, random.nextLong(log.lastLsn() + 1));
            }
            held.put(1 + round % TABLES, round % 2 == 0 ? Long.MAX_VALUE : random.nextLong(log.lastLsn() / 4));
            held.put(DROPPED, Long.MAX_VALUE);
            held.put(LATE, Math.max(held.getOrDefault(LATE, 0L), log.lastLsn() / 2));
            long opened = filesOpened(bench, landing, all, held);
            long needed = segments(all, held);
            assertEquals(most - opened, segments(all, Map.of()) - needed, "segments that are left out with " + held);
        }
        log.close();
    }

    /** A part has records of one table or two, and a few operations that change both. */
    private void write(WriteAheadLog log, int part, List<Logged> to) {
        int one = tableOf(part);
        int other = random.nextInt(3) == 0 ? tableOf(part) : one;
        for (int i = 0; i < RECORDS_A_PART; i++) {
            boolean isBoth = one != other && i % 10 == 0;
            int table = random.nextBoolean() ? one : other;
            LogRecord record = isBoth ? ofBoth(one, other) : LogBench.put(table, 700);
            long lsn = LogBench.append(log, record);
            to.add(new Logged(lsn, log.currentSegment(), isBoth ? Set.of(one, other) : Set.of(table)));
        }
    }

    private int tableOf(int part) {
        int table = 1 + random.nextInt(TABLES);
        boolean isThere = table == DROPPED ? part < PARTS / 2 : table != LATE || part >= PARTS / 2;
        return isThere ? table : 1;
    }

    private static LogRecord ofBoth(int one, int other) {
        List<Mutation> put = List.of(new Mutation.Put(new byte[] {1}, new byte[300]));
        return LogRecord.of(List.of(new TableMutations(one, put), new TableMutations(other, put)));
    }

    private static Map<Integer, Long> heldByAll() {
        Map<Integer, Long> held = new HashMap<>();
        for (int table = 1; table <= TABLES; table++) {
            held.put(table, Long.MAX_VALUE);
        }
        return held;
    }

    /** How many segments are read for their records: those of which one is needed, and the last. */
    private static long segments(List<Logged> all, Map<Integer, Long> held) {
        Set<Long> segments = new HashSet<>();
        all.stream().filter(logged -> logged.isNeeded(held)).forEach(logged -> segments.add(logged.segment));
        segments.add(all.getLast().segment);
        return segments.size();
    }

    /** Recovers a copy, and checks that all is replayed that a table needs. Returns how often a file was opened. */
    private static long filesOpened(LogBench bench, Landing landing, List<Logged> all, Map<Integer, Long> held)
            throws IOException {
        FaultyStorage counting = new FaultyStorage(bench.disk.kill());
        LogBench after = new LogBench(bench.disk, counting, landing);
        after.leftOutLsn = table -> held.getOrDefault(table, -1L);
        after.open().close();
        Set<Long> replayed = new HashSet<>(after.replayed);
        assertEquals(after.replayed.size(), replayed.size(), "an operation is replayed twice");
        assertEquals(after.replayed.stream().sorted().toList(), after.replayed);
        for (Logged logged : all) {
            assertTrue(
                    !logged.isNeeded(held) || replayed.contains(logged.lsn),
                    () -> logged + " is not replayed with " + held);
        }
        return counting.counts().getOrDefault(Operation.OPEN, 0L);
    }
}
